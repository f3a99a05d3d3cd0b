import type { EndReason } from "../../kernel/shared/annotate-wire.ts";
import { count, fold } from "../target/text.ts";
import type { Anchor, Connection, Note, NoteState } from "../types.ts";

/** What a status is called in words, never in colour alone (15.8). */
const STATUS: Record<NoteState, string> = {
  saving: "Saving…",
  unsaved: "Not saved — retry",
  held: "Not sent",
  queued: "Sent, waiting for the agent",
  working: "Agent is working",
  done: "Agent is done — check the result",
};

export const statusWords = (state: NoteState): string => STATUS[state];
export const TARGET_CHANGED = "Target changed";

const REASONS: Record<EndReason, string> & { __proto__: null } = {
  __proto__: null,
  "user-ended": "You ended it",
  "connection-lost": "All tabs were closed",
  idle: "Idle for too long",
  "owner-exited": "The agent’s program exited",
  stopped: "The preview was stopped",
};

export const reasonWords = (reason: string | null): string | null => REASONS[reason as EndReason] ?? null;

/** The toolbar's one line: the first that applies (15.2). Empty when there is nothing to say yet. */
export function presence(view: {
  connection: Connection;
  agentWaiting: boolean | null;
  notes: readonly Note[];
}): string {
  if (view.connection === "ended") return "Session ended";
  if (view.connection === "locked") return "View only";
  if (view.connection === "offline") return "Reconnecting…";
  if (view.connection === "busy") return "Too many open tabs — updates are slower";
  const working = view.notes.filter((note) => note.state === "working").length;
  if (working > 0) return `Agent is working on ${count(working, "note")}`;
  if (view.agentWaiting === null) return "";
  if (view.agentWaiting) return "Agent is listening";
  const queued = view.notes.filter((note) => note.state === "queued").length;
  if (queued === 0) return "Agent is away";
  return `Agent is away — ${count(queued, "note")} ${queued === 1 ? "is" : "are"} queued`;
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
export const targetLabel = (anchor: Anchor): string => anchor.context.label ?? anchor.selector;

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
    add("text", anchor.textSnippet === null ? null : `“${fold(anchor.textSnippet)}”`);
    add("variant", anchor.variant === null ? null : anchor.variant.join(" › "));
    add("status", statusWords(note.state));
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
