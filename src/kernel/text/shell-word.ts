/** A word in single quotes, as a POSIX shell reads it literally. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A word for a command line that a person reads and copies: bare where nothing in it is special, else quoted. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:@%+,=-]+$/.test(word) ? word : shellQuote(word);
}
