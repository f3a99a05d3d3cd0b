import type { EndReason } from "../../kernel/shared/annotate-wire.ts";
import { count, fold } from "../target/text.ts";
import type { Anchor, Connection, Note, NoteState } from "../types.ts";

/** What a status is called in words, never in colour alone (15.8). */
const STATUS: Record<Exclude<NoteState, "done">, string> = {
  saving: "Saving…",
  unsaved: "Not saved — retry",
  held: "Not sent",
  queued: "Sent, waiting for the agent",
  working: "Agent is working",
};

/** How a note stands: the state it is in, or what the agent made of it. */
export type Standing = Exclude<NoteState, "done"> | "done" | "declined" | "question" | "passed" | "abandoned";

const OUTCOME_WORDS: Record<Exclude<Standing, Exclude<NoteState, "done">>, string> = {
  done: "Done",
  declined: "Declined",
  question: "The agent asks",
  passed: "Agent moved on: check",
  abandoned: "Session ended before the agent answered: check",
};

export function standingOf({ state, outcome }: Pick<Note, "state" | "outcome">): Standing {
  if (state !== "working" && state !== "done") return state;
  if (outcome === "done" || outcome === "declined" || outcome === "question") return outcome;
  if (state === "working") return "working";
  return outcome ?? "passed";
}

export function statusWords(note: Pick<Note, "state" | "outcome">): string {
  const standing = standingOf(note);
  return standing in OUTCOME_WORDS
    ? OUTCOME_WORDS[standing as keyof typeof OUTCOME_WORDS]
    : STATUS[standing as keyof typeof STATUS];
}

/** The latest the agent said about a note that is no mere reply: what it declined or asks. */
export function outcomeText({ answers, outcome }: Pick<Note, "answers" | "outcome">): string {
  return answers.findLast(({ kind }) => kind === outcome)?.text ?? "";
}

/** The status with what the agent said, for where there is one line. */
export function fullStatus(note: Note): string {
  const text = outcomeText(note);
  return text === "" ? statusWords(note) : `${statusWords(note)}: ${fold(text)}`;
}

/** What a tab says that comes from another server's session, with so many notes that were not sent there. */
export const restarted = (unsent: number): string =>
  `The server restarted${unsent === 0 ? "" : `; the agent gets your ${count(unsent, "unsent note")}`}.`;

export const TARGET_CHANGED = "Target changed";
export const TARGET_DOUBTFUL = "Moved or edited: check";

const REASONS: Record<EndReason, string> & { __proto__: null } = {
  __proto__: null,
  "user-ended": "You ended it",
  "connection-lost": "All tabs were closed",
  idle: "Idle for too long",
  "owner-exited": "The agent’s program exited",
  stopped: "The preview was stopped",
};

export const reasonWords = (reason: string | null): string | null => REASONS[reason as EndReason] ?? null;

/** The agent as this tab knows it, its times on the page's own clock; null: never. */
export interface AgentPresence {
  waiting: boolean;
  seenAt: number | null;
  takenAt: number | null;
}

/** A batch taken longer ago than this may have been forgotten. */
const WORKING_MS = 600_000;

/** The toolbar's one line: the first that applies (15.2). Empty when there is nothing to say yet. */
export function presence(
  view: { connection: Connection; agent: AgentPresence | null; notes: readonly Note[] },
  now: number,
): string {
  if (view.connection === "ended") return "Session ended";
  if (view.connection === "locked") return "View only";
  if (view.connection === "offline") return "Reconnecting…";
  if (view.connection === "busy") return "Too many open tabs — updates are slower";
  const { agent } = view;
  if (agent === null) return "";
  if (agent.waiting) return "Agent is listening";
  const inState = (state: NoteState) => view.notes.filter((note) => note.state === state).length;
  const working = view.notes.filter((note) => standingOf(note) === "working").length;
  if (working > 0) {
    const age = now - (agent.takenAt ?? now);
    return age < WORKING_MS
      ? `Agent is working on ${count(working, "note")}`
      : `Agent took ${count(working, "note")} ${ago(age)}`;
  }
  if (agent.seenAt === null) return "Waiting for your agent to listen";
  const queued = inState("queued");
  const rest = queued === 0 ? "" : ` · ${count(queued, "note")} queued`;
  return `No agent is waiting · last seen ${ago(now - agent.seenAt)}${rest}`;
}

/** Whether the presence line shows an age, which grows by itself. */
export const showsAge = (words: string): boolean => / ago| just now/.test(words);

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  return minutes < 120 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

/** File name of a screen for a heading. */
export function screenName(page: string): string {
  const name = page.slice(page.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name) || page;
  } catch {
    return name;
  }
}

/** What a note is about, in a few words. */
export function targetLabel({ context, selector }: Anchor): string {
  if (context.kind === "message") return "Message";
  if (context.kind === "verdict") return context.question ?? "Verdict";
  const more = context.targets?.length ?? 0;
  const label = context.label ?? selector;
  return more === 0 ? label : `${label} and ${more} more`;
}

export const noteName = (note: Note): string => (note.number === null ? "Note" : `Note ${note.number}`);

/** Notes as Markdown, for when no agent is listening. Every value stays on its line and cannot start a list of its own. */
export function toMarkdown(notes: readonly Note[]): string {
  const entries = notes.map((note, at) => {
    const { anchor } = note;
    const lines = [`${note.number ?? at + 1}. ${note.comment.split(/\r?\n/).join("\n   ")}`];
    const add = (name: string, value: string | null) => {
      if (value !== null && value !== "") lines.push(`   - ${name}: ${value}`);
    };
    add("screen", `\`${decodedPath(anchor.page)}\``);
    add("element", code(anchor.selector));
    for (const other of anchor.context.targets ?? []) add("and", code(other.selector));
    add("text", anchor.textSnippet === null ? null : `“${fold(anchor.textSnippet)}”`);
    add("variant", anchor.variant === null ? null : anchor.variant.join(" › "));
    add("status", fullStatus(note));
    return lines.join("\n");
  });
  return `${entries.join("\n\n")}\n`;
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path).replace(/^\//, "");
  } catch {
    return path;
  }
}

/** Inline code whose fence is longer than any run of backticks inside. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
