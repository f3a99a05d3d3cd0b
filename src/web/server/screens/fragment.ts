/**
 * Whether a screen is a whole document rather than a fragment (docs/spec/web.md 6.2): after a byte-order mark, white space
 * and complete comments comes `<!doctype` or `<html`. Undefined when the text ends before that is known.
 */
export function isFullDocument(text: string): boolean | undefined {
  let at = 0;
  for (;;) {
    while (at < text.length && /[\s\ufeff]/.test(text[at]!)) at++;
    if (!text.startsWith("<!--", at)) break;
    const end = text.indexOf("-->", at + 4);
    if (end < 0) return undefined;
    at = end + 3;
  }
  const start = text.slice(at, at + "<!doctype".length).toLowerCase();
  if (BEGINNINGS.some((beginning) => start.startsWith(beginning))) return true;
  return BEGINNINGS.some((beginning) => beginning.startsWith(start)) ? undefined : false;
}

const BEGINNINGS = ["<!doctype", "<html"];

/** As much of a file as is looked at first. */
const HEAD = 65_536;

/** The same for the bytes of a whole file, looking at no more of them than needed. An open end is a fragment. */
export function isFullDocumentBytes(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder();
  const early = isFullDocument(decoder.decode(bytes.subarray(0, HEAD)));
  if (early !== undefined || bytes.length <= HEAD) return early ?? false;
  return isFullDocument(decoder.decode(bytes)) ?? false;
}

/** How many bytes the UTF-8 byte-order mark takes at the start: 3 or 0. */
export function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
