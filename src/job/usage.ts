import type { UsageErrorFormat, UsageProblem } from "../kernel/call/command.ts";
import { EXIT, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";

/** The `usage:` line of each verb (docs/spec/jobs.md 2.1). */
export const USAGE = {
  start:
    "jig job start [--skill S] [--run-id R] [--label L] [--input-digest D] [--result-path FILE] [--no-sweep] [--anyway] " +
    "[--on ENGINE] [--engine-arg=ARG]... [--remote-cwd DIR] [--remote-jig PATH] " +
    "[--idle-secs N] [--hard-secs N] [--log-max-bytes N] [--result-max-bytes N] [--json] -- ARGV...",
  status: "jig job status [--skill S] [--json [--details]] REF...",
  wait:
    "jig job wait [--skill S] [--max-secs N] [--deadline-secs N] [--deadline-grace-secs N] [--json] " +
    "[--no-progress] REF...",
  result: "jig job result [--skill S] [REF] [--path FILE]",
  reap: "jig job reap [--skill S] [--abandon] REF...",
  list: "jig job list [--skill S]... [--run-id R]... [--label L]... [--state ST[,ST...]]... [--json] [--no-header]",
  logs: "jig job logs [--skill S] [-f|--follow] [--tail N | --all] [--max-secs N] [--raw] REF",
  root: "jig job root [--json]",
} as const;

export type Verb = keyof typeof USAGE;

/** A value only the verb can judge: the usage line and the error line, exit 2. */
export function usageError(
  host: Pick<Host, "prefix" | "invokedAs">,
  verb: Verb,
  message: string,
): UsageError {
  return new UsageError(usageText(host.prefix, verb, message, host.invokedAs), { verbatim: true });
}

/** What the parser found wrong with the words, in the same form. */
export const formatUsageError: UsageErrorFormat = (problem, synopsis, prefix, invokedAs) => {
  const verb = problem.command.split(" ")[1];
  const isVerb = verb !== undefined && Object.hasOwn(USAGE, verb);
  const stderr = isVerb
    ? usageText(prefix, verb as Verb, deadlineProblem(problem) ?? problem.message, invokedAs)
    : `usage: ${synopsis}\n${prefix}error: ${problem.message}\n`;
  return { stderr, exitCode: EXIT.usage };
};

/** Upstream's words for a bad deadline (docs/spec/jobs.md 2.4). */
function deadlineProblem({ kind, flag, word }: UsageProblem): string | undefined {
  if (flag !== "--deadline-secs" && flag !== "--deadline-grace-secs") return undefined;
  return kind === "not-a-number"
    ? `argument ${flag}: not a number of seconds: '${word}'`
    : `argument ${flag}: must be a finite, nonnegative number of seconds: '${word}'`;
}

function usageText(prefix: string, verb: Verb, message: string, invokedAs: string | undefined): string {
  // Under upstream's name both are required, as upstream has them.
  const usage =
    invokedAs === undefined
      ? USAGE[verb]
      : USAGE[verb].replace("[--skill S] [--run-id R] [--label", "--skill S --run-id R [--label");
  return `usage: ${usage}\n${prefix}error: ${message}\n`;
}
