import type { Host, RunResult } from "../kernel/call/host.ts";

/** The run that the delivery step opens and the last step resumes and closes. */
export const DEMO_RUN = "demo";

/** What the steps of one demo share. */
export interface Demo {
  host: Host;
  /** The fresh private directory everything happens in. */
  directory: string;
  /** The example repository inside it. */
  project: string;
  /** Run a jig command there and fail the step with that command's own error when it fails. */
  jig(argv: readonly string[], options?: { cwd?: string; expect?: number }): Promise<RunResult>;
  /** Undone in reverse order at the end, whatever happened. */
  atEnd(undo: () => Promise<unknown>): void;
  /** Address of the screen, once it is served. */
  screen: string | undefined;
}

/** One thing the demo shows. A later capability adds a file beside these and a line in `steps.ts`. */
export interface Step {
  id: string;
  title: string;
  needsGit: boolean;
  /** Does it with the real commands; the text says what was seen, in one line. */
  run(demo: Demo): Promise<string>;
}

/** What a command printed, as text without the final newline. */
export function textOf(result: RunResult): string {
  return new TextDecoder().decode(result.stdout).trimEnd();
}

/** What a command printed, as JSON. */
export function jsonOf<T>(result: RunResult): T {
  return JSON.parse(textOf(result)) as T;
}
