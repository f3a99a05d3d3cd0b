/** The action of `jig flow phase WF ACTION`, with the words that belong to it (docs/spec/flow.md 6.5). */
import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { refuseOthers } from "../common/usage.ts";
import type { PhaseArgs } from "./phase.ts";

interface Words {
  flags: Omit<PhaseArgs, "wf"> & { from?: string | undefined; replace: boolean };
  positionals: readonly string[];
}

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  load: ["from", "replace"],
  add: ["after", "before"],
  set: ["reason", "reason-file", "reopen"],
  next: [],
  advance: [],
  list: [],
};

/** How many words stand behind an action. */
const WORDS: Readonly<Record<string, number>> = { add: 1, set: 2 };

export async function phaseAction(host: Host, { flags, positionals }: Words): Promise<Outcome> {
  const [wf, action, ...rest] = positionals as [string, string, ...string[]];
  const wanted = WORDS[action] ?? 0;
  refuseOthers(`phase ${action}`, flags, FLAGS[action]!, rest.slice(wanted));
  if (rest.length < wanted) {
    throw new UsageError(`phase ${action} needs ${action === "add" ? "a STEP" : "a KEY and a STATUS"}`);
  }
  const [key, status] = rest as [string, string];
  const args = { wf, ...flags };
  if (action === "load") {
    const { from } = flags;
    if (from === undefined) throw new UsageError("phase load needs --from");
    return (await import("./load.ts")).phaseLoad(host, { ...args, from });
  }
  const verbs = await import("./phase.ts");
  switch (action) {
    case "add":
      return verbs.phaseAdd(host, key, args);
    case "set":
      return verbs.phaseSet(host, key, status, args);
    case "next":
      return verbs.phaseNext(host, args);
    case "advance":
      return verbs.phaseAdvance(host, args);
    default:
      return verbs.phaseList(host, args);
  }
}
