import type { Span } from "./document.ts";

export type SpanKind = "strong" | "emphasis" | "struck" | "links" | "inline";

/** Running text under construction: what a reader sees, where it comes from and how it is marked up. */
export interface TextRun {
  text: string;
  masked: string;
  spans: Record<SpanKind, Span[]>;
  lines: { offset: number; line: number }[];
  endLine: number;
  /** The last character; to look at it in `text` would copy all of it each time. */
  last: string;
}

export function startRun(): TextRun {
  return {
    text: "",
    masked: "",
    spans: { strong: [], emphasis: [], struck: [], links: [], inline: [] },
    lines: [],
    endLine: 0,
    last: "",
  };
}

/** Add text that begins on a source line; a newline in it begins the next one. `hidden` text is blanked in `masked`. */
export function append(run: TextRun, text: string, line: number, hidden = false): void {
  if (text === "") return;
  noteLine(run, run.text.length, line);
  let at = line;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) {
    at += 1;
    if (index + 1 < text.length) noteLine(run, run.text.length + index + 1, at);
  }
  run.text += text;
  run.masked += hidden ? text.replaceAll(/[^\n]/g, " ") : text;
  run.last = text.at(-1)!;
  run.endLine = Math.max(run.endLine, at);
}

function noteLine(run: TextRun, offset: number, line: number): void {
  const last = run.lines.at(-1);
  if (last?.line === line) return;
  if (last?.offset === offset) last.line = line;
  else run.lines.push({ offset, line });
}

/** Add what `body` appends and remember its extent as a span of these kinds. */
export function marked(run: TextRun, kinds: readonly SpanKind[], body: () => void): void {
  const start = run.text.length;
  body();
  if (run.text.length > start)
    for (const kind of kinds) run.spans[kind].push({ start, end: run.text.length });
}
