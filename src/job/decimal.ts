/** Whether a text is written as a decimal number, of whatever size. */
export function isDecimal(text: string): boolean {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(text);
}

/** A finite decimal number; undefined for any other text. */
export function number(text: string | undefined): number | undefined {
  if (text === undefined || !isDecimal(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
