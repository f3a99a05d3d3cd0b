/** What an agent has to do before an outward action (docs/spec/craft-engine.md 10.3). Nothing is done here. */
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isObject, type JsonObject } from "../../kernel/text/json.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure } from "../common/fail.ts";
import { documentOutcome } from "../common/result.ts";
import { ACTIONS, type Action, isOneOf, VERDICTS, type Verdict } from "../common/vocabulary.ts";
import { readResolution } from "../pipeline/resolve/read-resolution.ts";
import { ACTION_RULES } from "./actions.ts";
import type { Consultation } from "./schema.ts";

const NAME = "policy";

/** Floors of the engine: never actions, never consulted; no verdict reaches them. */
const FLOORS = ["never-commit-on-red", "validation-triage-gates-propose", "artifact-handoff"];

/** How a run is driven, and upstream's names for it. */
const BINDINGS: Readonly<Record<string, "interactive" | "headless">> = {
  interactive: "interactive",
  headless: "headless",
  claude: "interactive",
  pi: "headless",
};

export interface ConsultArgs {
  action: string;
  effective?: string | undefined;
  resolution?: string | undefined;
  binding?: string | undefined;
  preapproved: readonly string[];
}

/** `policy consult ACTION …`. Exit 0 for every adjudication. */
export async function consult(host: Host, args: ConsultArgs): Promise<Outcome<Consultation>> {
  const action = actionOf(args.action);
  const binding = bindingOf(args.binding);
  const preapproved = args.preapproved
    .flatMap((list) => list.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "")
    .map(actionOf);
  const effective = await effectiveOf(host, args);
  return documentOutcome(adjudicate(action, effective, binding, preapproved));
}

/** The verdict for one action and what follows from it: pure. */
export function adjudicate(
  action: Action,
  effective: Readonly<Partial<Record<Action, Verdict>>>,
  binding: "interactive" | "headless",
  preapproved: readonly Action[] = [],
): Consultation {
  const { standard, onRefuse, onDecline } = ACTION_RULES[action];
  const explicit = effective[action];
  const stated = explicit ?? standard;
  const approved = stated === "ask" && binding === "headless" && preapproved.includes(action);
  const verdict = approved ? "always" : stated;
  const source = approved ? "preapproved" : explicit === undefined ? "default" : "explicit";
  const surface = surfaceOf(verdict, binding);
  return { action, verdict, source, surface, onRefuse, onDecline, tokens: tokensOf(action, surface) };
}

function surfaceOf(verdict: Verdict, binding: "interactive" | "headless"): Consultation["surface"] {
  if (verdict === "always") return "proceed";
  if (verdict === "never") return "refuse";
  return binding === "interactive" ? "ask-then-proceed" : "degrade-to-blocker";
}

function tokensOf(action: Action, surface: Consultation["surface"]): Consultation["tokens"] {
  switch (surface) {
    case "proceed":
      return { done: `POLICY(always:${action})` };
    case "ask-then-proceed":
      return { approved: `POLICY(ask:${action}→approved)`, declined: `POLICY(ask:${action}→declined)` };
    case "refuse":
      return { refused: `POLICY(never:${action})` };
    case "degrade-to-blocker":
      return { degraded: `POLICY(degraded:${action})` };
  }
}

function actionOf(word: string): Action {
  if (isOneOf(ACTIONS, word)) return word;
  const shown = printable(word);
  if (FLOORS.includes(word))
    throw failure(NAME, `'${shown}' is an engine floor, not a policy action — it is never consulted`);
  const meant = word.length > 60 ? undefined : nearest(word, ACTIONS);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  throw failure(NAME, `unknown action '${shown}' — must be one of ${ACTIONS.join(", ")}${hint}`);
}

function bindingOf(word = "interactive"): "interactive" | "headless" {
  if (Object.hasOwn(BINDINGS, word)) return BINDINGS[word]!;
  throw failure(NAME, `unknown binding '${printable(word)}' — must be one of interactive, headless`);
}

async function effectiveOf(
  host: Host,
  { effective, resolution }: ConsultArgs,
): Promise<Partial<Record<Action, Verdict>>> {
  if ((effective === undefined) === (resolution === undefined))
    throw failure(NAME, "give one of --effective JSON and --resolution FILE");
  const value =
    effective === undefined ? (await readResolution(host, NAME, resolution!)).policy : objectIn(effective);
  return Object.fromEntries(
    Object.entries(value).map(([action, verdict]) => {
      if (isOneOf(VERDICTS, verdict)) return [actionOf(action), verdict];
      const shown = printable(String(verdict));
      throw failure(
        NAME,
        `unknown verdict '${shown}' for ${actionOf(action)} — must be one of ${VERDICTS.join(", ")}`,
      );
    }),
  );
}

function objectIn(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw failure(NAME, "--effective is not valid JSON");
  }
  if (isObject(value)) return value;
  throw failure(NAME, "--effective must be a JSON object of action to verdict");
}
