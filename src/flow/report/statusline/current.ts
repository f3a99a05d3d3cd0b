import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { contextUsage } from "../../common/context-usage.ts";
import type { Layout } from "../../common/layout.ts";
import { lookAtWorkflow } from "../status/look.ts";
import { segment } from "../status/segment.ts";
import { chooseWorkflow, type Wanted } from "../status/target.ts";

/** The segment of a project's current workflow, or of the one that is wanted; "" when there is none. */
export async function currentSegment(
  host: Host,
  layout: Layout,
  wanted: Wanted,
  usageWaitMs: number,
): Promise<string> {
  const seen = seenOrNothing(layout, wanted);
  if (seen === undefined) return "";
  const looked = lookAtWorkflow(layout, seen, host.now());
  return segment(looked, await contextUsage(host, usageWaitMs), colours(host));
}

function seenOrNothing(layout: Layout, wanted: Wanted) {
  try {
    return chooseWorkflow(layout, wanted, () => {});
  } catch (error) {
    if (error instanceof JigError) return undefined;
    throw error;
  }
}

/** A status line goes through a pipe to a host that shows colours, so only what the user says turns them off. */
function colours({ env }: Pick<Host, "env">): boolean {
  return !env["NO_COLOR"] && env["TERM"] !== "dumb";
}
