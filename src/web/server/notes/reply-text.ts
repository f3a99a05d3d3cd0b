import { trimmed } from "./note-input.ts";

const LONGEST_REPLY = 2000;

/** The text of an agent's reply, trimmed; undefined when there is none or it is too long (docs/spec/web.md section 9). */
export function replyText(value: unknown): string | undefined {
  const text = trimmed(value);
  return text !== undefined && [...text].length <= LONGEST_REPLY ? text : undefined;
}
