import { JigError } from "../../../kernel/call/errors.ts";
import { GitError } from "../../../kernel/repository/git.ts";
import { SetRefused } from "../apply/uncommitted-set.ts";
import { shownPath } from "../tree/byte-path.ts";
import type { WorktreeGate } from "./schema.ts";

/** What a gate tells besides its name. */
export interface GateFacts {
  /** One sentence: why. */
  reason: string;
  /** What is untouched, what to do. */
  advice: string;
  holder?: string;
  failedCommand?: string;
  output?: string;
  paths?: readonly string[];
  operation?: string;
  wouldOverwrite?: readonly string[];
  diverged?: readonly string[];
}

/** A person has to decide; the same command resumes (docs/spec/flow-worktree.md 5.1). */
export class Gate extends Error {
  readonly gate: WorktreeGate;
  readonly facts: GateFacts;

  constructor(gate: WorktreeGate, facts: GateFacts) {
    super(facts.reason);
    this.gate = gate;
    this.facts = facts;
  }
}

/** Do something whose failure, whatever it is, leaves a state that is not recognized: a gate, never a guess. */
export async function orGate<T>(
  gate: WorktreeGate,
  advice: string,
  action: () => T | Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Gate) throw error;
    if (error instanceof SetRefused) {
      throw new Gate(gate, { reason: error.message, advice, paths: error.paths.map(shownPath) });
    }
    if (!(error instanceof JigError)) throw error;
    const failed = error instanceof GitError ? { failedCommand: "git" } : {};
    throw new Gate(gate, { reason: error.message, advice, output: error.message, ...failed });
  }
}

export const KEPT = "Nothing was touched: worktree and branch are kept.";
export const RERUN = "Then run the same command again.";
