import type { Answer, AnswerKind } from "../../../kernel/shared/annotate-wire.ts";
import { parseObject } from "../../../kernel/text/json.ts";
import { LIMITS } from "../config.ts";
import { json } from "../http/reply.ts";
import { type GatedCall, readAny, readLive, saved } from "./gated-call.ts";
import type { Note, Notes } from "./notes.ts";
import { judgeOutcomes } from "./outcomes.ts";
import { choiceNames, questionText } from "./questions.ts";
import { replyText } from "./reply-text.ts";

/** What an agent says to the person (docs/spec/web.md section 9). */

/** The answers of one call are kept together or not at all. */
export async function outcomes(call: GatedCall): Promise<Response> {
  const { site, annotate } = call;
  const { session } = annotate;
  const body = await readAny(call);
  if (body instanceof Response) return body;
  const at = new Date(site.clock.now()).toISOString();
  const judged = judgeOutcomes(parseObject(body)?.["outcomes"], noteFinder(session.notes), at);
  if ("detail" in judged) return json({ error: "invalid outcomes", detail: judged.detail }, 400);
  if ("notes" in judged) return json({ error: "not delivered", notes: judged.notes }, 409);
  if (!judged.answers.every(({ note }) => hasRoom(note))) return json({ error: "too many answers" }, 429);
  return json(saved(session.answer(judged.answers)));
}

const hasRoom = (note: Note): boolean => note.answers.length < LIMITS.answers;

const noteFinder = (notes: Notes) => (name: string) => {
  const note = notes.named(name);
  if (note === undefined) return undefined;
  return { note, delivered: note.state === "working" || note.state === "done", answers: note.answers };
};

export async function reply(call: GatedCall): Promise<Response> {
  const { site, annotate } = call;
  const { session } = annotate;
  const body = await readLive(call);
  if (body instanceof Response) return body;
  const input = parseObject(body);
  const text = replyText(input?.["text"]);
  if (text === undefined)
    return json({ error: "invalid reply", detail: "text must be 1 to 2000 characters" }, 400);
  const about = input?.["note"];
  if (about === undefined) {
    session.setReply(text);
    return json({ ok: true });
  }
  const found = noteFinder(session.notes)(String(about));
  if (found?.delivered !== true) {
    const why = found === undefined ? "unknown" : "not delivered yet";
    return json({ error: "not delivered", notes: { [String(about)]: why } }, 409);
  }
  if (!hasRoom(found.note)) return json({ error: "too many answers" }, 429);
  const kind: AnswerKind = "reply";
  const answer: Answer = { kind, text, at: new Date(site.clock.now()).toISOString() };
  return json(saved(session.answer([{ note: found.note, answer }])));
}

export async function ask(call: GatedCall): Promise<Response> {
  const { session } = call.annotate;
  const body = await readLive(call);
  if (body instanceof Response) return body;
  const input = parseObject(body);
  const question = questionText(input?.["question"]);
  const choices = choiceNames(input?.["choices"]);
  if (question === undefined)
    return json({ error: "invalid question", detail: "question must be 1 to 300 characters" }, 400);
  if (choices === undefined)
    return json(
      { error: "invalid question", detail: "choices must be 2 to 8 different names of 1 to 40 characters" },
      400,
    );
  const { id } = session.questions.ask(question, choices);
  return json({ ok: true, id });
}
