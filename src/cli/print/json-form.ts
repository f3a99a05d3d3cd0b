import type { JsonForm } from "../../kernel/call/room.ts";
import { jsonText } from "../../kernel/text/printable.ts";
import { pythonJson } from "../../kernel/text/python-json.ts";

/** A result's JSON in the form a drop-in name has. */
export function jsonIn(form: JsonForm, data: unknown): string {
  return form === "python" ? pythonJson(data) : jsonText(data, 2);
}
