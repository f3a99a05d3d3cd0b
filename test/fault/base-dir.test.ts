/** The anchor of a base directory: whole or absent, whatever happens to the call that records it. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ANCHOR, hasAnchor, readJson } from "../base-dir/fixture.ts";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { faults } from "./harness.ts";

const words = (base: string) => ["base-dir", "record", "--base", base, "--source", "askuserquestion"];

faults({
  what: "base-dir record",
  least: 2,
  prepare() {
    const root = tempDir();
    const env = { HOME: join(root, "home"), JIG_TMP_ROOT: join(root, "t") };
    const base = join(root, "base");
    for (const directory of [env.HOME, base]) mkdirSync(directory);
    return { command: [JIG, ...words(base)], directory: base, base, cwd: root, env };
  },
  async holds({ base, cwd, env }, { call, code, killed }) {
    if (hasAnchor(base)) expect(readJson(join(base, ANCHOR))).toMatchObject({ version: 1, base });
    for (const name of readdirSync(base)) expect(name.startsWith(ANCHOR)).toBe(true);
    // What cannot be removed stays, beside the anchor.
    if (!killed && code === 0 && !call.name.startsWith("unlink")) expect(readdirSync(base)).toEqual([ANCHOR]);
    const next = await runJig(["base-dir", "resolve"], { cwd: base, env });
    expect([next.code, hasAnchor(base)]).toEqual([0, true]);
    expect((await runJig(words(base), { cwd, env })).code).toBe(0);
  },
});
