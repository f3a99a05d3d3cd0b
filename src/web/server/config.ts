/** How an annotate credential is handed out (docs/spec/web.md 8.4). */
export type AuthMode = "auto" | "open" | "link";

/** Budgets of the serving process in milliseconds (docs/spec/web.md section 14). */
export interface Times {
  idle: number;
  lifecycle: number;
  /** How long a parked wait is held before a 204. */
  wait: number;
  /** How long a session lives without an open tab. */
  grace: number;
}

export const DEFAULT_TIMES: Times = { idle: 1_800_000, lifecycle: 60_000, wait: 30_000, grace: 30_000 };

/** Limits on what one server holds (docs/spec/web.md 5.1, 9, 12.1). */
export const LIMITS = {
  /** Milliseconds for a request body to be complete. */
  bodyTime: 15_000,
  parkedWaits: 16,
  /** Two hundred at once are meant to work; the limit is against exhaustion. */
  streams: 256,
  /** Bytes a stream's client may leave unread. */
  streamBacklog: 1 << 20,
  notes: 1000,
  noteBytes: 8 << 20,
  /** Answers kept with a note. */
  answers: 20,
  /** Images being received at once, and bytes of them a root may hold. */
  uploads: 4,
  imagesBytes: 200 << 20,
  /** Milliseconds for an image to be complete. */
  imageTime: 60_000,
  /** Bytes of a document that is read whole to be put together; a larger one is streamed. */
  document: 256 << 10,
} as const;

/** What one server is told before it starts. */
export interface SiteConfig {
  /** `<root>/screens`, symlinks kept. */
  screens: string;
  /** The `--host` value, verbatim. */
  host: string;
  annotate: boolean;
  auth: AuthMode;
  /** Lower case; a leading dot accepts subdomains too. */
  allowHosts: readonly string[];
  publicUrl: URL | undefined;
  /** This machine's name, an accepted Host on a bind beyond loopback. */
  machineName: string;
  times: Times;
}

/** The clock of a server: wall time for records, monotonic time for every budget. */
export interface Clock {
  now(): number;
  monotonic(): number;
}
