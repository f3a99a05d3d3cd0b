import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { publishFailure, publishRecord } from "../record/publish.ts";
import { hasRecord } from "../record/state.ts";
import { budgetOf, LOOK_SECONDS } from "./budget.ts";
import type { OpenJob } from "./engine.ts";
import { lookAtEngines } from "./look.ts";
import { openJob } from "./open-job.ts";
import { takeHandOver } from "./withdraw.ts";

/** End a job that an engine has, then look at it (docs/spec/engines.md 3.5). Lines for stderr. Throws `JigError`. */
export async function stopJob(host: Host, ref: string, directory: string): Promise<string[]> {
  const job = await requireOpen(host, ref, directory);
  const said = await job.engine.stop(host, job);
  if (hasRecord(directory)) return said;
  const look = { budget: budgetOf(LOOK_SECONDS), bring: true };
  const { notes } = await lookAtEngines(host, [{ ref, directory }], look);
  return [...said, ...notes];
}

/** Give a job up whose engine is gone for good: nobody is asked. Throws `JigError`. */
export async function abandonJob(host: Host, ref: string, directory: string): Promise<string[]> {
  const job = await requireOpen(host, ref, directory);
  const where = printable(job.engine.nameOf(job.file));
  try {
    takeHandOver(directory);
    await publishRecord(host, directory, { state: "died-without-result", reason: "abandoned by hand" });
  } catch (error) {
    throw new JigError(publishFailure(error), { cause: error });
  }
  return [`job ${printable(ref)}: given up; something of it may still run on ${where}`];
}

async function requireOpen(host: Host, ref: string, directory: string): Promise<OpenJob> {
  const job = await openJob(host, ref, directory);
  if ("problem" in job) throw new JigError(`job ${printable(ref)}: ${job.problem}`);
  return job;
}
