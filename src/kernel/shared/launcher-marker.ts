/** What stands in a launcher script's second line, so that we know our own files again. */
export function marker(name: string): string {
  return `jig-link 1 ${name}`;
}

/** Whether a text is a launcher script of ours for this name: the marker is a comment in its first three lines. */
export function isOurScript(text: string, name: string): boolean {
  return text
    .split("\n", 3)
    .some((line) => /^(#|\/\/|@rem )/.test(line) && line.trimEnd().endsWith(marker(name)));
}
