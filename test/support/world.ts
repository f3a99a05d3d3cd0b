import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runJig } from "./run.ts";
import { tempDir } from "./temp.ts";

const PLAN = `---
title: Mute alerts
type: feat
date: 2026-09-24
artifact_contract: ce-unified-plan/v1
artifact_readiness: requirements-only
product_contract_source: ce-brainstorm
---

# Mute alerts

## Goal Capsule

- **Objective:** fewer pages at night.

## Product Contract

### Summary

People mute an alert for a while.
`;

/** For tests of real outputs: a repository with a config, a pack, a plan, a settled job and a running annotate server. */
export async function makeWorld() {
  const base = tempDir();
  const repo = join(base, "repo");
  mkdirSync(join(repo, ".compound-engineering"), { recursive: true });
  spawnSync("git", ["init", "-q"], { cwd: repo });
  writeFileSync(
    join(repo, ".compound-engineering/config.yaml"),
    "plan_output: md\nplan_model: opus\npacks:\n  - source: rules\n",
  );
  mkdirSync(join(repo, "rules/web"), { recursive: true });
  writeFileSync(join(repo, "rules/web/a.md"), "---\ntitle: A rule\napplies_when: always\n---\nDo it.\n");
  mkdirSync(join(repo, "docs/plans"), { recursive: true });
  const plan = join(repo, "docs/plans/2026-09-24-0952-feat-mute-alerts-plan.md");
  writeFileSync(plan, PLAN);
  const bin = join(base, "bin");
  mkdirSync(bin);
  const event = { type: "result", subtype: "success", is_error: false, result: "fine", modelUsage: {} };
  writeFileSync(
    join(bin, "claude"),
    `#!/bin/sh\ncat >/dev/null\nprintf '%s\\n' '${JSON.stringify(event)}'\n`,
  );
  chmodSync(join(bin, "claude"), 0o755);
  const env = {
    HOME: join(base, "home"),
    JIG_TMP_ROOT: base,
    TMPDIR: base,
    PATH: `${bin}:${process.env["PATH"]}`,
  };
  mkdirSync(env.HOME);
  const jig = async (...words: string[]) => {
    const run = await runJig(words, { cwd: repo, env, timeout: 40_000 });
    if (run.stdout === "" && !words.includes("reap"))
      throw new Error(`jig ${words.join(" ")}: ${run.stderr}`);
    return run.stdout;
  };
  const json = async (...words: string[]) => JSON.parse(await jig(...words));
  const file = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
  return { base, repo, plan, jig, json, file };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** Real outputs by the name of their schema; a room's are in `test/<room>/outputs.ts`. */
export type Outputs = Record<string, () => unknown>;
