import type { Command, Group } from "../kernel/command.ts";
import { EXIT } from "../kernel/errors.ts";
import type { ParseFailure } from "./parse.ts";
import { complain, printText, type Sink } from "./print.ts";
import { synopsis } from "./synopsis.ts";

/** Say why words do not fit their command, in the form its room has; gives the exit code. */
export async function reportUsage(
  target: Command | Group,
  failure: ParseFailure,
  prefix: string,
  sink: Sink,
): Promise<number> {
  const { problem } = failure;
  const verb = "verbs" in target ? verbNamed(target, problem.command) : target;
  const format = verb?.usageError ?? target.usageError;
  if (format !== undefined) {
    const { stderr, stdout, exitCode } = format(problem, synopsis(verb ?? target), prefix);
    complain(sink, stderr);
    if (stdout !== undefined) printText(stdout, sink, prefix);
    return exitCode;
  }
  complain(sink, `${prefix}${problem.message}\nhint: ${problem.hint ?? `see jig ${problem.command} --help`}`);
  return EXIT.usage;
}

function verbNamed(group: Group, name: string): Command | undefined {
  return Object.values(group.verbs).find((verb) => verb.name === name);
}
