/** What may not get into a committed file (docs/spec/craft-run.md 5.5). */

import type { JsonObject } from "../../../kernel/text/json.ts";
import { hasParentStep, isAbsoluteAnywhere, isHomeRooted, repoRelative } from "../../common/repo-path.ts";
import { isOneOf } from "../../common/vocabulary.ts";
import { CONCERNS, type Concern, foldText, type Payload, ruleOf, type Scalar } from "../store/concerns.ts";
import { isScalar } from "../store/entry.ts";

const LONGEST_STRING = 1_000;

export type DropReason = "schema" | "path" | "secret" | "too long";

export type Guarded = { ok: true; concern: Concern; payload: Payload } | { ok: false; reason: DropReason };

/** Directories of this machine that no stored text may hold. */
export interface Private {
  root: string;
  home: string | undefined;
}

/** An observation as it may be stored: what can be made harmless is changed, what cannot be is dropped with a reason. */
export function guardObservation(concern: string, given: JsonObject, machine: Private): Guarded {
  const drop = (reason: DropReason): Guarded => ({ ok: false, reason });
  if (!isOneOf(CONCERNS, concern)) return drop("schema");
  const { fields, isValid } = ruleOf(concern);
  if (Object.keys(given).some((field) => !fields.includes(field))) return drop("schema");
  const payload: Record<string, Scalar> = {};
  for (const field of fields) {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    if (value === undefined) continue;
    if (!isScalar(value) || (typeof value === "number" && !Number.isFinite(value))) return drop("schema");
    payload[field] = typeof value === "string" ? foldText(value) : value;
  }
  const texts = () => Object.values(payload).filter((value) => typeof value === "string");
  if (texts().some((text) => text.length > LONGEST_STRING)) return drop("too long");
  if (concern === "gate-cmd" && typeof payload["command"] === "string") {
    const bare = withoutAssignments(payload["command"]);
    if (bare === undefined) return drop("schema");
    payload["command"] = bare;
  }
  if (concern === "findings" && typeof payload["file"] === "string") {
    const file = fileInside(payload["file"], machine.root);
    if (file === undefined) return drop("path");
    payload["file"] = file;
  }
  if (texts().some((text) => holdsPrivatePath(text, machine))) return drop("path");
  if (texts().some(looksSecret)) return drop("secret");
  return isValid(payload) ? { ok: true, concern, payload } : drop("schema");
}

/** A finding's file from the root; undefined when it lies elsewhere. Nothing is looked up on the disk. */
function fileInside(file: string, root: string): string | undefined {
  if (isHomeRooted(file) || file.includes("$HOME") || hasParentStep(file)) return undefined;
  return isAbsoluteAnywhere(file) ? repoRelative(root, file) : file;
}

const ASSIGNMENT = String.raw`[A-Za-z_][A-Za-z0-9_]*\+?=(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s;&|<>()'"\\${"`"}])*`;
const PREFIXES = [
  new RegExp(String.raw`^env(?:\s+(?:-i|--))*(?:\s+${ASSIGNMENT})+(?:\s*(?:;|&&)\s*|\s+|$)`),
  new RegExp(String.raw`^export(?:\s+${ASSIGNMENT})+\s*(?:;|&&|$)\s*`),
  new RegExp(String.raw`^${ASSIGNMENT}(?:\s*(?:;|&&)\s*|\s+|$)`),
];

/**
 * A command without the assignments before it, whose values may be secrets; undefined when nothing is left, or what is
 * left still begins with a part of one.
 */
export function withoutAssignments(command: string): string | undefined {
  let rest = command.trim();
  for (let before = ""; before !== rest; ) {
    before = rest;
    for (const prefix of PREFIXES) {
      const match = prefix.exec(rest);
      // What a shell computes may go on behind the blank that seems to end it.
      if (match?.[0].includes("${")) return undefined;
      if (match !== null) rest = rest.slice(match[0].length);
    }
  }
  return rest === "" || /^(?:["'()`;&|<>]|(?:env|export)\s.*=|[A-Za-z_][A-Za-z0-9_]*\+?=)/.test(rest)
    ? undefined
    : rest;
}

function holdsPrivatePath(text: string, { root, home }: Private): boolean {
  if ([root, home].some((path) => path !== undefined && path.length > 1 && text.includes(path))) return true;
  return /(?:\/home\/[^/\s]+\/|\/Users\/[^/\s]+\/|[A-Za-z]:[\\/]+Users[\\/]+[^\\/\s]+[\\/])/i.test(text);
}

const SECRETS = [
  /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/@:]{0,500}:[^\s/@]+@/i,
  /\bBearer\s+\S/i,
  /--?(?:token|password|passwd|secret|api-?key)(?:=|\s+)\S/i,
  /(?<![A-Za-z0-9])(?:ghp_|gho_|github_pat_|sk-|xox[a-z]|AKIA)[A-Za-z0-9_-]/,
  /-----BEGIN /,
];

/** Whether a text looks as if it held a secret. */
export function looksSecret(text: string): boolean {
  return SECRETS.some((secret) => secret.test(text));
}
