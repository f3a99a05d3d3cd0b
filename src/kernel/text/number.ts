/** A finite decimal number as Python's `float` reads it (blanks around, sign, exponent); undefined for any other text. */
export function decimalNumber(text: string | undefined): number | undefined {
  if (text === undefined || !isDecimal(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Whether a text is written as such a number, of whatever size. */
export function isDecimal(text: string): boolean {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(text);
}

/** A whole number of digits with blanks around and a sign; one too large to be exact is the largest that is. */
export function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*[+-]?\d+\s*$/.test(text)) return undefined;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
