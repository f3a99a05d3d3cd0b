import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { isObject } from "../../kernel/text/json.ts";
import { yamlText } from "../../kernel/yaml/yaml-writer.ts";
import { failure, reasonOf } from "../common/fail.ts";
import { absolutePath, readPayload } from "../common/input.ts";

const NAME = "init-emit";

/** What a person chose for a manifest; every key is optional and nothing is judged here. */
export type Answers = Readonly<Record<string, unknown>>;

/** Write the manifest that answers describe (docs/spec/craft-engine.md 14). */
export async function initEmit(
  host: Host,
  options: { answers: string | undefined; from: string | undefined; out: string | undefined },
): Promise<Outcome<{ path: string }>> {
  if (options.out === undefined || options.out === "") {
    throw failure(NAME, "usage: init-emit ANSWERS OUT (an empty ANSWERS reads standard input)", 1);
  }
  const source = { from: options.from, positional: options.answers };
  const text = await readPayload(host, NAME, source, { exitCode: 1 });
  const manifest = await manifestText(parseAnswers(NAME, text));
  const path = absolutePath(host, options.out);
  try {
    writeFileAtomic(path, manifest);
  } catch (error) {
    throw failure(NAME, `cannot write ${path}: ${reasonOf(error)}`, 1);
  }
  return { data: { path }, text: "" };
}

/** Answers as an object; anything else is the verb's failure. */
export function parseAnswers(verb: string, text: string): Answers {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw failure(verb, `malformed answers JSON: ${(error as Error).message}`, 1);
  }
  if (isObject(value)) return value as Answers;
  throw failure(verb, "answers JSON must be a non-null object", 1);
}

/** A manifest's whole text. */
export async function manifestText(answers: Answers): Promise<string> {
  const matter = manifestOf(answers);
  const yaml = Object.keys(matter).length === 0 ? "{}\n" : await yamlText(matter);
  return `---\n${yaml}---\n\n# How this repository is delivered\n\nWhat stands above decides how \`jig craft\` runs; \`jig craft explain\` shows the result.\n`;
}

/** Fields of an answer that is a map by phase id, and what the manifest calls them there. */
const PHASE_FIELDS: readonly (readonly [answer: string, field: string])[] = [
  ["execution", "execution"],
  ["harness", "harness"],
  ["phaseContext", "context"],
  ["override", "override"],
  ["role", "role"],
  ["procedure", "procedure"],
];

/** The manifest's mapping in its fixed key order, without empty answers. */
export function manifestOf(answers: Answers): Record<string, unknown> {
  const gate = isObject(answers["gate"]) ? answers["gate"] : {};
  return withoutEmpty({
    pipeline: withoutEmpty(pick(answers, ["skip", "profile", "insert"])),
    models: answers["models"],
    gates: withoutEmpty(pick(gate, ["part", "phase"])),
    phases: phasesOf(answers),
    ...pick(answers, ["backlog", "memory", "policy", "context"]),
    paths: withoutEmpty({ dod: answers["dod"] }),
  });
}

function phasesOf(answers: Answers): Record<string, unknown> {
  const phases: Record<string, Record<string, unknown>> = Object.create(null);
  for (const [answer, field] of PHASE_FIELDS) {
    const byPhase = answers[answer];
    if (!isObject(byPhase)) continue;
    for (const [id, value] of Object.entries(byPhase)) {
      if (isEmpty(value)) continue;
      phases[id] ??= {};
      phases[id][field] = value;
    }
  }
  return Object.fromEntries(Object.entries(phases));
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]));
}

function withoutEmpty(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
