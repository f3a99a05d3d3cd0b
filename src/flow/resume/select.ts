/** Which workflow a session goes on with (docs/spec/flow.md 8.1): proven, or not answered. Pure. */

export interface Candidate {
  id: string;
  /** The session it was begun in; null when its artifact says none. */
  session: string | null;
}

export type Selection =
  | { answer: "RESUME"; id: string; scopedBy: "session" | "only_open" }
  | { answer: "AMBIGUOUS" }
  | { answer: "NONE" };

/** Of the open workflows the one that the session alone began, else the only one. Times and guesses decide nothing. */
export function select(open: readonly Candidate[], session: string | undefined): Selection {
  const own = session === undefined ? [] : open.filter((one) => one.session === session);
  if (own.length === 1) return { answer: "RESUME", id: own[0]!.id, scopedBy: "session" };
  if (open.length === 0) return { answer: "NONE" };
  if (open.length === 1) return { answer: "RESUME", id: open[0]!.id, scopedBy: "only_open" };
  return { answer: "AMBIGUOUS" };
}
