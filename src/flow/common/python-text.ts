import { asciiJson } from "../../kernel/text/python-json.ts";
import { type JsonValue, LosslessNumber } from "./lossless-json.ts";

/**
 * Lossless JSON with the bytes of Python's `json.dumps`: `, ` and `: ` on one line, or indented, everything but printable
 * ASCII escaped. No final newline.
 */
export function pythonText(value: JsonValue, indent = 0): string {
  const parts: string[] = [];
  write(value, parts, indent, 0);
  return parts.join("");
}

function write(value: JsonValue, parts: string[], indent: number, depth: number): void {
  if (value instanceof LosslessNumber) {
    parts.push(value.text);
  } else if (Array.isArray(value)) {
    writeItems(parts, "[]", indent, depth, value, (item) => write(item, parts, indent, depth + 1));
  } else if (value instanceof Map) {
    writeItems(parts, "{}", indent, depth, [...value], ([key, member]) => {
      parts.push(asciiJson(key), ": ");
      write(member, parts, indent, depth + 1);
    });
  } else parts.push(asciiJson(value));
}

function writeItems<T>(
  parts: string[],
  brackets: string,
  indent: number,
  depth: number,
  items: readonly T[],
  each: (item: T) => void,
): void {
  const broken = indent > 0 && items.length > 0;
  const line = (level: number) => (broken ? `\n${" ".repeat(indent * level)}` : "");
  parts.push(brackets[0]!, line(depth + 1));
  items.forEach((item, index) => {
    if (index > 0) parts.push(broken ? `,${line(depth + 1)}` : ", ");
    each(item);
  });
  parts.push(line(depth), brackets[1]!);
}
