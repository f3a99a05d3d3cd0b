/** What a bench may use. */
export interface BenchContext {
  /** The compiled binary. */
  jig: string;
  /** An empty program compiled the same way. */
  empty: string;
  /** A private directory, removed afterwards. */
  tempDir: string;
}

/** One figure, beside its baseline where there is one. */
export interface BenchRow {
  figure: string;
  value: number;
  unit: string;
  /** What the baseline is: `empty compiled program`. */
  baseline?: string;
  baselineValue?: number;
}

export interface Bench {
  name: string;
  run(context: BenchContext): Promise<BenchRow[]>;
}
