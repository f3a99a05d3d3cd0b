/** Severities of a finding, worst first. */
export const SEVERITIES = ["CRITICAL", "HIGH", "MEDIUM", "LOW"] as const;

/** What became of a finding; one without a status is actionable. */
export const STATUSES = ["VERIFIED", "SUSPECT", "RULED-OUT", "PROBE"] as const;

export type Severity = (typeof SEVERITIES)[number];
export type FindingStatus = (typeof STATUSES)[number];

/** One finding in the canonical form, keys in the order they are printed (docs/spec/craft-engine.md 15). */
export interface Finding {
  file: string;
  /** 1-based; 0 for the file as a whole. */
  line: number;
  severity: Severity;
  finding: string;
  fix?: string;
  status?: FindingStatus;
}

/** Untrusted input as an error shows it: at most 120 characters, JSON-escaped. */
export function echo(text: string): string {
  return JSON.stringify([...text.slice(0, 240)].slice(0, 120).join(""));
}
