/** The metadata lines a task's description begins with (docs/spec/flow.md 12.1). */
import { isWorkflowId } from "../common/layout.ts";
import { ORIGINS, SCOPES, STEP_NAMES } from "../common/vocabulary.ts";

export interface TaskReport {
  valid: boolean;
  errors: string[];
  warnings: string[];
  /** What was read, by key. */
  metadata: Record<string, string>;
}

const KEYS = ["wf", "kind", "origin", "phase", "plan", "scope", "reason"] as const;
type Key = (typeof KEYS)[number];

const words = (text: string): readonly string[] => text.split(" ");

const KINDS = words("workflow agent remfix memory reverify research");
const CHOICES: Partial<Record<Key, readonly string[]>> = {
  kind: KINDS,
  origin: ORIGINS,
  phase: STEP_NAMES,
  scope: SCOPES,
};

const NOT_APPLICABLE = "N/A";

/** The kinds for which a key may not be missing; `always` for every kind. */
const REQUIRED: Readonly<Record<Key, "always" | readonly string[]>> = {
  wf: "always",
  kind: "always",
  origin: ["remfix"],
  phase: "always",
  plan: ["workflow", "agent", "reverify", "memory"],
  scope: [],
  reason: ["remfix", "research"],
};

/** The phases that a kind belongs to; other kinds may have any. */
const PHASES_OF: Readonly<Record<string, readonly string[]>> = {
  memory: ["memory-finalize"],
  research: STEP_NAMES.filter((phase) => phase.startsWith("research-")),
  reverify: ["re-verify"],
  workflow: ["build", "debug", "review", "plan"],
};

const SUBJECT = "CRAFTFLOW ";

/**
 * Check a task's description, and its subject where one is given. `workflowExists` is asked for an id of the right form
 * only. Linear in the description.
 */
export function checkTask(
  description: string,
  subject: string | undefined,
  workflowExists: (wf: string) => boolean,
): TaskReport {
  const errors: string[] = [];
  const warnings: string[] = [];
  const metadata = readMetadata(description, errors, warnings);
  const wf = metadata.get("wf");
  const kind = metadata.get("kind");
  for (const key of KEYS) {
    const value = metadata.get(key);
    const required = isRequired(key, kind);
    if (value === undefined) {
      if (required) errors.push(`${key}: missing${need(key, kind)}`);
    } else if (key === "reason" && required && value === NOT_APPLICABLE) {
      errors.push(`reason: ${NOT_APPLICABLE} is no reason on kind ${kind}; give a short text`);
    } else if (key === "wf") checkId(value, errors);
    else checkChoice(key, value, errors);
  }
  const missing = KEYS.filter((key) => !metadata.has(key));
  if (missing.length > 0) {
    warnings.push(`the task hook wants all seven keys; missing ${missing.join(", ")}`);
  }
  if (subject !== undefined && !subject.startsWith(SUBJECT)) {
    warnings.push(`the subject should start with '${SUBJECT}'`);
  }
  const phase = metadata.get("phase");
  const fitting = kind !== undefined && Object.hasOwn(PHASES_OF, kind) ? PHASES_OF[kind]! : undefined;
  if (fitting !== undefined && phase !== undefined && !fitting.includes(phase)) {
    warnings.push(`kind ${kind} does not belong to phase ${phase}; expected ${fitting.join(", ")}`);
  }
  if (wf !== undefined && isWorkflowId(wf) && wf !== PENDING && !workflowExists(wf)) {
    warnings.push(`no artifact for workflow ${wf}`);
  }
  const read = Object.fromEntries(
    KEYS.flatMap((key) => (metadata.has(key) ? [[key, metadata.get(key)!]] : [])),
  );
  return { valid: errors.length === 0, errors, warnings, metadata: read };
}

/** What a task made before its workflow's id was known has in its place. */
const PENDING = "PENDING_SELF";

function checkId(value: string, errors: string[]): void {
  if (value === PENDING) errors.push(`wf: ${PENDING} is a placeholder; give the workflow's id`);
  else if (!isWorkflowId(value)) errors.push(`wf: '${value}' is not a workflow id`);
}

function checkChoice(key: Key, value: string, errors: string[]): void {
  const choices = CHOICES[key];
  if (choices !== undefined && !choices.includes(value)) {
    errors.push(`${key}: unknown value '${value}'; expected one of ${choices.join(", ")}`);
  }
}

function isRequired(key: Key, kind: string | undefined): boolean {
  const kinds = REQUIRED[key];
  return kinds === "always" || (kind !== undefined && kinds.includes(kind));
}

function need(key: Key, kind: string | undefined): string {
  return REQUIRED[key] === "always" ? "" : `; required on kind ${kind}`;
}

/** The values by key, of the lines up to the first blank one; a key without a value counts as missing. */
function readMetadata(description: string, errors: string[], warnings: string[]): Map<Key, string> {
  const metadata = new Map<Key, string>();
  const refused = new Set<Key>();
  for (const [index, line] of metadataLines(description).entries()) {
    const colon = line.indexOf(":");
    const key = KEYS.find((known) => known === line.slice(0, Math.max(colon, 0)));
    if (key === undefined) {
      if (index === 0) errors.push("the description does not begin with metadata lines key:value");
      else warnings.push(`line ${index + 1} among the metadata is none of ${KEYS.join(", ")}`);
      continue;
    }
    const value = line.slice(colon + 1).trim();
    if (value === "") continue;
    const before = metadata.get(key);
    if (before === undefined) metadata.set(key, value);
    else if (before !== value && !refused.has(key)) {
      refused.add(key);
      errors.push(`${key}: given twice with different values, '${before}' and '${value}'`);
    }
  }
  return metadata;
}

/** The lines up to the first blank one. */
function metadataLines(description: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < description.length; ) {
    const newline = description.indexOf("\n", start);
    const end = newline === -1 ? description.length : newline;
    const line = description.slice(start, end);
    if (line.trim() === "") break;
    lines.push(line);
    start = end + 1;
  }
  return lines;
}
