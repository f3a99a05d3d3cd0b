import type { ShellCommand } from "../shell/words.ts";
import { type Guarded, placeOf } from "./places.ts";
import { resolveTarget } from "./target.ts";

/**
 * The one command that may write the permit: exactly `printf %s VALUE > PERMIT`, with a VALUE that nothing is put into
 * (docs/spec/flow.md 15.3). `text` is what the command stands in.
 */
export function isPermitWrite(
  { redirections, words }: ShellCommand,
  text: string,
  cwd: string,
  projects: readonly Guarded[],
): boolean {
  const [program, format, value] = words;
  const [redirection] = redirections;
  if (words.length !== 3 || redirections.length !== 1) return false;
  if (program!.value !== "printf" || format!.value !== "%s") return false;
  if (redirection!.operator !== ">" || redirection!.descriptor) return false;
  const written = text.slice(value!.start, value!.end);
  if (written.includes("$") || written.includes("`")) return false;
  return placeOf(resolveTarget(cwd, redirection!.word.value), projects)?.kind === "permit";
}
