import { EXIT, JigError } from "../../kernel/call/errors.ts";
import type { WebFlags } from "../options.ts";
import { choiceNames, questionText } from "../server/notes/questions.ts";
import { replyText } from "../server/notes/reply-text.ts";

/** One `--done`, `--declined` or `--question`, as the body of `POST …/outcomes` has it. */
export interface GivenOutcome {
  /** A note's number or id. */
  note: string;
  kind: "done" | "declined" | "question";
  text?: string;
}

/** `--ask` with its `--choices`. */
export interface GivenQuestion {
  question: string;
  choices: string[];
}

/** What a call of `wait` says to the person before it waits (docs/spec/web.md 4.6). */
export interface AgentWords {
  outcomes: GivenOutcome[];
  reply: string | undefined;
  ask: GivenQuestion | undefined;
}

const refused = (message: string, hint?: string): JigError =>
  new JigError(message, { exitCode: EXIT.usage, ...(hint === undefined ? {} : { hint }) });

/** Throws what is wrong with the words, exit 2; nothing has been said then. */
export function agentWords(flags: WebFlags): AgentWords {
  const outcomes = [...doneOf(flags), ...toldOf("declined", flags), ...toldOf("question", flags)];
  const twice = outcomes.find(({ note }, at) => outcomes.findIndex((one) => one.note === note) !== at);
  if (twice !== undefined) throw refused(`note ${twice.note} is named twice`);
  return { outcomes, reply: replyOf(flags), ask: askOf(flags) };
}

const NOTE = /^(?:\d{1,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

function doneOf({ done = [] }: WebFlags): GivenOutcome[] {
  const notes = done.flatMap((list) => list.split(",").map((name) => name.trim()));
  if (!notes.every((name) => NOTE.test(name))) throw refused("--done must list note numbers", "--done 1,2");
  return notes.map((note) => ({ note: plain(note), kind: "done" }));
}

function toldOf(kind: "declined" | "question", flags: WebFlags): GivenOutcome[] {
  return (flags[kind] ?? []).map((given) => {
    const colon = given.indexOf(":");
    const note = given.slice(0, Math.max(0, colon)).trim();
    const text = colon < 0 ? undefined : replyText(given.slice(colon + 1));
    if (!NOTE.test(note) || text === undefined)
      throw refused(
        `--${kind} must be N:TEXT`,
        `a note's number and 1 to 2000 characters: --${kind} '2:why'`,
      );
    return { note: plain(note), kind, text };
  });
}

/** `007` and `7` are one note. */
const plain = (note: string): string => (/^\d+$/.test(note) ? String(Number(note)) : note.toLowerCase());

function replyOf({ reply }: WebFlags): string | undefined {
  if (reply === undefined) return undefined;
  const text = replyText(reply);
  if (text !== undefined) return text;
  throw refused("--reply must be 1 to 2000 characters");
}

function askOf({ ask, choices }: WebFlags): GivenQuestion | undefined {
  if (ask === undefined) {
    if (choices !== undefined) throw refused("--choices needs --ask");
    return undefined;
  }
  const question = questionText(ask);
  if (question === undefined) throw refused("--ask must be 1 to 300 characters");
  const names = choices === undefined ? [] : choiceNames(choices.split(","));
  if (names === undefined) throw refused("--choices must be 2 to 8 names of 1 to 40 characters");
  return { question, choices: names };
}
