/** Whether git takes a name for a branch, by the rules of `git check-ref-format`, without asking git. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || name === "HEAD" || name.startsWith("-") || name.length > 1000)
    return false;
  if (name.endsWith(".") || name.includes("..") || name.includes("@{")) return false;
  for (const character of name) {
    const code = character.codePointAt(0)!;
    if (code <= 0x20 || code === 0x7f || "~^:?*[\\".includes(character)) return false;
  }
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}
