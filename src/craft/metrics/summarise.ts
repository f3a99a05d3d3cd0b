import type { MetricsRow } from "./usage.ts";

/** Prices of a million tokens of each kind, in one currency. */
export interface Prices {
  currency: string;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

/** What a phase, or a whole run, took; pure. Nulls where a transcript did not say. */
export interface Spent {
  turns: number | null;
  toolCalls: number | null;
  tokens: number | null;
  output: number | null;
  durationMs: number | null;
  equivalent: number | null;
  /** In the currency of the price table; null without one. */
  cost: number | null;
  /** How often a phase was run again. */
  retries: number;
}

export interface PhaseSummary extends Spent {
  phase: string;
}

export interface RunSummary extends Spent {
  run: string;
  phases: PhaseSummary[];
}

/** Runs in the order in which they first appear, each with its phases in theirs. */
export function summarise(rows: readonly MetricsRow[], prices: Prices | undefined): RunSummary[] {
  const runs = new Map<string, Map<string, MetricsRow[]>>();
  for (const row of rows) {
    const phases = runs.get(row.run) ?? new Map<string, MetricsRow[]>();
    runs.set(row.run, phases);
    const list = phases.get(row.phase) ?? [];
    list.push(row);
    phases.set(row.phase, list);
  }
  return [...runs].map(([run, phases]) => {
    const summaries = [...phases].map(([phase, list]) => ({ phase, ...spentOf(list, prices) }));
    return { run, ...totalOf(summaries), phases: summaries };
  });
}

function spentOf(rows: readonly MetricsRow[], prices: Prices | undefined): Spent {
  const spent = rows.map((row) => rowSpent(row, prices));
  return { ...totalOf(spent), retries: rows.length - 1 };
}

function rowSpent({ figures }: MetricsRow, prices: Prices | undefined): Spent {
  if (figures === null) {
    return {
      turns: null,
      toolCalls: null,
      tokens: null,
      output: null,
      durationMs: null,
      equivalent: null,
      cost: null,
      retries: 0,
    };
  }
  const { turns, toolCalls, tokens, output, durationMs, equivalent, cache } = figures;
  let cost: number | null = null;
  if (prices !== undefined && tokens !== null && cache !== null) {
    const input = tokens - cache.read - cache.creation - output;
    cost =
      (input * prices.input +
        output * prices.output +
        cache.read * prices.cacheRead +
        cache.creation * prices.cacheCreation) /
      1_000_000;
  }
  return { turns, toolCalls, tokens, output, durationMs, equivalent, cost, retries: 0 };
}

/** Sums; what any part does not know, the sum of the known parts stands for, and null when none knows it. */
export function totalOf(parts: readonly Spent[]): Spent {
  const known = (of: (part: Spent) => number | null) => {
    const values = parts.map(of).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  return {
    turns: known((part) => part.turns),
    toolCalls: known((part) => part.toolCalls),
    tokens: known((part) => part.tokens),
    output: known((part) => part.output),
    durationMs: known((part) => part.durationMs),
    equivalent: known((part) => part.equivalent),
    cost: known((part) => part.cost),
    retries: parts.reduce((total, part) => total + part.retries, 0),
  };
}

/** `1,234,567` as people read it: `1.2M`. */
export function short(value: number | null): string {
  if (value === null) return "na";
  if (value < 1_000) return String(value);
  const [divisor, unit] =
    value < 999_950 ? [1_000, "k"] : value < 999_950_000 ? [1_000_000, "M"] : [1e9, "G"];
  return `${(value / (divisor as number)).toFixed(1)}${unit}`;
}

/** A count in full. */
export function plain(value: number | null): string {
  return value === null ? "na" : String(value);
}

/** Milliseconds as `1h 02m`, `3m 04s`, `5s`; `na` for what nobody said. */
export function clock(milliseconds: number | null): string {
  if (milliseconds === null) return "na";
  const seconds = Math.round(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3_600)}h ${two(Math.floor((seconds % 3_600) / 60))}m`;
}

/** A cost with its currency. */
export function money(cost: number | null, prices: Prices | undefined): string {
  if (cost === null || prices === undefined) return "na";
  return `${cost.toFixed(2)} ${prices.currency}`;
}
