import type { Outcome } from "../../kernel/call/outcome.ts";
import { buildInfo } from "../../runtime/build-info.ts";
import type { Version } from "./schema.ts";

/** Version, platform and commit in one line; runtime and build data with `--json`. */
export function version(): Outcome<Version> {
  const data = buildInfo();
  const text = `jig ${data.version} (${data.os}-${data.arch}, ${data.commit.slice(0, 12)})`;
  return { data, text };
}
