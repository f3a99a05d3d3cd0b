import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { assetText, listAssets } from "../../runtime/assets.ts";
import { demoGit } from "../git.ts";
import type { Step } from "../step.ts";

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
    await demoGit(demo, ["init", "--quiet", "--initial-branch=main"]);
    await demoGit(demo, ["add", "--all"]);
    await demoGit(demo, ["commit", "--quiet", "--message", "A shop that rounds wrong"]);
    return `${files.length} files committed on main`;
  },
};
