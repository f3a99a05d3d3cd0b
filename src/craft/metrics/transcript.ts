import { readRecords } from "../../kernel/files/append.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { isObject } from "../../kernel/text/json.ts";
import { addUsage, NO_USAGE, roundHalfUp, type Spawn, type Turn, type Usage } from "./usage.ts";

/** Longest line of a transcript that is read, in bytes. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Which lines count. */
export interface TimeBounds {
  /** Milliseconds; lines before it do not count. */
  since: number | undefined;
  /** Milliseconds; lines after it do not count. */
  until: number | undefined;
}

/** What a compaction's summary call cost at least and at most. */
export interface Compaction {
  cacheRead: number;
  output: { low: number; high: number };
}

/** What a transcript holds. */
export interface TranscriptReading extends Spawn {
  compactions: Compaction[];
  /** Lines that are no JSON. */
  unreadableLines: number;
}

/** Input tokens of a summary call, and its output where the transcript does not show it. */
export const SUMMARY_INPUT = { low: 3_000, high: 5_500 } as const;
const SUMMARY_OUTPUT = { low: 1_300, high: 2_600 } as const;

/**
 * Read a transcript line by line. The harness writes a line for each content block of a turn: the last line of a
 * `message.id` has its usage, the tool calls are spread over all. `seen` holds the pairs of message and request that
 * another transcript of the session had already. Undefined when the file cannot be read.
 */
export function readTranscript(
  path: string,
  bounds: TimeBounds,
  seen: Set<string>,
): TranscriptReading | undefined {
  const reader = new TranscriptReader(bounds, seen);
  const decoder = new TextDecoder();
  try {
    readRecords(path, { uid: undefined, maxRecordBytes: MAX_LINE_BYTES }, ({ bytes }) => {
      reader.line(decoder.decode(bytes));
    });
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
  return reader.end();
}

interface OpenTurn extends Turn {
  pair: string | undefined;
}

class TranscriptReader {
  private readonly bounds: TimeBounds;
  private readonly seen: Set<string>;
  private readonly turns = new Map<string, OpenTurn>();
  private readonly compactions: Compaction[] = [];
  private awaitsSummary: Compaction | undefined;
  private first: number | undefined;
  private last: number | undefined;
  private anonymous = 0;
  private unreadable = 0;

  constructor(bounds: TimeBounds, seen: Set<string>) {
    this.bounds = bounds;
    this.seen = seen;
  }

  line(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.unreadable++;
      return;
    }
    const line = recordOf(value);
    if (line === undefined) return;
    const at = typeof line["timestamp"] === "string" ? Date.parse(line["timestamp"]) : Number.NaN;
    if (line["type"] === "system" && line["subtype"] === "compact_boundary") this.boundary(line, at);
    else if (line["isCompactSummary"] === true) this.summary(line);
    else if (this.counts(at)) this.billed(line, at);
  }

  private counts(at: number): boolean {
    if (Number.isNaN(at)) return true;
    const { since, until } = this.bounds;
    return (since === undefined || at >= since) && (until === undefined || at <= until);
  }

  private billed(line: Record<string, unknown>, at: number): void {
    const message = recordOf(line["message"]);
    const usage = recordOf(message?.["usage"]);
    if (message === undefined || usage === undefined || message["model"] === "<synthetic>") return;
    const id = typeof message["id"] === "string" ? message["id"] : undefined;
    const request = typeof line["requestId"] === "string" ? line["requestId"] : undefined;
    const pair = id === undefined || request === undefined ? undefined : `${id}\n${request}`;
    if (pair !== undefined && this.seen.has(pair)) return;
    const key = id ?? `\n${this.anonymous++}`;
    const before = this.turns.get(key);
    this.turns.set(key, {
      usage: usageOf(usage),
      toolCalls: (before?.toolCalls ?? 0) + toolCallsIn(message["content"]),
      withoutCache: !("cache_read_input_tokens" in usage) && !("cache_creation_input_tokens" in usage),
      pair,
    });
    if (Number.isNaN(at)) return;
    this.first = Math.min(this.first ?? at, at);
    this.last = Math.max(this.last ?? at, at);
  }

  private boundary(line: Record<string, unknown>, at: number): void {
    this.awaitsSummary = undefined;
    if (!this.counts(at)) return;
    const before = recordOf(line["compactMetadata"])?.["preTokens"];
    const compaction: Compaction = { cacheRead: finite(before), output: { ...SUMMARY_OUTPUT } };
    this.compactions.push(compaction);
    this.awaitsSummary = compaction;
  }

  private summary(line: Record<string, unknown>): void {
    const compaction = this.awaitsSummary;
    this.awaitsSummary = undefined;
    const content = recordOf(line["message"])?.["content"];
    if (compaction === undefined || typeof content !== "string") return;
    const tokens = Math.ceil(content.length / 4);
    compaction.output = { low: roundHalfUp(1.2 * tokens), high: roundHalfUp(2.8 * tokens) };
  }

  end(): TranscriptReading {
    const turns = [...this.turns.values()];
    for (const { pair } of turns) if (pair !== undefined) this.seen.add(pair);
    return {
      turns,
      durationMs: this.first === undefined ? 0 : this.last! - this.first,
      compactions: this.compactions,
      unreadableLines: this.unreadable,
    };
  }
}

/** What all compactions cost together, in equivalents, at least and at most. */
export function compactionCost(compactions: readonly Compaction[]): { low: number; high: number } {
  const side = (which: "low" | "high") => {
    const usage = compactions.reduce<Usage>(
      (sum, { cacheRead, output }) =>
        addUsage(sum, { input: SUMMARY_INPUT[which], cacheRead, cacheCreation: 0, output: output[which] }),
      NO_USAGE,
    );
    return roundHalfUp(usage.input + 0.1 * usage.cacheRead + 5 * usage.output);
  };
  return { low: side("low"), high: side("high") };
}

function usageOf(usage: Record<string, unknown>): Usage {
  return {
    input: finite(usage["input_tokens"]),
    cacheRead: finite(usage["cache_read_input_tokens"]),
    cacheCreation: finite(usage["cache_creation_input_tokens"]),
    output: finite(usage["output_tokens"]),
  };
}

function toolCallsIn(content: unknown): number {
  return Array.isArray(content)
    ? content.filter((block) => recordOf(block)?.["type"] === "tool_use").length
    : 0;
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? value : undefined;
}
