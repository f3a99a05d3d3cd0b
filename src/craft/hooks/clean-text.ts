/**
 * Bytes of a ledger as text that can steer neither a terminal nor a reader: C0 but for the tab, DEL, C1 and the
 * bidirectional controls are taken out, on the bytes and until none is left, so that taking one out never joins another.
 * Invalid UTF-8 is replaced after that (docs/spec/craft-run.md 11.1). Linear in the input.
 */
export function cleanText(bytes: Uint8Array): string {
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  for (const byte of bytes) {
    if ((byte < 0x20 && byte !== 0x09) || byte === 0x7f) continue;
    kept[length++] = byte;
    // What was just completed goes; the byte that follows may complete another with what stood before it.
    if (endsInC1(kept, length)) length -= 2;
    else if (endsInBidi(kept, length)) length -= 3;
  }
  return new TextDecoder().decode(kept.subarray(0, length));
}

/** U+0080 to U+009F. */
function endsInC1(bytes: Uint8Array, length: number): boolean {
  const last = bytes[length - 1]!;
  return length >= 2 && bytes[length - 2] === 0xc2 && last >= 0x80 && last <= 0x9f;
}

/** U+202A to U+202E, U+2066 to U+2069. */
function endsInBidi(bytes: Uint8Array, length: number): boolean {
  if (length < 3 || bytes[length - 3] !== 0xe2) return false;
  const [middle, last] = [bytes[length - 2]!, bytes[length - 1]!];
  if (middle === 0x80) return last >= 0xaa && last <= 0xae;
  return middle === 0x81 && last >= 0xa6 && last <= 0xa9;
}

/** At most this many characters of a text. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return [...text.slice(0, characters * 2)].slice(0, characters).join("");
}
