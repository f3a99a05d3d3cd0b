import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runJig } from "../support/run.ts";
import type { Outputs, World } from "../support/world.ts";
import { fakeSlurm } from "./engine/fake-slurm.ts";

/** Of a job that an engine has; the others are made where the schemas are tested. */
export function outputs({ base }: World): Outputs {
  return {
    async "job-engine"() {
      const { bin } = fakeSlurm(base);
      const env = { CE_PEER_JOBS_ROOT: join(base, "engine-jobs"), PATH: `${bin}:${process.env["PATH"]}` };
      const { stdout } = await runJig(["job", "start", "--on", "slurm", "--json", "--", "true"], { env });
      return JSON.parse(readFileSync(join(JSON.parse(stdout).job_dir, "engine.json"), "utf8"));
    },
  };
}
