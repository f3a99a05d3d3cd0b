/**
 * Text without the characters at its end that `pattern` matches one of. Goes from the end: `/[ \t]+$/` would start again
 * at every blank of a long run in the middle.
 */
export function trimEndOf(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}
