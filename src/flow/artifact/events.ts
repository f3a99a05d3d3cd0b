/** The event log of a workflow (docs/spec/flow.md 5): one JSON object per line, only ever appended to. */
import { JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { appendRecords, readRecords } from "../../kernel/files/append.ts";
import { decodeUtf8, Refused } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import type { Layout } from "../common/layout.ts";
import { fromPlain, type JsonMap, parseLossless, writeLossless } from "../common/lossless-json.ts";
import { insideProject, MAX_EVENT_BYTES } from "../common/state-file.ts";
import { isEndingEvent } from "./read.ts";

/** What an event says; `ts` and `wf` are filled in. */
export interface EventFields {
  event: string;
  /** When it is not the moment of writing. */
  ts?: string;
  host?: string;
  phase?: string | null;
  task_id?: string | null;
  agent?: string | null;
  decision?: string | null;
  reason?: string | null;
  [field: string]: unknown;
}

export const EVENT_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** The line of an event, without its newline. Throws `UsageError` for a bad name or a line of more than 64 KiB. */
export function eventLine(wf: string, fields: EventFields, now: number): string {
  const { event, ts, host, phase, task_id, agent, decision, reason, ...more } = fields;
  if (!EVENT_NAME.test(event)) {
    throw new UsageError(
      `event ${printable(JSON.stringify(event))}: expected a lower-case name such as agent_started`,
    );
  }
  const { wf: _, ...rest } = more;
  const record = fromPlain({
    ts: ts ?? isoSeconds(now),
    wf,
    event,
    ...(host === undefined ? {} : { host }),
    phase: phase ?? null,
    task_id: task_id ?? null,
    agent: agent ?? null,
    decision: decision ?? null,
    reason: reason ?? null,
    ...rest,
  });
  const line = writeLossless(record);
  const bytes = new TextEncoder().encode(line).length;
  if (bytes + 1 > MAX_EVENT_BYTES) {
    const longest = [...(record as JsonMap)]
      .map(([key, value]) => [key, writeLossless(value).length] as const)
      .sort((a, b) => b[1] - a[1])[0]![0];
    throw new UsageError(
      `the event would be ${bytes} bytes long, and ${MAX_EVENT_BYTES} are the limit; ${printable(longest)} is too long`,
      { hint: "keep long text in a file of its own and name the file" },
    );
  }
  return line;
}

export interface AppendedEvents {
  lines: readonly string[];
  /** Said on stderr when the log ended in the middle of a line. */
  notes: readonly string[];
}

/** Append events, each one line, all in one write. The artifact is not touched. Throws `UsageError`, `JigError`. */
export function appendEvents(
  host: Pick<Host, "now">,
  layout: Layout,
  wf: string,
  events: readonly EventFields[],
): AppendedEvents {
  if (events.length === 0) return { lines: [], notes: [] };
  return appendEventLines(
    layout,
    wf,
    events.map((event) => eventLine(wf, event, host.now())),
  );
}

/** As `appendEvents`, of lines made by `eventLine`. */
export function appendEventLines(layout: Layout, wf: string, lines: readonly string[]): AppendedEvents {
  const path = layout.events(wf);
  const { tornTail } = appendRecords(insideProject(layout.root, path), lines, { create: 0o644 });
  const notes = tornTail
    ? [`${printable(path)} ended in a torn line (a write that was cut off); it was kept on a line of its own`]
    : [];
  return { lines, notes };
}

/** What a log holds. */
export interface EventLog {
  events: JsonMap[];
  /** Lines that are not JSON objects. */
  malformed: number;
  /** Whether the last line has no newline. */
  torn: boolean;
}

/** All events of a workflow; a log that is missing has none. Throws `JigError` when it is there and cannot be read. */
export function readEvents(layout: Layout, wf: string): EventLog {
  const log: EventLog = { events: [], malformed: 0, torn: false };
  const end = visitEvents(layout, wf, (event) => {
    if (event === undefined) log.malformed++;
    else log.events.push(event);
  });
  log.torn = end.torn;
  log.malformed += end.oversize;
  return log;
}

/** Visit the events of a log in order, undefined for a line that is none; false ends the visit. */
export function visitEvents(
  layout: Layout,
  wf: string,
  visit: (event: JsonMap | undefined) => unknown,
): LogEnd {
  return visitLines(layout, wf, (bytes) => visit(eventOf(bytes)));
}

interface LogEnd {
  torn: boolean;
  oversize: number;
}

function visitLines(layout: Layout, wf: string, visit: (bytes: Uint8Array) => unknown): LogEnd {
  const path = insideProject(layout.root, layout.events(wf));
  try {
    const { tornTail, oversize } = readRecords(
      path,
      { uid: undefined, maxRecordBytes: MAX_EVENT_BYTES * 16 },
      ({ bytes }) => visit(bytes),
    );
    return { torn: tornTail > 0, oversize };
  } catch (error) {
    if (error instanceof Refused && error.reason === "absent") return { torn: false, oversize: 0 };
    if (error instanceof Refused) {
      throw new JigError(`${printable(layout.events(wf))}: ${error.why}`, { cause: error });
    }
    throw error;
  }
}

function eventOf(bytes: Uint8Array): JsonMap | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  try {
    const value = parseLossless(text);
    return value instanceof Map ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the log holds an event that ends the workflow. */
export function endsInLog(layout: Layout, wf: string): boolean {
  let ends = false;
  visitLines(layout, wf, (bytes) => {
    ends ||= mayEnd(bytes) && isEndingEvent(eventOf(bytes)?.get("event"));
    return !ends;
  });
  return ends;
}

/** Whether a line is worth reading for this: it holds a word of such an event, or an escape that may spell one. */
function mayEnd(bytes: Uint8Array): boolean {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return END_MARKS.some((mark) => line.includes(mark));
}

const END_MARKS = [..."memory_finalized workflow_completed workflow_failed".split(" "), "\\u"].map((mark) =>
  Buffer.from(mark),
);
