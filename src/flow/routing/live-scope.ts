import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import { isRegularFile } from "../../kernel/files/look.ts";
import type { Layout } from "../common/layout.ts";
import { sectionBody } from "../common/sections.ts";
import { MAX_MEMORY_BYTES, readStateText } from "../common/state-file.ts";

export interface LiveScope {
  /** The workflow that waits; null when none does. */
  marker: string | null;
  notes: readonly string[];
}

/** The pending scope decision of a project, if there is one (docs/spec/flow.md 8.2): the next reply answers it. */
export function liveScope(layout: Layout): LiveScope {
  const path = join(layout.projectMemory, "activeContext.md");
  if (!isRegularFile(path)) return { marker: null, notes: [] };
  try {
    const decisions = sectionBody(readStateText(layout.root, path, MAX_MEMORY_BYTES), "Decisions") ?? "";
    const marker = /\[SCOPE-DECISION-PENDING: wf:([\w.-]+) /.exec(decisions)?.[1] ?? null;
    return { marker, notes: marker === null ? [] : [pendingNote(marker)] };
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return { marker: null, notes: [`whether a scope decision is pending is not known: ${error.message}`] };
  }
}

function pendingNote(wf: string): string {
  return `a scope decision of ${wf} is pending: the user's reply answers it (jig flow scope answer ${wf})`;
}
