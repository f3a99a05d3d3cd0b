/** The contract an agent ends its answer with: a YAML block below a heading, read line by line (docs/spec/flow.md 12.2). */
import { trimEndOf } from "../../kernel/text/trim-end.ts";

export interface ContractReport {
  valid: boolean;
  errors: string[];
}

/** What was read of a contract: the fields of the top level, and their indented items. */
interface Contract {
  fields: Map<string, string>;
  items: Map<string, string[]>;
}

const HEADING = "### router contract (machine-readable)";

const STATUSES = (
  "COMPLETE PASS BLOCKED SKIPPED FAIL FIXED INVESTIGATING PLAN_CREATED DECISION_RFC_CREATED NEEDS_CLARIFICATION " +
  "PARTIAL DEGRADED UNAVAILABLE"
).split(" ");

const RESEARCHER = "STATUS SUMMARY FILE_PATH QUALITY_LEVEL BLOCKING";

/** What each kind of agent has to say. */
const REQUIRED: Readonly<Record<string, string>> = {
  "component-builder":
    "STATUS SUMMARY CONFIDENCE PHASE_ID PHASE_STATUS PHASE_EXIT_READY PROOF_STATUS TDD_RED_EXIT TDD_GREEN_EXIT " +
    "SCENARIOS BLOCKING REMEDIATION_NEEDED",
  planner:
    "STATUS SUMMARY PLAN_FILE PLAN_MODE CONFIDENCE GATE_PASSED OPEN_DECISIONS SCENARIOS BLOCKING REMEDIATION_NEEDED",
  "bug-investigator": "STATUS SUMMARY ROOT_CAUSE TDD_RED_EXIT TDD_GREEN_EXIT BLOCKING REMEDIATION_NEEDED",
  "doc-syncer": "STATUS SUMMARY IMPACT_LEVEL DOC_LAYERS_EVALUATED",
  "web-researcher": RESEARCHER,
  "github-researcher": RESEARCHER,
  "skill-author": "STATUS SUMMARY CANDIDATE_ID",
  verifier: "STATUS SCENARIOS BLOCKING REMEDIATION_NEEDED",
  reviewer: "STATUS BLOCKING REMEDIATION_NEEDED",
};

const GAPS = "GAP_CLASSIFICATION";
const GAP_TYPES = ["Missing", "Partial", "Contradicts", "Unrequested"];
const SEVERITIES = ["CRITICAL", "HIGH", "MEDIUM", "LOW"];

/** Check the contract in a text of an agent of this kind; a kind that is not known has to give its STATUS. Linear. */
export function checkContract(kind: string, text: string): ContractReport {
  const block = contractBlock(text);
  if (block === undefined) return { valid: false, errors: ["no Router Contract YAML block found"] };
  const { fields, items } = readContract(block);
  const required = (Object.hasOwn(REQUIRED, kind) ? REQUIRED[kind]! : "STATUS").split(" ");
  const errors = required
    .filter((field) => !fields.has(field))
    .map((field) => `missing required field: ${field}`);
  const status = fields.get("STATUS");
  if (status !== undefined && !STATUSES.includes(status)) {
    errors.push(`invalid STATUS: ${shown(status)}; expected one of ${STATUSES.join(", ")}`);
  }
  errors.push(...(items.get(GAPS) ?? []).flatMap(gapErrors));
  return { valid: errors.length === 0, errors };
}

/** The type is the first field of an item, the severity may stand anywhere in it. */
function gapErrors(item: string, index: number): string[] {
  const [type = ""] = item.split("|", 1);
  const words = new Set(item.toUpperCase().match(/[A-Z0-9_]+/g));
  const errors: string[] = [];
  if (!GAP_TYPES.some((known) => known.toLowerCase() === type.trim().toLowerCase())) {
    errors.push(
      `${GAPS}[${index}]: invalid type ${shown(type.trim())}; expected one of ${GAP_TYPES.join(", ")}`,
    );
  }
  if (!SEVERITIES.some((known) => words.has(known))) {
    errors.push(
      `${GAPS}[${index}]: no valid severity in ${shown(item)}; expected one of ${SEVERITIES.join(", ")}`,
    );
  }
  return errors;
}

const LONGEST_SHOWN = 80;

function shown(text: string): string {
  const characters = [...text.slice(0, LONGEST_SHOWN * 2)];
  return `'${characters.length > LONGEST_SHOWN ? `${characters.slice(0, LONGEST_SHOWN).join("")}…` : text}'`;
}

/** The lines of the first YAML block that follows a contract's heading, before any other heading. */
function contractBlock(text: string): string[] | undefined {
  const lines = text.split("\n").map((line) => trimEndOf(line, /[ \t\r]/));
  let below = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith("#")) {
      below = isContractHeading(line);
      continue;
    }
    const fence = below ? yamlFence(line) : undefined;
    if (fence === undefined) continue;
    const end = lines.findIndex((other, index) => index > at && closes(other, fence));
    // An answer that was cut off has no end; what it would have said is not known.
    return end === -1 ? undefined : lines.slice(at + 1, end);
  }
  return undefined;
}

function isContractHeading(line: string): boolean {
  return line.length < HEADING.length * 2 && line.toLowerCase().split(/\s+/).join(" ") === HEADING;
}

/** The fence marks a line opens a YAML block with. */
function yamlFence(line: string): string | undefined {
  const [, fence, language] = /^ {0,3}(`{3,}|~{3,})[ \t]*(\w+)/.exec(line) ?? [];
  return language?.toLowerCase() === "yaml" ? fence : undefined;
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === fence[0]!.repeat(mark.length);
}

function readContract(lines: readonly string[]): Contract {
  const contract: Contract = { fields: new Map(), items: new Map() };
  let field: string | undefined;
  for (const line of lines) {
    const [, key, value] = /^([A-Za-z_]\w*):(?=\s|$)(.*)$/.exec(line) ?? [];
    if (key !== undefined) {
      field = key;
      if (!contract.fields.has(key)) contract.fields.set(key, scalar(value!));
      continue;
    }
    const text = line.trimStart();
    if (text === "" || text.startsWith("#")) continue;
    // Neither a field nor below one.
    if (text.length === line.length) field = undefined;
    else if (field !== undefined && text.startsWith("- ")) {
      const items = contract.items.get(field) ?? [];
      items.push(scalar(text.slice(2)));
      contract.items.set(field, items);
    }
  }
  return contract;
}

/** A value without the quotes around it, or without the comment behind it. */
function scalar(text: string): string {
  const value = text.trim();
  if (value[0] === '"' || value[0] === "'") {
    const end = closingQuote(value);
    const rest = value.slice(end + 1).trimStart();
    return end > 0 && (rest === "" || rest.startsWith("#")) ? value.slice(1, end) : value;
  }
  const comment = /[ \t]#/.exec(value)?.index;
  return comment === undefined ? value : value.slice(0, comment).trimEnd();
}

/** Where the quote that a value begins with is closed; -1 when it is not. */
function closingQuote(value: string): number {
  const quote = value[0];
  for (let at = 1; at < value.length; at++) {
    if (quote === '"' && value[at] === "\\") at++;
    else if (quote === "'" && value.startsWith("''", at)) at++;
    else if (value[at] === quote) return at;
  }
  return -1;
}
