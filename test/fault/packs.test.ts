/** A fetched pack: the checkout that a call leaves is whole or none, whatever happens to the call. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { packSource, RULE, repository, rule } from "../packs/setup.ts";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { makeTempDir, removeDir } from "../support/temp.ts";
import { faults } from "./harness.ts";

const base = makeTempDir("jig-fault-packs-");
let url = "";
beforeAll(() => {
  url = packSource(join(base, "source"), (root) => rule(join(root, "a"))).url;
});
afterAll(() => removeDir(base));

const words = ["packs", "resolve"];

/** The pack's only root, with its rule; fails when anything is missing. */
async function expectWhole(cwd: string, env: Record<string, string | undefined>): Promise<void> {
  const run = await runJig(words, { cwd, env });
  const { errors, roots, warnings } = JSON.parse(run.stdout);
  expect([run.code, errors, warnings, roots.map(({ id }: { id: string }) => id)]).toEqual([0, [], [], ["a"]]);
  expect(readFileSync(join(roots[0].dir, "r.md"), "utf8")).toBe(RULE);
}

faults({
  what: "packs resolve, which fetches",
  least: 3,
  most: 6,
  prepare() {
    const { cache, env, root, team } = repository();
    team("packs:", `  - source: ${url}`, "    ref: v1");
    return { command: [JIG, ...words], directory: cache, cwd: root, env };
  },
  async holds({ cwd, env }, { code, killed, stdout }) {
    if (!killed && code === 0) {
      const { errors, roots, warnings } = JSON.parse(stdout);
      expect([...roots, ...warnings, ...errors]).not.toEqual([]);
    }
    await expectWhole(cwd, env);
  },
});

faults({
  what: "packs refresh",
  least: 3,
  most: 6,
  prepare() {
    const { cache, env, root, team } = repository();
    team("packs:", `  - source: ${url}`, "    ref: main");
    spawnSync(JIG, words, { cwd: root, env: env as NodeJS.ProcessEnv });
    return { command: [JIG, "packs", "refresh"], directory: cache, cwd: root, env };
  },
  holds: ({ cwd, env }) => expectWhole(cwd, env),
});
