import type { Host } from "../kernel/host.ts";
import type { Outcome } from "../kernel/outcome.ts";
import { rootForNewJobs } from "./place.ts";
import { candidateRoots } from "./roots.ts";
import type { JobRoot } from "./schema.ts";

/** Print the jobs root a new job would use now; nothing is created (spec/jobs.md 11.4). */
export async function jobRoot(host: Host): Promise<Outcome<JobRoot>> {
  const { root, fallback } = await rootForNewJobs(host);
  return { data: { root, fallback, candidates: candidateRoots(host) }, text: root };
}
