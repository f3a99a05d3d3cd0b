import type { UsageErrorFormat, UsageProblem } from "../../kernel/call/command.ts";
import { JigError, osReason } from "../../kernel/call/errors.ts";

/**
 * A failure under a verb's own prefix, which is the same natively and under a drop-in name
 * (docs/spec/craft-engine.md 1): `NAME: message`. Exit 2 unless given.
 */
export function failure(name: string, message: string, exitCode = 2): JigError {
  return new JigError(`${name}: ${message}`, { exitCode, verbatim: true });
}

/** Several whole lines as one failure; they carry their prefixes already. */
export function failureLines(lines: readonly string[], exitCode = 2): JigError {
  return new JigError(lines.join("\n"), { exitCode, verbatim: true });
}

/** What went wrong, in words without a stack: the message of ours, the system's reason for anything else. */
export function reasonOf(error: unknown): string {
  return error instanceof JigError ? error.message : osReason(error);
}

/**
 * Usage errors as the engine words them: `NAME: unknown option --x`, `NAME: option --x requires a non-flag value`.
 * `usage` prints instead when a needed word is missing.
 */
export function usageErrors(name: string, exitCode = 2, usage?: string): UsageErrorFormat {
  return (problem) => ({ stderr: `${describe(name, problem, usage)}\n`, exitCode });
}

function describe(name: string, problem: UsageProblem, usage: string | undefined): string {
  const missing = problem.kind === "missing-positional" || problem.kind === "missing-flag";
  if (missing && usage !== undefined) return usage;
  if (problem.kind === "unknown-flag") {
    const hint = /; did you mean .*$/.exec(problem.message)?.[0] ?? "";
    return `${name}: unknown option ${problem.word}${hint}`;
  }
  if (problem.kind === "missing-value") return `${name}: option ${problem.word} requires a non-flag value`;
  return `${name}: ${problem.message}`;
}
