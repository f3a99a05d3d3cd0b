/** Whether a value is what a field of the artifact may hold (docs/spec/flow.md 4). */
import { type JsonValue, LosslessNumber } from "../common/lossless-json.ts";
import { FIELDS, type Kind } from "./fields.ts";

export interface KindProblem {
  path: string;
  /** `enum`: a value that is not among those of the page; kept when it is read, refused when it is written. */
  what: "type" | "enum" | "range";
  /** What was found and what was expected: `"sideways" is none of direct, execution_plan, decision_rfc`. */
  message: string;
}

/** Everything in a value that its kind does not allow. */
export function problemsOf(kind: Kind, value: JsonValue, path: string): KindProblem[] {
  if (value === null && "nullable" in kind && kind.nullable) return [];
  switch (kind.is) {
    case "string":
      if (typeof value !== "string") return [wrongType(path, value, "a string", kind)];
      if (kind.oneOf === undefined || kind.oneOf.includes(value)) return [];
      return [notAmong(path, value, kind.oneOf)];
    case "integer":
    case "number":
      return numberProblems(kind, value, path);
    case "boolean":
      return typeof value === "boolean" ? [] : [wrongType(path, value, "true or false", kind)];
    case "answer":
      return answerProblems(kind.words ?? [], value, path);
    case "array":
      return arrayProblems(kind, value, path);
    case "object":
      return objectProblems(kind, value, path);
    case "gate":
      if (value === null || typeof value === "string" || value instanceof Map) return [];
      return [wrongType(path, value, "a gate's name, an object or null", kind)];
  }
}

function numberProblems(
  kind: Extract<Kind, { is: "integer" | "number" }>,
  value: JsonValue,
  path: string,
): KindProblem[] {
  const number = value instanceof LosslessNumber ? value.valueOf() : undefined;
  if (number === undefined || (kind.is === "integer" && !Number.isSafeInteger(number))) {
    return [wrongType(path, value, kind.is === "integer" ? "a whole number" : "a number", kind)];
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = kind;
  if (number >= min && number <= max) return [];
  const bounds = [
    kind.min === undefined ? [] : [`at least ${min}`],
    kind.max === undefined ? [] : [`at most ${max}`],
  ];
  return [
    { path, what: "range", message: `${number} is out of range: expected ${bounds.flat().join(" and ")}` },
  ];
}

const ANSWERS = ["unknown", "true", "false"];

function answerProblems(words: readonly string[], value: JsonValue, path: string): KindProblem[] {
  if (typeof value === "boolean") return [];
  const expected = [...ANSWERS, ...words];
  if (typeof value === "string") return expected.includes(value) ? [] : [notAmong(path, value, expected)];
  return [{ path, what: "type", message: `is ${typeName(value)}: expected true, false or "unknown"` }];
}

function arrayProblems(kind: Extract<Kind, { is: "array" }>, value: JsonValue, path: string): KindProblem[] {
  if (!Array.isArray(value)) return [wrongType(path, value, "a list", kind)];
  const { of } = kind;
  if (of === undefined) return [];
  const fits = (item: JsonValue) => (of === "string" ? typeof item === "string" : item instanceof Map);
  return value.flatMap((item, index) =>
    fits(item)
      ? []
      : [wrongType(`${path}.${index}`, item, of === "string" ? "a string" : "an object", undefined)],
  );
}

function objectProblems(
  kind: Extract<Kind, { is: "object" }>,
  value: JsonValue,
  path: string,
): KindProblem[] {
  if (!(value instanceof Map)) return [wrongType(path, value, "an object", kind)];
  return [...value].flatMap(([key, member]) => {
    const of = memberKind(kind, key);
    return of === undefined ? [] : problemsOf(of, member, `${path}.${key}`);
  });
}

function memberKind({ fields = {}, each }: Extract<Kind, { is: "object" }>, key: string): Kind | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : each;
}

function wrongType(path: string, value: JsonValue, expected: string, kind: Kind | undefined): KindProblem {
  const orNull = kind !== undefined && "nullable" in kind && kind.nullable ? " or null" : "";
  const among = kind?.is === "string" && kind.oneOf ? ` (${kind.oneOf.join(", ")})` : "";
  return { path, what: "type", message: `is ${typeName(value)}: expected ${expected}${among}${orNull}` };
}

function notAmong(path: string, value: string, allowed: readonly string[]): KindProblem {
  return { path, what: "enum", message: `${JSON.stringify(value)} is none of ${allowed.join(", ")}` };
}

export function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Map) return "an object";
  if (value instanceof LosslessNumber) return `the number ${value.text}`;
  return typeof value === "string" ? "a string" : String(value);
}

/** What the page says of the value at a path; undefined where it says nothing. */
export function kindAt(path: readonly string[]): Kind | undefined {
  const [name, ...rest] = path as [string, ...string[]];
  let kind = Object.hasOwn(FIELDS, name) ? FIELDS[name]!.kind : undefined;
  for (const key of rest) {
    if (kind?.is === "object") kind = memberKind(kind, key);
    else if (kind?.is === "array") kind = itemKind(kind);
    else return undefined;
  }
  return kind;
}

function itemKind({ of }: Extract<Kind, { is: "array" }>): Kind | undefined {
  return of === undefined ? undefined : { is: of };
}

/** Paths of what may only grow, or only become true, and would not by this change. A member that goes counts as zero. */
export function reversalsOf(
  kind: Kind | undefined,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
): string[] {
  if (kind === undefined || before === undefined) return [];
  if (kind.is === "integer" && kind.neverDecreases) {
    const [from, to] = [before, after].map((value) =>
      value instanceof LosslessNumber ? value.valueOf() : 0,
    );
    return to! < from! ? [path] : [];
  }
  if (kind.is === "boolean" && kind.neverReverts) return before === true && after !== true ? [path] : [];
  if (kind.is !== "object" || !(before instanceof Map)) return [];
  return [...before].flatMap(([key, member]) =>
    reversalsOf(
      memberKind(kind, key),
      member,
      after instanceof Map ? after.get(key) : undefined,
      `${path}.${key}`,
    ),
  );
}
