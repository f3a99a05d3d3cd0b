import type { UsageErrorFormat } from "../kernel/call/command.ts";
import { EXIT } from "../kernel/call/errors.ts";
import { elevationError, elevationLine } from "./report.ts";

/** The flags of a call after parsing; the form flags stand in for verbs (docs/spec/elevate.md section 1). */
export interface ElevateFlags {
  "emit-adapter": boolean;
  start: boolean;
  resolve: boolean;
  verdict: boolean;
  skill: string | undefined;
  "run-id": string | undefined;
  "hard-secs": number | undefined;
  key: string | undefined;
  intent: string | undefined;
  carrier: string | undefined;
  headless: boolean;
  "session-model": string | undefined;
  retried: boolean;
  json: boolean;
}

export type Form = "worker" | "emit-adapter" | "start" | "resolve" | "verdict";

const FORM_FLAGS = ["emit-adapter", "start", "resolve", "verdict"] as const;

interface Shape {
  /** Most positionals. */
  words: number;
  flags: readonly (keyof ElevateFlags)[];
  required: readonly (keyof ElevateFlags)[];
}

const SHAPES: Record<Form, Shape> = {
  worker: { words: 3, flags: [], required: [] },
  "emit-adapter": { words: 2, flags: [], required: [] },
  start: { words: 3, flags: ["skill", "run-id", "hard-secs", "json"], required: ["skill", "run-id"] },
  resolve: {
    words: 0,
    flags: ["key", "intent", "carrier", "headless", "session-model", "json"],
    required: ["key"],
  },
  verdict: { words: 1, flags: ["skill", "retried", "json"], required: [] },
};

/**
 * Which form a call has; `given` are its words in order. Throws (exit 2) for a form flag that is not the first word, and
 * for flags or words that do not belong to the form.
 */
export function formOf(flags: ElevateFlags, words: readonly string[], given: readonly string[]): Form {
  const asked = FORM_FLAGS.filter((name) => flags[name]);
  if (asked.length > 1) throw usage(`--${asked[0]} and --${asked[1]} cannot be combined`);
  if (asked[0] !== undefined && given[0] !== `--${asked[0]}`) {
    throw usage(`--${asked[0]} must be the first argument`);
  }
  const form: Form = asked[0] ?? "worker";
  const shape = SHAPES[form];
  const where = form === "worker" ? "the worker form" : `--${form}`;
  for (const [name, value] of Object.entries(flags) as [keyof ElevateFlags, unknown][]) {
    const given = value !== undefined && value !== false;
    if (given && name !== form && !shape.flags.includes(name)) {
      throw usage(`--${name} does not belong to ${where}`);
    }
  }
  for (const name of shape.required) {
    if (flags[name] === undefined) throw usage(`${where} needs --${name}`);
  }
  if (words.length > shape.words) throw usage(`unexpected argument '${words[shape.words]}' for ${where}`);
  return form;
}

/** A usage error only this room can see, exit 2. */
export function usage(message: string) {
  return elevationError(`${message}; see jig elevate --help`, EXIT.usage);
}

/** What the parser found wrong. A word that looks like a flag may have been meant as the model. */
export const formatUsageError: UsageErrorFormat = (problem) => {
  const { kind, word = "", message } = problem;
  const model = kind === "unknown-flag" && !word.startsWith("--");
  const text = model ? `invalid model: '${word}' (${message})` : message;
  return { stderr: elevationLine(`${text}; see jig elevate --help`), exitCode: EXIT.usage };
};
