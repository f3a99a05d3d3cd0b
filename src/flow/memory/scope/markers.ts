/** Markers of a pending scope decision, lines below `## Decisions` (docs/spec/flow.md 8.2): texts in, texts out. */
import { linesOf, sectionsOf } from "../../common/sections.ts";
import { appendLine } from "../text/add.ts";

const SECTION = "Decisions";

export interface ScopeMarker {
  /** The workflow that waits. */
  wf: string;
  reason: string;
}

interface MarkerLine extends ScopeMarker {
  /** Of the line, and of what follows it. */
  start: number;
  end: number;
}

/** Every marker of a text, in order. */
export function scopeMarkers(text: string): ScopeMarker[] {
  return markerLines(text).map(({ reason, wf }) => ({ wf, reason }));
}

/** The text with a marker of this workflow, as it is when it has one; undefined without the section. */
export function withMarker(text: string, { reason, wf }: ScopeMarker): string | undefined {
  if (markerLines(text).some((marker) => marker.wf === wf)) return text;
  return appendLine(text, SECTION, `[SCOPE-DECISION-PENDING: wf:${wf} reason:${reason}]`);
}

/** The text without the markers of this workflow; nothing else of it changes. */
export function withoutMarker(text: string, wf: string): string {
  let kept = "";
  let at = 0;
  for (const marker of markerLines(text)) {
    if (marker.wf !== wf) continue;
    kept += text.slice(at, marker.start);
    at = marker.end;
  }
  return kept + text.slice(at);
}

/** What would end a marker becomes a blank. */
export function markerReason(reason: string): string {
  return reason.replaceAll(/[\]\r\n]/g, " ").trim();
}

const MARKER = /^(?:- )?\[SCOPE-DECISION-PENDING: wf:([A-Za-z0-9][A-Za-z0-9._-]{0,199}) reason:([^\]]*)\]$/;

function markerLines(text: string): MarkerLine[] {
  const found: MarkerLine[] = [];
  for (const section of sectionsOf(text).filter(({ name }) => name === SECTION)) {
    for (const line of linesOf(text.slice(section.body, section.end))) {
      const match = line.fenced ? null : MARKER.exec(line.text.trim());
      if (match === null) continue;
      const start = section.body + line.start;
      const end = Math.min(start + line.text.length + 1, section.end);
      found.push({ wf: match[1]!, reason: match[2]!.trim(), start, end });
    }
  }
  return found;
}
