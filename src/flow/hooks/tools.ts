import { isObject, type JsonObject } from "../../kernel/text/json.ts";
import { textOf } from "./payload.ts";

/** Tools that write the file they name. */
const EDITS: readonly string[] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

export const isEdit = (tool: string) => EDITS.includes(tool);

/** The file a tool works on, as it was named. */
export function targetOf(payload: JsonObject): string | undefined {
  const input = toolInput(payload);
  return textOf(input, "file_path") ?? textOf(input, "notebook_path");
}

/** What the tool was given; nothing when that is no object. */
export function toolInput(payload: JsonObject): JsonObject {
  const input = payload["tool_input"];
  return isObject(input) ? input : {};
}
