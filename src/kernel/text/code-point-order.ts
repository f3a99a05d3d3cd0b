/** Order of code points, which differs from the order of UTF-16 units beyond the basic plane. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
