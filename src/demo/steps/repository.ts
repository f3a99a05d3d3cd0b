import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import { type GitArguments, git } from "../../kernel/repository/git.ts";
import { assetText, listAssets } from "../../runtime/assets.ts";
import type { Demo, Step } from "../step.ts";

const SETTINGS = {
  "user.name": "jig demo",
  "user.email": "demo@example.invalid",
};
const SOURCE = "assets/demo/project/";

/** A small git repository with a failing feature, from embedded files. */
export const repository: Step = {
  id: "repository",
  title: "A repository with a failing feature",
  needsGit: true,
  async run(demo) {
    const files = listAssets("assets/demo/project");
    for (const file of files) {
      // Embedded without the leading dot, which build tools like to skip.
      const path = join(demo.project, file.slice(SOURCE.length).replace(/^dot-/, "."));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, assetText(file));
    }
    await run(demo, ["init", "--quiet", "--initial-branch=main"]);
    await run(demo, ["add", "--all"]);
    await run(demo, ["commit", "--quiet", "--message", "A shop that rounds wrong"]);
    return `${files.length} files committed on main`;
  },
};

async function run(demo: Demo, args: GitArguments) {
  const result = await git(demo.host, args, { cwd: demo.project, timeoutMs: 20_000, config: SETTINGS });
  if (result.exitCode !== 0)
    throw new JigError(`git ${args[0]} exits ${result.exitCode}: ${result.stderr.trim()}`);
}
