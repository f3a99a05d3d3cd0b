/** One word as the C runtime of Windows programs reads it back from a command line. */
export function quoteArgument(word: string): string {
  if (word !== "" && !/[\s"]/.test(word)) return word;
  // Backslashes count only before a quote: doubled there, and before the closing one.
  return `"${doubleLast(word.replaceAll(/(\\*)"/g, '$1$1\\"'))}"`;
}

/** Twice the backslashes at the end, which would else escape the closing quote. */
function doubleLast(word: string): string {
  return word.replace(/\\+$/, "$&$&");
}

/** The command line of a program that reads its words back as C programs do. */
export function windowsCommandLine(words: readonly string[]): string {
  return words.map(quoteArgument).join(" ");
}

/** Whether a word can be given to a `.cmd` or `.bat` file without `cmd.exe` changing or running a part of it. */
export function isSafeForCmd(word: string): boolean {
  return !/["%\r\n\0]/.test(word);
}

/** Whether Windows runs this file through `cmd.exe`. */
export function isBatchFile(path: string): boolean {
  return /\.(cmd|bat)$/i.test(path);
}

/**
 * The words of `cmd.exe` for a batch file and its arguments, each in quotes, where only `"`, `%` and line ends keep a
 * meaning (to the program the file hands them to, backslashes before the closing quote as well); delayed expansion and
 * the user's autorun are off. To be joined as they are. All words must be safe.
 */
export function throughCmd(argv: readonly string[], systemRoot: string | undefined): string[] {
  const line = argv.map((word) => `"${doubleLast(word)}"`).join(" ");
  return [`${systemRoot || "C:\\Windows"}\\System32\\cmd.exe`, "/d", "/v:off", "/s", "/c", `"${line}"`];
}
