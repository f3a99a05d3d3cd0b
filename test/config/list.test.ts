import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { type ConfigList, ConfigListSchema } from "../../src/config/schema.ts";
import { KEYS } from "../../src/kernel/config/keys.ts";
import { tempDir } from "../support/temp.ts";
import { repository, runConfig } from "./setup.ts";

const terminal = { isTerminal: true, width: 200, colour: false };

describe("config list", () => {
  test("config-27 is a JSON array sorted by key that includes docs_root", async () => {
    const { team, local, json } = repository();
    team(
      "plan_output: html",
      "auto_babysit: false",
      "theirs: x",
      "packs:",
      "  - source: a",
      "plan_use_fable: true",
    );
    local("brainstorm_model: opus", "ideate_output: pdf");
    const list = await json<ConfigList>("list");
    expect(v.is(ConfigListSchema, list)).toBe(true);
    expect(list.map(({ key, value, layer }) => [key, value, layer])).toEqual([
      ["auto_babysit", "false", "config.yaml"],
      ["brainstorm_model", "opus", "config.local.yaml"],
      ["docs_root", "docs", "default"],
      ["packs", [{ source: "a" }], "config.yaml"],
      ["plan_output", "html", "config.yaml"],
      ["theirs", "x", "config.yaml"],
    ]);
    expect(list.find(({ key }) => key === "theirs")?.type).toBe("unknown");
  });

  test("config-38 has a header on a terminal, tabs and no header when piped", async () => {
    const { root, team, config } = repository();
    team(
      "plan_output: html",
      `pulse_product_name: ${"x".repeat(80)}`,
      "packs:",
      "  - source: a",
      "  - source: b",
    );
    expect((await config("list")).stdout).toBe(
      `docs_root\tdocs\tdefault\npacks\t2\tconfig.yaml\nplan_output\thtml\tconfig.yaml\npulse_product_name\t${"x".repeat(80)}\tconfig.yaml\n`,
    );
    const { stdout } = await runConfig(root, ["list"], terminal);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^KEY +VALUE +LAYER$/);
    expect(lines.at(-1)).toMatch(new RegExp(`^pulse_product_name {2}${"x".repeat(59)}… {2}config\\.yaml$`));
  });

  test("a value that is not valid is not listed, and is said", async () => {
    const { team, config } = repository();
    team("plan_output: html", "sweep_ack_cap: 0");
    const { stdout, stderr } = await config("list");
    expect(stdout).toBe("docs_root\tdocs\tdefault\nplan_output\thtml\tconfig.yaml\n");
    expect(stderr).toMatch(/^warning: config\.yaml:2: sweep_ack_cap: '0' is not valid .*\n$/);
  });

  test("--all adds every known key with its default", async () => {
    const { config, json } = repository();
    const all = await json<ConfigList>("list", "--all");
    expect(all.map(({ key }) => key)).toEqual(Object.keys(KEYS).sort());
    expect(all.find(({ key }) => key === "plan_model")).toMatchObject({
      set: false,
      layer: "none",
      value: null,
    });
    expect((await config("list", "--all")).stdout).toContain("plan_model\t\tnone\n");
    expect((await config("list")).stdout).toBe("docs_root\tdocs\tdefault\n");
  });

  test("outside a repository lists the defaults", async () => {
    expect(await runConfig(tempDir(), ["list"])).toEqual({
      code: 0,
      stdout: "docs_root\tdocs\tdefault\n",
      stderr: "",
    });
  });

  test("a broken file is an error: it may hide a list", async () => {
    const { team, config } = repository();
    team("plan_output: html", "foo: [");
    const failed = await config("list");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(/config\.yaml:\d+:\d+: .*\nhint: .*jig config check/s);
  });

  test("what a file says never reaches the terminal as an escape sequence", async () => {
    const { root, team } = repository();
    team('"k\\e[31m": [1]', 'list: ["\\e]0;title\\a"]');
    const { stdout } = await runConfig(root, ["list"], terminal);
    expect(stdout).not.toMatch(/[\u0007\u001b]/);
    expect(stdout).toContain("\\x1b[31m");
  });
});
