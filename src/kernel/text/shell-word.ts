/** A word in single quotes, as a POSIX shell reads it literally. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A word for a command line that a person reads and copies: bare where nothing in it is special, else quoted. On Windows
 * in double quotes, which `cmd`, PowerShell and Git Bash all take off a path.
 */
export function shellWord(word: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[A-Za-z0-9_./:@%+,=-]+$/.test(word)) return word;
  return platform === "win32" && !word.includes('"') ? `"${word}"` : shellQuote(word);
}

/** The command that takes away a file or a directory with all in it, as a person types it here. */
export function removeCommand(
  path: string,
  kind: "file" | "directory",
  platform: NodeJS.Platform = process.platform,
): string {
  const word = shellWord(path, platform);
  if (platform === "win32") return kind === "file" ? `del ${word}` : `rmdir /s /q ${word}`;
  return kind === "file" ? `rm ${word}` : `rm -rf ${word}`;
}
