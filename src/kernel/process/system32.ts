/** A Windows tool's absolute path below System32, never a bare name that PATH could redirect. */
export function system32(program: string, systemRoot: string | undefined): string {
  return `${systemRoot || "C:\\Windows"}\\System32\\${program}`;
}
