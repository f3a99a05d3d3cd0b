import { EXIT } from "../../kernel/call/errors.ts";
import type { ParseFailure } from "../parse/parse.ts";
import { habit, type Reached } from "../parse/reach.ts";
import { complain, type Sink } from "../print/print.ts";
import { synopsis } from "./synopsis.ts";

/** Say why words do not fit the place they reach, in the form it has; gives the exit code. */
export function reportUsage(
  reached: Reached,
  { problem }: ParseFailure,
  prefix: string,
  sink: Sink,
  invokedAs: string | undefined,
): number {
  const format = habit(reached, "usageError");
  if (format === undefined) {
    complain(sink, `${prefix}${problem.message}\nhint: see jig ${problem.command} --help`);
    return EXIT.usage;
  }
  const { stderr, exitCode } = format(problem, synopsis(reached.target), prefix, invokedAs);
  complain(sink, stderr);
  return exitCode;
}
