/** Words that do not fit a command (docs/spec/flow.md 16): under an upstream name in the form its callers know. */
import type { UsageErrorFormat, UsageProblem } from "../../kernel/call/command.ts";
import { EXIT, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";

/** What the parser found wrong. Natively as everywhere in jig; under an upstream name `usage: …` comes first. */
export const usageErrors: UsageErrorFormat = (problem, synopsis, prefix, invokedAs) => ({
  stderr:
    invokedAs === undefined
      ? `${prefix}${problem.message}\nhint: see jig ${problem.command} --help\n`
      : upstreamText(invokedAs, prefix, wordsOf(problem), synopsis.replace(/^jig flow (?:[a-z-]+ )*/, "")),
  exitCode: EXIT.usage,
});

/** What only a verb can see, in the same form. `missing` names the flags, as `--request`. */
export function missingFlags(
  { prefix, invokedAs }: Pick<Host, "prefix" | "invokedAs">,
  missing: readonly string[],
  message: string,
): UsageError {
  if (invokedAs === undefined) return new UsageError(message);
  const text = upstreamText(
    invokedAs,
    prefix,
    required(missing),
    missing.map((flag) => `${flag} …`).join(" "),
  );
  return new UsageError(text, { verbatim: true });
}

function upstreamText(name: string, prefix: string, message: string, synopsis: string): string {
  return `usage: ${name} ${synopsis}\n${prefix}error: ${message}\n`;
}

function wordsOf(problem: UsageProblem): string {
  return problem.kind === "missing-flag" && problem.word !== undefined
    ? required([problem.word])
    : problem.message;
}

const required = (flags: readonly string[]) => `the following arguments are required: ${flags.join(", ")}`;

/** Refuse flags and words that do not belong to one action of a verb. Throws `UsageError`. */
export function refuseOthers(
  action: string,
  flags: object,
  known: readonly string[],
  words: readonly (string | undefined)[],
): void {
  for (const [name, value] of Object.entries(flags)) {
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
    if (isGiven && name !== "project" && name !== "json" && !known.includes(name)) {
      throw new UsageError(`${action} takes no --${name}`);
    }
  }
  const word = words.find((one) => one !== undefined);
  if (word !== undefined) throw new UsageError(`${action} takes no further argument: ${printable(word)}`);
}
