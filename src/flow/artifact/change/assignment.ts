/** `PATH=JSON` and `PATH+=JSON` (docs/spec/flow.md 6.4): reading them, and what they may do to an artifact. */
import { UsageError } from "../../../kernel/call/errors.ts";
import { printable } from "../../../kernel/text/printable.ts";
import {
  type JsonMap,
  JsonSyntaxError,
  type JsonValue,
  parseLossless,
  sameJson,
} from "../../common/lossless-json.ts";
import { FIELDS } from "../fields.ts";
import { type KindProblem, kindAt, problemsOf, reversalsOf, typeName } from "../kinds.ts";
import { type Artifact, fieldAt, valueAt } from "../read.ts";

export interface Assignment {
  path: readonly string[];
  /** `append`: to an array. */
  how: "replace" | "append";
  value: JsonValue;
}

/** The halves of a word, before its value is read. Throws `UsageError`. */
export function splitAssignment(word: string): Omit<Assignment, "value"> & { text: string } {
  const at = word.indexOf("=");
  const how = word[at - 1] === "+" ? "append" : "replace";
  const path = word.slice(0, how === "append" ? at - 1 : at).split(".");
  if (at < 1 || path.some((key) => key === "")) {
    throw new UsageError(
      `${printable(word)}: expected PATH=JSON or PATH+=JSON, such as intent.goal='"login"'`,
    );
  }
  return { path, how, text: word.slice(at + 1) };
}

/** The JSON of an assignment. Throws `UsageError` with line and column. */
export function parseValue(path: readonly string[], text: string): JsonValue {
  try {
    return parseLossless(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const where = `line ${error.line}, column ${error.column}`;
    throw new UsageError(`${nameOf(path)}: the value is not JSON (${where}: ${error.message})`, {
      hint: "a string is quoted inside the shell's quotes, '\"text\"', or given with --string",
    });
  }
}

export interface Allowances {
  /** A top-level key that the page does not name may be made. */
  create: boolean;
  /** Keys of other commands may be set. */
  owned: boolean;
}

/** A key that belongs to a command although its parent does not. */
const OWNED_MEMBERS: readonly (readonly [path: string, command: string])[] = [
  ["capabilities.task_tools_available", "capability"],
];

/** Apply all assignments in place. Throws `UsageError` for what is not allowed; the artifact is then to be dropped. */
export function applyAssignments(
  artifact: Artifact,
  assignments: readonly Assignment[],
  allowances: Allowances,
): void {
  for (const assignment of assignments) {
    refuseForeign(artifact, assignment, allowances);
    const members = OWNED_MEMBERS.map(([path]) => valueAt(artifact, path));
    assign(artifact, assignment);
    if (allowances.owned) continue;
    for (const [index, [path, command]] of OWNED_MEMBERS.entries()) {
      const [before, after] = [members[index], valueAt(artifact, path)];
      if (!isSame(before, after)) throw owned(path, command);
    }
  }
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameJson(a, b);
}

function owned(path: string, command: string): UsageError {
  return new UsageError(`${path} belongs to jig flow ${command}`, {
    hint: `use that command, or --owned to set it all the same`,
  });
}

function refuseForeign(
  artifact: Artifact,
  { path, how }: Assignment,
  { create, owned: mayOwned }: Allowances,
) {
  const name = path[0]!;
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field === undefined) {
    if (create || artifact.has(name)) return;
    throw new UsageError(`${nameOf(path)}: the artifact has no key ${printable(name)}`, {
      hint: "--create makes it",
    });
  }
  if (field.immutable)
    throw new UsageError(`${name} cannot be changed: it is written once, or by every change`);
  if (field.appendOnly) {
    throw new UsageError(
      `${name} is only ever appended to${how === "append" ? ", by another command" : ""}`,
      {
        hint:
          name === "remediation_history"
            ? "jig flow remfix, or jig flow history --remediation"
            : "jig flow history",
      },
    );
  }
  if (field.owner !== undefined && !mayOwned) throw owned(name, field.owner);
}

function assign(artifact: Artifact, { path, how, value }: Assignment): void {
  const name = path[0]!;
  // A field that an older artifact does not have begins as in a new one.
  if (!artifact.has(name) && Object.hasOwn(FIELDS, name) && FIELDS[name]!.init !== undefined) {
    artifact.set(name, fieldAt(artifact, name));
  }
  makeOptional(artifact, path.slice(0, -1));
  const before = valueAt(artifact, path.join("."));
  const after = how === "append" ? appended(path, before, value) : value;
  refuseProblems(path, how === "append" ? appendedProblems(path, value) : problemsAt(path, value));
  const reversed = reversalsOf(kindAt(path), before, after, path.join("."));
  if (reversed.length > 0) {
    throw new UsageError(`${printable(reversed[0]!)} never goes back`, {
      hint: `it is ${shown(valueAt(artifact, reversed[0]!))}`,
    });
  }
  put(artifact, path, after);
}

/** An object inside a field that the page calls optional, such as `telemetry.effort`, begins with its first member. */
function makeOptional(artifact: Artifact, path: readonly string[]): void {
  const name = path.at(-1);
  if (name === undefined || path.length < 2 || kindAt(path)?.is !== "object") return;
  const parent = valueAt(artifact, path.slice(0, -1).join("."));
  if (parent instanceof Map && !parent.has(name)) (parent as JsonMap).set(name, new Map());
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? "not there" : typeName(value);
}

function problemsAt(path: readonly string[], value: JsonValue): KindProblem[] {
  const kind = kindAt(path);
  return kind === undefined ? [] : problemsOf(kind, value, path.join("."));
}

/** Only what is added: what was there before stays as it is. */
function appendedProblems(path: readonly string[], value: JsonValue): KindProblem[] {
  return problemsAt(path, [value]);
}

function refuseProblems(path: readonly string[], problems: readonly KindProblem[]): void {
  const [problem] = problems;
  if (problem === undefined) return;
  const place = problem.path === path.join(".") ? nameOf(path) : printable(problem.path);
  throw new UsageError(`${place}: ${problem.message}`);
}

function appended(path: readonly string[], before: JsonValue | undefined, value: JsonValue): JsonValue[] {
  if (Array.isArray(before)) return [...before, value];
  throw new UsageError(
    `${nameOf(path)} is ${before === undefined ? "not there" : typeName(before)}: += needs a list`,
  );
}

/** Set the last key of a path whose parents are there. */
function put(artifact: Artifact, path: readonly string[], value: JsonValue): void {
  const last = path.at(-1)!;
  const parent = path.length === 1 ? artifact : valueAt(artifact, path.slice(0, -1).join("."));
  if (parent instanceof Map) (parent as JsonMap).set(last, value);
  else if (Array.isArray(parent) && isPlace(last, parent.length)) parent[Number(last)] = value;
  else {
    const what = parent === undefined ? "not there" : typeName(parent);
    const above = nameOf(path.slice(0, -1));
    throw new UsageError(`${nameOf(path)}: ${above} is ${what}, and has no place ${printable(last)}`, {
      hint: "the path leads through what is there; += appends to a list",
    });
  }
}

function isPlace(key: string, length: number): boolean {
  return /^\d{1,9}$/.test(key) && Number(key) < length;
}

const nameOf = (path: readonly string[]) => printable(path.join("."));
