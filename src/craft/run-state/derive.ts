/** Where a run stands, from its records and a fresh Resolution; pure (docs/spec/craft-run.md 3.3). */

/** What of a Resolution is looked at. */
export interface ResolutionFacts {
  /** Ids of the phases that run, in walk order. */
  effective: readonly string[];
  /** Executing harnesses that propose waits for. */
  awaiting: readonly string[];
}

export interface PartState {
  n: number;
  sha: string;
  size: string;
  outcome: string;
}

export interface FindingsState {
  dimension: string;
  cycle: number;
  path: string;
  count: number;
}

export interface BackgroundState {
  phase: string;
  technique: string;
  pid: number;
  out: string;
  spec: string;
}

export interface Release {
  phase: string;
  by: "auto-skip" | "no-op" | "gate";
}

/** A run's state; keys in the order they are printed. */
export interface RunState {
  run: string;
  completed: string[];
  inFlight: { phase: string; since: string }[];
  next: string | null;
  awaitingHarnesses: string[];
  parts: PartState[];
  findings: FindingsState[];
  background: BackgroundState[];
  warnings: string[];
  releases: Release[];
}

export type Derived =
  | { ok: true; state: RunState }
  | { ok: false; ledger: string[] | undefined; resolution: string[] };

const P = "[a-z][a-z0-9-]*";
const X = "[^():\\s]+";

/** A record that a tool parses: what it starts with, its whole grammar, and what it does. */
interface Token {
  start: string;
  grammar: RegExp;
  /** What warnings call it; one without is passed over in silence when malformed. */
  name?: string;
  take(builder: RunStateBuilder, groups: readonly string[]): void;
}

const TOKENS: readonly Token[] = [
  {
    start: "AWAITING(",
    name: "AWAITING(propose)",
    grammar: /^AWAITING\(propose\): (.+)$/,
    take: (builder, [ids]) => builder.await(idsOf(ids!)),
  },
  {
    start: "PHASE-START(",
    name: "PHASE-START",
    grammar: new RegExp(`^PHASE-START\\((${P})\\): (\\S+)$`),
    take: (builder, [phase, since]) => builder.start(phase!, since!),
  },
  {
    start: "PHASE-DONE(",
    name: "PHASE-DONE",
    grammar: new RegExp(`^PHASE-DONE\\((${P})\\): (.*)$`),
    take: (builder, [phase]) => builder.done(phase!),
  },
  {
    start: "PART(",
    name: "PART",
    grammar: /^PART\((\d+)\): ([0-9a-f]{7,40}) size=(\S+) outcome=(pass|blocked)$/,
    take: (builder, [n, sha, size, outcome]) =>
      builder.part({ n: Number(n), sha: sha!, size: size!, outcome: outcome! }),
  },
  {
    start: "FINDINGS(",
    name: "FINDINGS",
    grammar: new RegExp(`^FINDINGS\\((${X})\\): c(\\d+) (\\S+) n=(\\d+)$`),
    take: (builder, [dimension, cycle, path, count]) =>
      builder.findings.push({
        dimension: dimension!,
        cycle: Number(cycle),
        path: path!,
        count: Number(count),
      }),
  },
  {
    start: "HARNESS-BG(",
    name: "HARNESS-BG",
    grammar: new RegExp(`^HARNESS-BG\\((${P}):(${X})\\): pid=(\\d+) out=(\\S+) spec=(\\S+)$`),
    take: (builder, [phase, technique, pid, out, spec]) =>
      builder.background.push({
        phase: phase!,
        technique: technique!,
        pid: Number(pid),
        out: out!,
        spec: spec!,
      }),
  },
  {
    start: "GATE(",
    grammar: new RegExp(`^GATE\\((${P})\\): (green|red)(?: .*)?$`),
    take: (builder, [phase, colour]) => builder.gate(phase!, colour === "green"),
  },
  {
    start: "NO-OP(",
    grammar: new RegExp(`^NO-OP\\((${P})\\):`),
    take: (builder, [phase]) => builder.releasedBy("no-op", phase!),
  },
  {
    start: "auto-skip:",
    grammar: new RegExp(`^auto-skip:\\s*(${P})`),
    take: (builder, [phase]) => builder.skip(phase!),
  },
];

