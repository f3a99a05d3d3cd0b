import { JigError } from "../../kernel/call/errors.ts";
import type { Layout } from "../common/layout.ts";
import { readScopeMarkers } from "../memory/scope/read.ts";

export interface LiveScope {
  /** The workflow that waits; null when none does. */
  marker: string | null;
  notes: readonly string[];
}

/** The pending scope decision of a project, if there is one (docs/spec/flow.md 8.2): the next reply answers it. */
export function liveScope(layout: Layout): LiveScope {
  try {
    const wf = readScopeMarkers(layout)[0]?.wf;
    return wf === undefined ? { marker: null, notes: [] } : { marker: wf, notes: [pendingNote(wf)] };
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return { marker: null, notes: [`whether a scope decision is pending is not known: ${error.message}`] };
  }
}

function pendingNote(wf: string): string {
  return `a scope decision of ${wf} is pending: the user's reply answers it (jig flow scope answer ${wf})`;
}
