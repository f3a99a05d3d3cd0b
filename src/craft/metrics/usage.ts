/** Token counts of one or many billed turns; pure (docs/spec/craft-run.md 9.3, 9.4). */
export interface Usage {
  input: number;
  cacheRead: number;
  cacheCreation: number;
  output: number;
}

export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheCreation: 0, output: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheCreation: a.cacheCreation + b.cacheCreation,
    output: a.output + b.output,
  };
}

/** A relative unit of cost, never money: output weighs five times the input, a cache read a tenth. */
export function equivalent({ input, cacheRead, cacheCreation, output }: Usage): number {
  return roundHalfUp(input + 0.1 * cacheRead + 1.25 * cacheCreation + 5 * output);
}

/** Half up, also below zero; a sum of tenths is rounded to what it means first. */
export function roundHalfUp(value: number): number {
  return Math.floor(Number(value.toFixed(6)) + 0.5);
}

/** A billed turn as one transcript has it. */
export interface Turn {
  usage: Usage;
  toolCalls: number;
  /** Neither cache field was there: no false zero is made of it. */
  withoutCache: boolean;
}

/** What one spawn of an agent cost. */
export interface Spawn {
  turns: Turn[];
  durationMs: number;
}

/** One row of the metrics ledger, as numbers; nulls are `na`. */
export interface MetricsRow {
  run: string;
  phase: string;
  /** Null: no transcript was found for the phase. */
  figures: {
    turns: number;
    toolCalls: number;
    tokens: number | null;
    durationMs: number;
    /** Null: the transcript does not say. */
    cache: { read: number; creation: number } | null;
    output: number;
    averageContext: number | null;
    equivalent: number | null;
  } | null;
}

/** The row of a phase from its spawns. */
export function rowOf(run: string, phase: string, spawns: readonly Spawn[]): MetricsRow {
  const turns = spawns.flatMap((spawn) => spawn.turns);
  if (turns.length === 0) return { run, phase, figures: null };
  const usage = turns.reduce((sum, turn) => addUsage(sum, turn.usage), NO_USAGE);
  const known = !turns.some((turn) => turn.withoutCache);
  const context = usage.input + usage.cacheRead + usage.cacheCreation;
  return {
    run,
    phase,
    figures: {
      turns: turns.length,
      toolCalls: turns.reduce((sum, turn) => sum + turn.toolCalls, 0),
      tokens: known ? context + usage.output : null,
      durationMs: spawns.reduce((sum, spawn) => sum + spawn.durationMs, 0),
      cache: known ? { read: usage.cacheRead, creation: usage.cacheCreation } : null,
      output: usage.output,
      averageContext: known ? roundHalfUp(context / turns.length) : null,
      equivalent: known ? equivalent(usage) : null,
    },
  };
}

/** A row as its line of the ledger. */
export function rowText({ run, phase, figures }: MetricsRow): string {
  if (figures === null) return `${run} ${phase} transcript=na`;
  const { turns, toolCalls, tokens, durationMs, cache, output, averageContext, equivalent: equiv } = figures;
  const caches = cache === null ? "cache=na" : `cache_read=${cache.read} cache_creation=${cache.creation}`;
  return `${run} ${phase} turns=${turns} tool_calls=${toolCalls} tokens=${tokens ?? "na"} duration_ms=${durationMs} ${caches} output=${output} avg_ctx=${averageContext ?? "na"} equiv=${equiv ?? "na"}`;
}

/** A line of the ledger as a row; undefined for anything else. */
export function parseRow(line: string): MetricsRow | undefined {
  const [run, phase, ...pairs] = line.trim().split(" ");
  if (run === undefined || phase === undefined || run.startsWith("#") || pairs.length === 0) return undefined;
  if (pairs.length === 1 && pairs[0] === "transcript=na") return { run, phase, figures: null };
  const values = new Map(pairs.map((pair) => pair.split("=", 2) as [string, string]));
  const count = (name: string): number | undefined => {
    const text = values.get(name);
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const orNull = (name: string): number | null | undefined =>
    values.get(name) === "na" ? null : count(name);
  const [turns, toolCalls, durationMs, output] = ["turns", "tool_calls", "duration_ms", "output"].map(count);
  const [tokens, averageContext, equiv] = ["tokens", "avg_ctx", "equiv"].map(orNull);
  const [read, creation] = [count("cache_read"), count("cache_creation")];
  const cache =
    values.get("cache") === "na"
      ? null
      : read !== undefined && creation !== undefined
        ? { read, creation }
        : undefined;
  if (turns === undefined || toolCalls === undefined || durationMs === undefined || output === undefined)
    return undefined;
  if (tokens === undefined || averageContext === undefined || equiv === undefined || cache === undefined)
    return undefined;
  return {
    run,
    phase,
    figures: { turns, toolCalls, tokens, durationMs, cache, output, averageContext, equivalent: equiv },
  };
}