/** Takes a run's records one by one, keeping only what the state needs. */
export class RunStateBuilder {
  readonly findings: FindingsState[] = [];
  readonly background: BackgroundState[] = [];
  private readonly run: string;
  private readonly facts: ResolutionFacts;
  private readonly known: ReadonlySet<string>;
  private readonly events = new Map<string, { last: "start"; since: string } | { last: "done" }>();
  private readonly parts = new Map<number, PartState>();
  /** `by phase` to the number of the record that decided it. */
  private readonly releases = new Map<string, number>();
  private readonly warnings: string[] = [];
  private awaiting: string[] | undefined;
  private count = 0;

  constructor(run: string, facts: ResolutionFacts) {
    this.run = run;
    this.facts = facts;
    this.known = new Set(facts.effective);
  }

  /** One record of the run, without its run-id and phase. */
  add(text: string): void {
    this.count++;
    const record = text.replace(/^[ \t]+/, "");
    const token = TOKENS.find(({ start }) => record.startsWith(start));
    if (token === undefined) return;
    const match = token.grammar.exec(record);
    if (match !== null) token.take(this, match.slice(1));
    else if (token.name !== undefined) this.warnings.push(`malformed ${token.name} record: ${record}`);
  }

  /** The set of harnesses that propose waits for; the last one counts. */
  await(ids: string[]): void {
    this.awaiting = ids;
  }

  start(phase: string, since: string): void {
    if (!this.isKnown(phase)) return;
    if (this.events.get(phase)?.last === "start") {
      this.warnings.push(`phase ${phase} has a second PHASE-START while in flight`);
    }
    this.events.set(phase, { last: "start", since });
  }

  done(phase: string): void {
    if (this.isKnown(phase)) this.events.set(phase, { last: "done" });
  }

  part(part: PartState): void {
    this.parts.set(part.n, part);
  }

  /** The last result of a gate counts: a red one takes a release back. */
  gate(phase: string, green: boolean): void {
    this.releases.delete(`gate ${phase}`);
    if (green) this.releases.set(`gate ${phase}`, this.count);
  }

  skip(phase: string): void {
    this.releasedBy("auto-skip", phase);
    this.isKnown(phase);
  }

  /** The first record of its kind decides. */
  releasedBy(by: "auto-skip" | "no-op", phase: string): void {
    const key = `${by} ${phase}`;
    if (!this.releases.has(key)) this.releases.set(key, this.count);
  }

  private isKnown(phase: string): boolean {
    if (this.known.has(phase)) return true;
    this.warnings.push(`phase ${phase} is not in the effective pipeline`);
    return false;
  }

  /** The state after all records; not ok when the ledger and the Resolution await different harnesses. */
  end(): Derived {
    const { effective, awaiting } = this.facts;
    if (this.awaiting === undefined && awaiting.length === 0) {
      this.warnings.push(`no AWAITING(propose) line for run ${this.run}`);
    } else if (this.awaiting === undefined || !sameSet(this.awaiting, awaiting)) {
      return { ok: false, ledger: this.awaiting, resolution: [...awaiting] };
    }
    const inFlight = effective.flatMap((phase) => {
      const event = this.events.get(phase);
      return event?.last === "start" ? [{ phase, since: event.since }] : [];
    });
    const flying = new Set(inFlight.map(({ phase }) => phase));
    const completed = effective.filter(
      (phase) => !flying.has(phase) && (this.events.has(phase) || this.releases.has(`auto-skip ${phase}`)),
    );
    const settled = new Set([...completed, ...flying]);
    const awaited = [...new Set(this.awaiting ?? [])];
    const releases = awaited.flatMap((phase) => this.release(phase) ?? []);
    const released = new Set(releases.map(({ phase }) => phase));
    const state: RunState = {
      run: this.run,
      completed,
      inFlight,
      next: effective.find((phase) => !settled.has(phase)) ?? null,
      awaitingHarnesses: awaited.filter((phase) => !released.has(phase)),
      parts: [...this.parts.values()].sort((a, b) => a.n - b.n),
      findings: this.findings,
      background: this.background,
      warnings: this.warnings,
      releases: releases.sort((a, b) => a.at - b.at).map(({ phase, by }) => ({ phase, by })),
    };
    return { ok: true, state };
  }

  /** What releases an awaited harness first, with the number of the record that decided. */
  private release(phase: string): (Release & { at: number }) | undefined {
    return (["auto-skip", "no-op", "gate"] as const)
      .flatMap((by) => {
        const at = this.releases.get(`${by} ${phase}`);
        return at === undefined ? [] : [{ phase, by, at }];
      })
      .sort((a, b) => a.at - b.at)[0];
  }
}

function idsOf(value: string): string[] {
  if (value.trim() === "none") return [];
  return value
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((id) => b.has(id));
}
