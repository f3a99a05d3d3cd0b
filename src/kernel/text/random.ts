/** Lower-case hexadecimal digits of this many bytes from the system's secure random source. */
export function randomHex(bytes: number): string {
  let text = "";
  for (const byte of globalThis.crypto.getRandomValues(new Uint8Array(bytes))) {
    text += byte.toString(16).padStart(2, "0");
  }
  return text;
}
