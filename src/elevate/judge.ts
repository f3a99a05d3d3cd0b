import type { Verdict } from "./schema.ts";

/** What an envelope says, when it counts. */
export interface EnvelopeFacts {
  status: "ok" | "failed";
  requestedModel: string;
  servedModel: string | null;
  receipt: "matched" | "mismatch" | "unverified" | null;
}

export type Judgement = Pick<Verdict, "verdict" | "why">;

/** The recovery table of docs/spec/elevate.md 7.3: pure. `state` is the job's, `envelope` undefined when there is none. */
export function judge(state: string, envelope: EnvelopeFacts | undefined, retried: boolean): Judgement {
  const judgement = firstJudgement(state, envelope);
  if (judgement.verdict !== "retry" || !retried) return judgement;
  return { verdict: "degrade", why: `${judgement.why} A retry was already made.` };
}

function firstJudgement(state: string, envelope: EnvelopeFacts | undefined): Judgement {
  switch (state) {
    case "running":
      return { verdict: "wait", why: "The job is still running." };
    case "never-started":
      return { verdict: "retry", why: "The job never started, so the route was not exercised." };
    case "unreadable":
      return { verdict: "retry", why: "The job's state cannot be trusted, so the route was not exercised." };
  }
  if (envelope?.status === "ok") {
    if (envelope.receipt === "mismatch") {
      return {
        verdict: "degrade",
        why: "Another model answered than the one requested; discard its output.",
      };
    }
    const which =
      envelope.receipt === "matched" ? "The requested model answered." : "A model answered, unverified.";
    return { verdict: "use", why: which };
  }
  if (envelope?.status === "failed") {
    return { verdict: "degrade", why: "The route ran and gave no usable output." };
  }
  if (state === "done" || state === "timeout") {
    return { verdict: "degrade", why: "The route ran and left no envelope." };
  }
  return { verdict: "retry", why: "The dispatch failed before an envelope was published." };
}
