import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { candidateRoots } from "../record/roots.ts";
import type { JobRoot } from "../schema.ts";
import { rootForNewJobs } from "../start/place.ts";

/** Print the jobs root a new job would use now; nothing is created (docs/spec/jobs.md 11.4). */
export async function jobRoot(host: Host): Promise<Outcome<JobRoot>> {
  const { root, fallback } = await rootForNewJobs(host);
  return { data: { root, fallback, candidates: candidateRoots(host) }, text: root };
}
