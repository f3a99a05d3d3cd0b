import type { Command, Group } from "../../kernel/call/command.ts";
import { EXIT } from "../../kernel/call/errors.ts";
import { synopsis } from "../help/synopsis.ts";
import { complain, printText, type Sink } from "../print/print.ts";
import type { ParseFailure } from "./parse.ts";

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
