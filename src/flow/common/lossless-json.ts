/**
 * JSON that comes back as it was: keys keep their order, also those that look like integers, and numbers their spelling
 * (docs/spec/flow.md 1.7). Linear in the text. A key that stands twice is refused, since one of the two would be lost.
 */

/** A number as it was spelled. */
export class LosslessNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  valueOf(): number {
    return Number(this.text);
  }
}

export type JsonMap = Map<string, JsonValue>;
export type JsonValue = null | boolean | string | LosslessNumber | JsonValue[] | JsonMap;

/** Where a text is no JSON: line and column count from 1, the column in characters. */
export class JsonSyntaxError extends Error {
  readonly line: number;
  readonly column: number;

  constructor(message: string, text: string, at: number) {
    super(message);
    this.name = "JsonSyntaxError";
    const before = text.slice(0, at);
    this.line = before.split("\n").length;
    this.column = [...before.slice(before.lastIndexOf("\n") + 1)].length + 1;
  }
}

const DEEPEST = 500;

/** Throws `JsonSyntaxError`. */
export function parseLossless(text: string): JsonValue {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

const WORDS: readonly (readonly [string, JsonValue])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonValue {
    this.#blank();
    const first = this.#text[this.#at];
    if (first === undefined) throw this.#error("the text ends where a value was expected");
    if (first === '"') return this.#string();
    if (first === "{" || first === "[") {
      if (depth >= DEEPEST) throw this.#error(`nested more than ${DEEPEST} deep`);
      return first === "{" ? this.#object(depth + 1) : this.#array(depth + 1);
    }
    const number = this.#number();
    if (number !== undefined) return number;
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    throw this.#error("expected a value");
  }

  end(): void {
    this.#blank();
    if (this.#at < this.#text.length) throw this.#error("expected the end after the value");
  }

  #object(depth: number): JsonMap {
    const map: JsonMap = new Map();
    this.#at++;
    if (this.#take("}")) return map;
    for (;;) {
      this.#blank();
      if (this.#text[this.#at] !== '"') throw this.#error("expected a key in double quotes");
      const start = this.#at;
      const key = this.#string();
      if (map.has(key)) throw this.#error(`the key ${JSON.stringify(key)} stands twice in one object`, start);
      if (!this.#take(":")) throw this.#error("expected ':' after a key");
      map.set(key, this.value(depth));
      if (this.#take("}")) return map;
      if (!this.#take(",")) throw this.#error("expected ',' or '}'");
    }
  }

  #array(depth: number): JsonValue[] {
    const list: JsonValue[] = [];
    this.#at++;
    if (this.#take("]")) return list;
    for (;;) {
      list.push(this.value(depth));
      if (this.#take("]")) return list;
      if (!this.#take(",")) throw this.#error("expected ',' or ']'");
    }
  }

  /** A number in the one form JSON has; a loop, since the first pattern a process runs costs it two milliseconds. */
  #number(): LosslessNumber | undefined {
    const text = this.#text;
    const digits = (from: number) => {
      let at = from;
      while (isDigit(text.charCodeAt(at))) at++;
      return at;
    };
    const whole = text[this.#at] === "-" ? this.#at + 1 : this.#at;
    let end = text[whole] === "0" ? whole + 1 : digits(whole);
    if (end === whole) return undefined;
    if (text[end] === ".") end = atLeast(digits(end + 1), end + 1, end);
    if (text[end] === "e" || text[end] === "E") {
      const start = text[end + 1] === "+" || text[end + 1] === "-" ? end + 2 : end + 1;
      end = atLeast(digits(start), start, end);
    }
    const number = new LosslessNumber(text.slice(this.#at, end));
    this.#at = end;
    return number;
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; ; at++) {
      const code = this.#text.charCodeAt(at);
      if (Number.isNaN(code)) throw this.#error("a string is not closed", start);
      if (code === 0x22) {
        this.#at = at + 1;
        break;
      }
      if (code === 0x5c) at++;
      else if (code < 0x20) throw this.#error("a control character stands unescaped in a string", at);
    }
    const literal = this.#text.slice(start, this.#at);
    if (!literal.includes("\\")) return literal.slice(1, -1);
    try {
      return JSON.parse(literal) as string;
    } catch {
      throw this.#error("a string has an escape that JSON does not know", start);
    }
  }

  #blank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #take(character: string): boolean {
    this.#blank();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #error(message: string, at = this.#at): JsonSyntaxError {
    return new JsonSyntaxError(message, this.#text, at);
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** Where a part with digits ends; before it when it has none, which is then no part of the number. */
const atLeast = (end: number, start: number, without: number) => (end > start ? end : without);

/** Compact JSON on one line, or indented, without a final newline. */
export function writeLossless(value: JsonValue, indent = 0): string {
  const parts: string[] = [];
  write(value, parts, indent, 0);
  return parts.join("");
}

function write(value: JsonValue, parts: string[], indent: number, depth: number): void {
  if (value instanceof LosslessNumber) parts.push(value.text);
  else if (Array.isArray(value)) {
    writeItems(parts, "[]", indent, depth, value, (item) => write(item, parts, indent, depth + 1));
  } else if (value instanceof Map) {
    writeItems(parts, "{}", indent, depth, [...value], ([key, member]) => {
      parts.push(JSON.stringify(key), indent > 0 ? ": " : ":");
      write(member, parts, indent, depth + 1);
    });
  } else parts.push(JSON.stringify(value));
}

function writeItems<T>(
  parts: string[],
  brackets: string,
  indent: number,
  depth: number,
  items: readonly T[],
  each: (item: T) => void,
): void {
  parts.push(brackets[0]!);
  const line = indent > 0 && items.length > 0 ? `\n${" ".repeat(indent * (depth + 1))}` : "";
  items.forEach((item, index) => {
    parts.push(index === 0 ? line : `,${line}`);
    each(item);
  });
  if (line !== "") parts.push(`\n${" ".repeat(indent * depth)}`);
  parts.push(brackets[1]!);
}

/** A plain value of JavaScript (no `undefined`, no number that JSON does not have) as lossless JSON. */
export function fromPlain(value: unknown): JsonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof LosslessNumber) return value;
  if (typeof value === "number" && Number.isFinite(value)) return new LosslessNumber(String(value));
  if (Array.isArray(value)) return value.map(fromPlain);
  if (value instanceof Map) return value as JsonMap;
  if (typeof value === "object") {
    return new Map(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => [key, fromPlain(member)]),
    );
  }
  throw new TypeError(`not JSON: ${typeof value}`);
}

/** Lossless JSON as a plain value; keys that look like integers lose their place, numbers their spelling. */
export function toPlain(value: JsonValue): unknown {
  if (value instanceof LosslessNumber) return value.valueOf();
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map) {
    const object: Record<string, unknown> = {};
    for (const [key, member] of value) {
      // Assigning __proto__ would set the prototype instead.
      Object.defineProperty(object, key, {
        value: toPlain(member),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return object;
  }
  return value;
}

/** Whether two values are equal as JSON; the spelling of numbers does not matter, nor does the order of keys. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (a instanceof LosslessNumber && b instanceof LosslessNumber) return a.valueOf() === b.valueOf();
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]!));
  }
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && sameJson(item, b.get(key)!));
  }
  return a === b;
}
