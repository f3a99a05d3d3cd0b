/** A text as the zero-terminated UTF-16 that Windows calls take. */
export function wide(text: string): Uint8Array {
  const units = new Uint16Array(text.length + 1);
  for (let index = 0; index < text.length; index++) units[index] = text.charCodeAt(index);
  return new Uint8Array(units.buffer);
}

/** An environment block: `name=value` texts in order of name, each zero-terminated, and one more zero. */
export function environmentBlock(env: Readonly<Record<string, string>>): Uint8Array {
  const names = Object.keys(env).sort((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1));
  return wide(names.map((name) => `${name}=${env[name]}\0`).join(""));
}
