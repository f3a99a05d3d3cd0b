import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { type ConfigCheck, ConfigCheckSchema } from "../../src/config/schema.ts";
import { tempDir } from "../support/temp.ts";
import { repository, runConfig } from "./setup.ts";

const findings = async (...lines: string[]) => {
  const { team, json } = repository();
  team(...lines);
  const { findings: found } = await json<ConfigCheck>("check");
  return found.map(({ level, line, message }) => `${line}: ${level}: ${message}`);
};

describe("config check", () => {
  test("config-24 a retired key is an error that says what to use", async () => {
    const { team, config } = repository();
    team("plan_use_fable: true");
    const { code, stdout } = await config("check");
    expect(code).toBe(1);
    expect(stdout).toBe(
      "config.yaml:1: error: plan_use_fable is retired and not read; use plan_model\nconfig: 1 errors, 0 warnings\n",
    );
    for (const key of ["brainstorm_use_fable", "fable_nudge", "work_engine_target", "work_engine_model"]) {
      expect(await findings(`${key}: x`)).toHaveLength(1);
    }
  });

  test("config-25 an unknown key is information, with the nearest known one", async () => {
    const { team, config } = repository();
    team("brainstrom_output: html", "wholly_different: 1");
    const { code, stdout } = await config("check");
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "config.yaml:1: info: brainstrom_output is not a key jig knows; did you mean brainstorm_output?",
        "config.yaml:2: info: wholly_different is not a key jig knows",
        "config: 0 errors, 0 warnings\n",
      ].join("\n"),
    );
  });

  test("clean files have no findings", async () => {
    const { team, local, config } = repository();
    team(
      "docs_root: art",
      "plan_output: html",
      "work_engine_mode: prefer",
      "work_engine_preferences:",
      "  - harness: codex",
      "    model: gpt-5.6",
      "packs:",
      "  - source: rules",
      "feedback_sources:",
      "  - {type: slack, id: a, target: '#x', sensitive: true}",
    );
    local("plan_model: opus");
    expect(await config("check")).toEqual({ code: 0, stdout: "config: 0 errors, 0 warnings\n", stderr: "" });
  });

  test("an invalid value says what is used instead", async () => {
    const { team, local, config } = repository();
    team("plan_output: html", "sweep_ack_cap: 0", "plan_model: a b", "work_engine_preferences: codex");
    local("plan_output: pdf");
    const { code, stdout } = await config("check");
    expect(code).toBe(1);
    expect(stdout.split("\n")).toEqual([
      "config.yaml:2: error: sweep_ack_cap: '0' is not valid (expected a whole number from 1); '25' from the default is used instead",
      "config.yaml:3: error: plan_model: 'a b' is not valid (expected a model alias of letters, digits and . _ -, at most 64); nothing is used instead",
      "config.yaml:4: error: work_engine_preferences: 'codex' is not valid (expected a list); '[]' from the default is used instead",
      "config.local.yaml:1: error: plan_output: 'pdf' is not valid (expected md, html); 'html' from config.yaml:1 is used instead",
      "config: 4 errors, 0 warnings",
      "",
    ]);
  });

  test("a syntax problem has its place, and packs are still checked", async () => {
    const found = await findings("packs:", "  - ref: v1", "foo: [");
    expect(found).toHaveLength(2);
    expect(found.join("\n")).toMatch(/^2: error: entry has no `source:`$/m);
    expect(found.join("\n")).toMatch(/^[34]: error: .*\(column \d+\)$/m);
    expect(await findings("- a")).toEqual([
      "1: error: the top level is a list; expected `key: value` lines (column 1)",
    ]);
  });

  test("items of work_engine_preferences", async () => {
    const found = await findings(
      "work_engine_mode: prefer",
      "work_engine_preferences:",
      "  - harness: vim",
      "  - model: x",
      "  - harness: codex",
      "    model: a b",
      "  - harness: codex",
      "    effort: high",
      "  - codex",
      "  - {}",
      "  - harness: claude",
      "    model: [a]",
    );
    expect(found.map((line) => line.replace("error: work_engine_preferences: ", ""))).toEqual([
      "3: unknown harness 'vim'; expected one of codex, claude, grok, cursor",
      "4: model 'x' has no harness",
      `5: model "a b" is not valid; expected letters, digits and . _ : / -`,
      "8: unknown item key 'effort'; expected harness and model",
      '9: "codex" is no item; expected {harness, model}',
      "10: an item has no harness",
      `11: model ["a"] is not valid; expected letters, digits and . _ : / -`,
    ]);
  });

  test("items of feedback_sources", async () => {
    expect(
      await findings(
        "feedback_sources:",
        "  - {type: slack, id: a, target: x}",
        "  - {type: fax, id: a, target: y}",
        "  - {type: email}",
      ),
    ).toEqual([
      "3: error: feedback_sources: unknown type 'fax'; expected one of slack, github-issues, email",
      "3: error: feedback_sources: duplicate id 'a', first in line 2",
      "4: error: feedback_sources: an item has no id",
      "4: error: feedback_sources: an item has no target",
    ]);
  });

  test("settings that contradict each other", async () => {
    expect(await findings("work_engine_mode: require")).toEqual([
      "1: error: work_engine_mode is require, but work_engine_preferences is empty",
    ]);
    expect(await findings("work_engine_preferences: [{harness: grok}]")).toEqual([
      "1: warning: work_engine_preferences has items, but work_engine_mode is off, so they are not used",
    ]);
    expect(await findings("cross_model_peer: grok", "cross_model_effort: max")).toEqual([
      "2: warning: cross_model_effort is max, but the peer grok offers low, medium, high",
    ]);
    expect(await findings("cross_model_peer: cursor", "cross_model_effort: low")).toEqual([
      "2: warning: cross_model_effort is low, but the peer cursor offers no effort setting",
    ]);
    expect(await findings("cross_model_peer: codex", "cross_model_effort: xhigh")).toEqual([]);
  });

  test("a list whose items are commented out is a warning", async () => {
    expect(await findings("packs:", "  # - source: x")).toEqual([
      "1: warning: packs is empty here, so it declares nothing; are all its items commented out?",
    ]);
  });

  test("packs are judged by the packs reader", async () => {
    expect(await findings("packs: [a]")).toEqual([
      "1: error: `packs:` must be a block list of `- source: ...` entries (got `packs: [a]`)",
    ]);
    expect(await findings("packs:", "  - source: true")).toEqual([
      "2: error: `source:` must be a single string (got true)",
    ]);
  });

  test("knows what git knows of the files", async () => {
    const { root, team, local, json, git } = repository();
    team("plan_output: md");
    local("plan_output: md");
    writeFileSync(join(root, ".gitignore"), "*.local.yaml\n");
    git("add", ".compound-engineering/config.yaml");
    const clean = await json<ConfigCheck>("check");
    expect(v.is(ConfigCheckSchema, clean)).toBe(true);
    expect(clean).toEqual({
      repo_root: root,
      layers: [
        {
          name: "config.yaml",
          path: join(root, ".compound-engineering/config.yaml"),
          exists: true,
          tracked: true,
          ignored: false,
        },
        {
          name: "config.local.yaml",
          path: join(root, ".compound-engineering/config.local.yaml"),
          exists: true,
          tracked: false,
          ignored: true,
        },
      ],
      findings: [],
      errors: 0,
      warnings: 0,
    });
    git("add", "-f", ".compound-engineering/config.local.yaml");
    const tracked = await json<ConfigCheck>("check");
    expect(tracked).toMatchObject({
      errors: 0,
      warnings: 1,
      findings: [{ level: "warning", file: "config.local.yaml" }],
    });
  });

  test("the obsolete root file is an error", async () => {
    const { root, config } = repository();
    writeFileSync(join(root, "compound-engineering.local.md"), "");
    const { code, stdout } = await config("check");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^compound-engineering\.local\.md: error: is obsolete/m);
  });

  test("no files, and no repository, are information", async () => {
    const { config } = repository();
    expect(await config("check")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^info: no config files; .*\nconfig: 0 errors, 0 warnings\n$/),
    });
    expect(await runConfig(tempDir(), ["check"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^info: not inside a git repository.*\nconfig: 0 errors, 0 warnings\n$/),
    });
  });

  test("text from a file is shown without escape sequences", async () => {
    const { team, config } = repository();
    team('"a\\e[31m": 1', 'plan_output: "\\e[31m"', 'docs_root: "\\e[31m"', "packs:", "  - x\u001b[31m: 1");
    expect((await config("check")).stdout).not.toMatch(/\u001b/);
  });
});
