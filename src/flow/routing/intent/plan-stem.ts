import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isoSeconds } from "../../../kernel/text/time.ts";
import { type Artifact, textAt } from "../../artifact/read.ts";
import { parseTimestamp } from "../../common/timestamp.ts";
import { slugOf } from "../../identity/slug.ts";

/**
 * What a plan's file name begins with (docs/spec/flow.md 4): the day the workflow began and what it is called, with the
 * id's last digits where plans of that name are there already. `now` counts for a workflow that does not say when it began.
 */
export function planFileStem(root: string, id: string, artifact: Artifact, now: number): string {
  const began = parseTimestamp(textAt(artifact, "created_at") ?? "") ?? now;
  const [, slug, hex] = /^wf-(.+)-\d{8}-\d{6}-([0-9a-f]{8})$/.exec(id) ?? [];
  const stem = `${isoSeconds(began).slice(0, 10)}-${slug ?? slugOf(textAt(artifact, "user_request") ?? "")}`;
  return hex !== undefined && isTaken(root, stem) ? `${stem}-${hex}` : stem;
}

function isTaken(root: string, stem: string): boolean {
  try {
    return readdirSync(join(root, "docs", "plans")).some(
      (name) => name.startsWith(`${stem}-`) && name.endsWith(".md"),
    );
  } catch {
    // No such folder: no plan of this name.
    return false;
  }
}
