import type { Hook } from "../hook.ts";
import type { Guarded } from "./places.ts";

/** What every check of one tool call looks at. */
export interface Guard {
  hook: Hook;
  tool: string;
  /** The payload's directory; without one nothing is confined. */
  cwd: string | undefined;
  session: string | undefined;
  /** The projects whose files are protected: that of `cwd` first, then `CLAUDE_PROJECT_DIR`. */
  projects: readonly Guarded[];
  /** Their roots. */
  roots: readonly string[];
}
