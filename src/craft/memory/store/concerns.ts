/** What the memory store knows about, as a table (docs/spec/craft-run.md 5.2). */
import { hasParentStep, isAbsoluteAnywhere, isHomeRooted } from "../../common/repo-path.ts";

/** The five concerns, in the order of the store. */
export const CONCERNS = ["toolchain", "gate-cmd", "validation-tool", "findings", "part-sizing"] as const;
export type Concern = (typeof CONCERNS)[number];

export type Scalar = string | number | boolean;
export type Payload = Readonly<Record<string, Scalar>>;

interface ConcernRule {
  /** In the order they are written. */
  fields: readonly string[];
  /** The fields that tell one entry from another. */
  key: readonly string[];
  isValid(payload: Payload): boolean;
  /** Whether what was seen now replaces what was stored. */
  improves(stored: Payload, seen: Payload): boolean;
}

const SEVERITIES = ["low", "medium", "high", "critical"];

const filled = (payload: Payload, ...fields: string[]) =>
  fields.every((field) => typeof payload[field] === "string" && payload[field].trim() !== "");

const differs = (field: string) => (stored: Payload, seen: Payload) => stored[field] !== seen[field];

const rank = ({ severity }: Payload) => SEVERITIES.indexOf(String(severity));

const RULES: Readonly<Record<Concern, ConcernRule>> = {
  toolchain: {
    fields: ["ecosystem", "lockfileFingerprint"],
    key: ["ecosystem"],
    isValid: (payload) => filled(payload, "ecosystem", "lockfileFingerprint"),
    improves: differs("lockfileFingerprint"),
  },
  "gate-cmd": {
    fields: ["phase", "command"],
    key: ["phase"],
    isValid: (payload) => filled(payload, "phase", "command") && isBareCommand(String(payload["command"])),
    improves: differs("command"),
  },
  "validation-tool": {
    fields: ["id", "configFingerprint"],
    key: ["id"],
    isValid: (payload) => filled(payload, "id", "configFingerprint"),
    improves: differs("configFingerprint"),
  },
  findings: {
    fields: ["file", "severity", "pattern"],
    key: ["file", "pattern"],
    isValid: (payload) =>
      filled(payload, "file", "pattern") &&
      isRepositoryPath(String(payload["file"])) &&
      typeof payload["severity"] === "string" &&
      SEVERITIES.includes(payload["severity"]),
    improves: (stored, seen) => rank(seen) > rank(stored),
  },
  "part-sizing": {
    fields: ["size", "outcome"],
    key: ["size"],
    isValid: () => true,
    improves: differs("outcome"),
  },
};

export function ruleOf(concern: Concern): ConcernRule {
  return RULES[concern];
}

/** A command without assignments before it: neither `NAME=value` nor `export`. */
function isBareCommand(command: string): boolean {
  return !/^\s*(?:[A-Za-z_][A-Za-z0-9_]*=|export\s)/.test(command);
}

/** Whether a path is one inside a repository, by its text. */
export function isRepositoryPath(path: string): boolean {
  return !isAbsoluteAnywhere(path) && !isHomeRooted(path) && !path.includes("$HOME") && !hasParentStep(path);
}

/** The same text for the same entry, however blanks and line breaks were written. */
export function keyOf(concern: Concern, payload: Payload): string {
  return ruleOf(concern)
    .key.map((field) => foldText(String(payload[field] ?? "")).trim())
    .join("\n");
}

/** A text on one line: tabs and line breaks are one blank, other control characters are gone. */
export function foldText(text: string): string {
  return text.replaceAll(/[\t\n\r]+/g, " ").replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "");
}

/**
 * The key fields that a merge key of the ledger stands for (5.6): the whole text, or of a finding the file and what follows
 * the first blanks. Undefined when a part is empty.
 */
export function payloadOfKey(concern: Concern, text: string): Payload | undefined {
  const [first, second] = ruleOf(concern).key;
  const key = text.trim();
  if (second === undefined) return key === "" ? undefined : { [first!]: key };
  const parts = /^(\S+)\s+(\S.*)$/s.exec(key);
  return parts === null ? undefined : { [first!]: parts[1]!, [second]: parts[2]! };
}
