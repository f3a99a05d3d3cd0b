import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { reasonOf } from "../common/fail.ts";

/**
 * A hook's outcome: its text, or nothing and one line on stderr. Always exit 0: a hook that fails must not stop the
 * session it runs in (docs/spec/craft-run.md 11).
 */
export async function runHook(
  host: Host,
  name: string,
  text: (host: Host) => Promise<string>,
): Promise<Outcome> {
  try {
    const said = await text(host);
    return { data: said, text: said };
  } catch (error) {
    return { data: "", text: "", notes: [`craft ${name}: failed (${printable(reasonOf(error))})`] };
  }
}
