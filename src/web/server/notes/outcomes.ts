import type { Answer } from "../../../kernel/shared/annotate-wire.ts";
import { isObject } from "../../../kernel/text/json.ts";
import { replyText } from "./reply-text.ts";

/** A note as answers see it, in the server or in the file. */
export interface Answerable<Note> {
  note: Note;
  delivered: boolean;
  answers: readonly Answer[];
}

/** What to keep; or what is wrong with the list; or with the notes it names. */
export type JudgedOutcomes<Note> =
  | { answers: { note: Note; answer: Answer }[] }
  | { detail: string }
  | { notes: Record<string, string> };

const MOST = 200;

/**
 * Judge the outcomes an agent gives, all or nothing (docs/spec/web.md 10.4). One that only says again what was said last
 * is accepted without being kept: a killed `wait` is run again as it was.
 */
export function judgeOutcomes<Note>(
  outcomes: unknown,
  find: (name: string) => Answerable<Note> | undefined,
  at: string,
): JudgedOutcomes<Note> {
  if (!Array.isArray(outcomes) || outcomes.length === 0 || outcomes.length > MOST)
    return { detail: `outcomes must be a list of 1 to ${MOST}` };
  const answers: { note: Note; answer: Answer }[] = [];
  const seen = new Set<Note>();
  const faults: Record<string, string> = {};
  for (const entry of outcomes) {
    const said = readOutcome(entry, at);
    if (typeof said === "string") return { detail: said };
    const found = find(said.name);
    if (found === undefined) faults[said.name] = "unknown";
    else if (seen.has(found.note)) return { detail: `note ${said.name} is named twice` };
    else if (!found.delivered) faults[said.name] = "not delivered yet";
    else if (!isSaidAlready(found.answers, said.answer))
      answers.push({ note: found.note, answer: said.answer });
    if (found !== undefined) seen.add(found.note);
  }
  return Object.keys(faults).length > 0 ? { notes: faults } : { answers };
}

function readOutcome(entry: unknown, at: string): { name: string; answer: Answer } | string {
  if (!isObject(entry)) return "an outcome must be a JSON object";
  const { note, kind, text } = entry;
  const name = typeof note === "number" || typeof note === "string" ? String(note) : "";
  if (name === "") return "note must be a number or an id";
  if (kind === "done") return { name, answer: { kind, at } };
  if (kind !== "declined" && kind !== "question") return "kind must be done, declined or question";
  const words = replyText(text);
  return words === undefined
    ? "text must be 1 to 2000 characters"
    : { name, answer: { kind, text: words, at } };
}

function isSaidAlready(answers: readonly Answer[], answer: Answer): boolean {
  const last = answers.findLast(({ kind }) => kind !== "reply");
  return last?.kind === answer.kind && last.text === answer.text;
}
