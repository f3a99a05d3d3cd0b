import { JigError } from "../kernel/call/errors.ts";
import { type GitArguments, git } from "../kernel/repository/git.ts";
import type { Demo } from "./step.ts";

const SETTINGS = {
  "user.name": "jig demo",
  "user.email": "demo@example.invalid",
};

/** Run git in the example, or in another directory of the demo, as its author; a failure is the step's own. */
export async function demoGit(demo: Demo, args: GitArguments, cwd = demo.project): Promise<void> {
  const result = await git(demo.host, args, { cwd, timeoutMs: 20_000, config: SETTINGS });
  if (result.exitCode !== 0)
    throw new JigError(`git ${args[0]} exits ${result.exitCode}: ${result.stderr.trim()}`);
}
