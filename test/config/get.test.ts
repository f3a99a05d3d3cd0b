import { chmodSync, chownSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { ConfigValueSchema } from "../../src/config/schema.ts";
import { KEYS } from "../../src/kernel/config/keys.ts";
import { tempDir } from "../support/temp.ts";
import { runUnprivileged, unprivilegedUid } from "../support/unprivileged.ts";
import { repository, runConfig } from "./setup.ts";

const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" });

describe("config get", () => {
  test("config-1 without files gives the default, or exit 3", async () => {
    const { config, json } = repository();
    expect(await config("get", "brainstorm_output")).toEqual(ok("md\n"));
    expect(await config("get", "brainstorm_model")).toEqual({ code: 3, stdout: "", stderr: "" });
    expect(await json("get", "brainstorm_model")).toMatchObject({ set: false, layer: "none", value: null });
  });

  test("a key that looks like a known one mistyped is said, one of somebody's own is not", async () => {
    const { config } = repository();
    expect(await config("get", "brainstrom_output")).toEqual({
      code: 3,
      stdout: "",
      stderr: "note: brainstrom_output is set nowhere; did you mean brainstorm_output?\n",
    });
    expect(await config("get", "our_own_setting")).toEqual({ code: 3, stdout: "", stderr: "" });
  });

  test("config-2 the repo layer decides when there is no local one", async () => {
    const { team, config } = repository();
    team("plan_output: html");
    expect(await config("get", "plan_output")).toEqual(ok("html\n"));
  });

  test("config-3 the local layer wins, and the JSON says what it shadows", async () => {
    const { team, local, config, json } = repository();
    team("plan_output: html");
    local("# mine", "plan_output: md");
    expect(await config("get", "plan_output")).toEqual(ok("md\n"));
    const report = await json("get", "plan_output");
    expect(report).toEqual({
      key: "plan_output",
      value: "md",
      set: true,
      layer: "config.local.yaml",
      line: 2,
      type: "enum",
      shadowed: [{ layer: "config.yaml", line: 1, value: "html", reason: "lower-precedence" }],
      warnings: [],
    });
    expect(Object.keys(report)).toEqual([
      "key",
      "value",
      "set",
      "layer",
      "line",
      "type",
      "shadowed",
      "warnings",
    ]);
    expect(v.is(ConfigValueSchema, report)).toBe(true);
  });

  test("config-4 an invalid value is passed over with a warning", async () => {
    const { team, local, config, json } = repository();
    team("plan_output: html");
    local("plan_output: html5");
    const { stdout, stderr } = await config("get", "plan_output");
    expect(stdout).toBe("html\n");
    expect(stderr).toMatch(/^warning: config\.local\.yaml:1: .*html5/);
    const report = await json("get", "plan_output");
    expect(report.shadowed).toEqual([
      { layer: "config.local.yaml", line: 1, value: "html5", reason: "invalid" },
    ]);
    expect(report.warnings).toHaveLength(1);
  });

  test("config-5 a commented key is no value", async () => {
    const { team, config } = repository();
    team("# brainstorm_output: html");
    expect(await config("get", "brainstorm_output")).toEqual(ok("md\n"));
  });

  test("config-6 marked keys ignore letter case and print lower case, others do not", async () => {
    const { team, config } = repository();
    team("brainstorm_output: HTML", "auto_babysit: False", "cross_model_review_mode: OFF");
    expect(await config("get", "brainstorm_output")).toEqual(ok("html\n"));
    expect(await config("get", "auto_babysit")).toEqual(ok("false\n"));
    expect((await config("get", "cross_model_review_mode")).stdout).toBe("auto\n");
  });

  test("config-7 an empty or null value leaves it to the next layer", async () => {
    const { team, local, config, json } = repository();
    team("brainstorm_output: html");
    for (const empty of ['""', "", "~", "null"]) {
      local(`brainstorm_output: ${empty}`);
      expect(await config("get", "brainstorm_output")).toEqual(ok("html\n"));
    }
    expect((await json("get", "brainstorm_output")).shadowed).toEqual([
      { layer: "config.local.yaml", line: 1, value: null, reason: "empty" },
    ]);
  });

  const preferences = [
    "work_engine_preferences:",
    "  - harness: codex",
    "    model: gpt-5.6",
    "  - harness: claude",
  ];

  test("config-8 a list wins as a whole, also an empty one", async () => {
    const { team, local, config } = repository();
    team(...preferences);
    local("work_engine_preferences: []");
    expect(await config("get", "work_engine_preferences")).toEqual(ok("[]\n"));
  });

  test("config-9 a list whose items are all commented out is null", async () => {
    const { team, local, config } = repository();
    team(...preferences);
    local("work_engine_preferences:", "  # - harness: grok");
    expect(await config("get", "work_engine_preferences")).toEqual(
      ok('[{"harness":"codex","model":"gpt-5.6"},{"harness":"claude"}]\n'),
    );
    expect((await config("check")).stdout).toMatch(
      /^config\.local\.yaml:1: warning: work_engine_preferences/m,
    );
  });

  test("config-10 off is a string", async () => {
    const { team, config } = repository();
    team("cross_model_review_mode: off");
    expect(await config("get", "cross_model_review_mode")).toEqual(ok("off\n"));
  });

  test("config-11 a broken section does not hide a scalar, and does hide a list", async () => {
    const { team, config } = repository();
    team("cross_model_review_mode: off", "foo: [");
    const scalar = await config("get", "cross_model_review_mode");
    expect(scalar).toMatchObject({ code: 0, stdout: "off\n" });
    expect(scalar.stderr).toMatch(
      /^warning: config\.yaml:[23]: .*; read "cross_model_review_mode" by line\n$/,
    );
    const list = await config("get", "feedback_sources");
    expect(list).toMatchObject({ code: 1, stdout: "" });
    expect(list.stderr).toMatch(/^jig config: config\.yaml:[23]:\d+: /);
  });

  test("config-12 quotes and a trailing comment are not part of a value", async () => {
    const { team, config } = repository();
    team('brainstorm_model: "fable"  # trial');
    expect(await config("get", "brainstorm_model")).toEqual(ok("fable\n"));
    team("brainstorm_model: bad model");
    const bad = await config("get", "brainstorm_model");
    expect(bad).toMatchObject({ code: 3, stdout: "" });
    expect(bad.stderr).toMatch(/^warning: config\.yaml:1: .*bad model/);
  });

  test("config-13 a rejected override names itself and what is used", async () => {
    const { team, config, json } = repository();
    team("brainstorm_output: html");
    expect(await config("get", "brainstorm_output", "--override", "pdf")).toEqual({
      code: 0,
      stdout: "html\n",
      stderr: "warning: ignored unknown brainstorm_output value 'pdf' - using html instead\n",
    });
    expect((await json("get", "brainstorm_output", "--override", "pdf")).shadowed).toEqual([
      { layer: "override", line: null, value: "pdf", reason: "override-rejected" },
    ]);
  });

  test("config-14 a valid override wins over every layer, an empty one is none", async () => {
    const { local, config, json } = repository();
    expect(await config("get", "brainstorm_model", "--override", "opus")).toEqual(ok("opus\n"));
    const rejected = await config("get", "brainstorm_model", "--override", "a b");
    expect(rejected).toMatchObject({ code: 3, stdout: "" });
    expect(rejected.stderr).toContain("'a b'");
    local("brainstorm_model: fable");
    expect(await config("get", "brainstorm_model", "--override", "")).toEqual(ok("fable\n"));
    expect(await json("get", "brainstorm_model", "--override", "opus")).toMatchObject({
      value: "opus",
      layer: "override",
      line: null,
      shadowed: [{ layer: "config.local.yaml", line: 1, value: "fable", reason: "lower-precedence" }],
    });
  });

  test("config-15 outside a repository there are no layers, and no artifact root", async () => {
    const outside = tempDir();
    expect(await runConfig(outside, ["get", "brainstorm_output"])).toEqual(ok("md\n"));
    for (const words of [["docs-root"], ["get", "docs_root"]]) {
      const failed = await runConfig(outside, words);
      expect(failed).toMatchObject({ code: 1, stdout: "" });
      expect(failed.stderr).toContain("not inside a git repository");
    }
  });

  test("config-23 a linked worktree has its own local layer", async () => {
    const { root, team, local, git: inRoot } = repository();
    team("plan_output: html");
    inRoot("add", ".compound-engineering/config.yaml");
    inRoot("commit", "-q", "-m", "config");
    local("plan_output: md", "plan_model: main");
    const worktree = join(root, "../linked");
    inRoot("worktree", "add", "-q", worktree);
    expect((await runConfig(worktree, ["get", "plan_output"])).stdout).toBe("html\n");
    expect((await runConfig(worktree, ["get", "plan_model"])).code).toBe(3);
    writeFileSync(join(worktree, ".compound-engineering/config.local.yaml"), "plan_model: linked\n");
    mkdirSync(join(worktree, "sub"));
    expect((await runConfig(join(worktree, "sub"), ["get", "plan_model"])).stdout).toBe("linked\n");
  });

  test("config-26 of equal keys the first is used, with a warning, and check fails", async () => {
    const { team, config } = repository();
    team("plan_output: md", "plan_output: html");
    const { code, stdout, stderr } = await config("get", "plan_output");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "md\n" });
    expect(stderr).toMatch(/^warning: config\.yaml:2: duplicate key "plan_output"/);
    const check = await config("check");
    expect(check.code).toBe(1);
    expect(check.stdout).toMatch(/^config\.yaml:2: error: duplicate/m);
    // Another key is not bothered by it.
    expect(await config("get", "ideate_output")).toEqual(ok("html\n"));
  });

  test("config-27 a scalar is a string in JSON, whatever it looks like", async () => {
    const { team, config, json } = repository();
    team("auto_babysit: false", "sweep_ack_cap: 7");
    expect(await config("get", "auto_babysit")).toEqual(ok("false\n"));
    expect(await json("get", "auto_babysit")).toMatchObject({ value: "false", type: "boolean" });
    expect(await json("get", "sweep_ack_cap")).toMatchObject({ value: "7", type: "integer" });
    expect(await json("get", "sweep_lease_ttl_minutes")).toMatchObject({ value: "60", layer: "default" });
  });

  test("config-36 packs of both layers, the team's first, although a file is broken", async () => {
    const { team, local, config, json } = repository();
    team("packs:", "  - source: rules/team", "    pack: [a, b]", "foo: [");
    local("packs:", "  - source: ~/mine");
    expect(await config("get", "packs")).toEqual(
      ok('[{"source":"rules/team","pack":["a","b"]},{"source":"~/mine"}]\n'),
    );
    expect(await json("get", "packs")).toMatchObject({
      layer: "config.yaml+config.local.yaml",
      line: null,
      type: "list",
      value: [{ source: "rules/team" }, { source: "~/mine" }],
    });
    team("plan_output: md");
    expect((await json("get", "packs")).layer).toBe("config.local.yaml");
    local("");
    expect(await config("get", "packs")).toEqual(ok("[]\n"));
    expect((await json("get", "packs")).layer).toBe("default");
  });

  test("what a broken file says reaches no terminal as an escape sequence", async () => {
    const { team, config } = repository();
    team("packs:", "  \u001b[31mred");
    const packs = await config("get", "packs");
    expect(packs.stderr).toMatch(/^warning: config\.yaml:2: .*`\\x1b\[31mred`.*\n$/);
    team("a: *b\u009b31m");
    for (const words of [["get", "plan_output"], ["docs-root"], ["list"]]) {
      const { stderr } = await config(...words);
      expect(stderr).toContain("\\x9b31m");
      expect(stderr).not.toContain("\u009b");
    }
  });

  test("packs with a password are printed without it", async () => {
    const { team, config } = repository();
    team("packs:", "  - source: https://u:secret@host.invalid/r", "    ref: v1");
    expect((await config("get", "packs")).stdout).toBe(
      '[{"source":"https://u:***@host.invalid/r","ref":"v1"}]\n',
    );
    team("packs:", "  - source: [https://u:secret@host.invalid/r]");
    expect((await config("get", "packs")).stdout).toBe('[{"source":["https://u:***@host.invalid/r"]}]\n');
  });

  test("a caller's default is printed unjudged when nothing else is set", async () => {
    const { team, config, json } = repository();
    expect(await config("get", "plan_model", "--default", "a b")).toEqual(ok("a b\n"));
    expect(await json("get", "plan_model", "--default", "a b")).toMatchObject({
      set: true,
      layer: "caller-default",
    });
    expect(await config("get", "plan_output", "--default", "pdf")).toEqual(ok("md\n"));
    team("plan_model: opus");
    expect(await config("get", "plan_model", "--default", "x")).toEqual(ok("opus\n"));
    expect((await config("get", "plan_model", "--override", "a b", "--default", "x")).stderr).toContain(
      "using opus",
    );
  });

  test("unknown keys may be anything but text that cannot be printed on one line", async () => {
    const { team, config, json } = repository();
    team("theirs: some text", "many: [1, {a: off}]", 'bad: "a\\nb"', 'esc: "\\e[31m"', "empty:");
    expect(await config("get", "theirs")).toEqual(ok("some text\n"));
    expect(await config("get", "many")).toEqual(ok('[1,{"a":"off"}]\n'));
    for (const key of ["bad", "esc"]) {
      const rejected = await config("get", key);
      expect(rejected).toMatchObject({ code: 3, stdout: "" });
      expect(rejected.stderr).not.toMatch(/[\u001b]/);
      expect(rejected.stderr.split("\n")).toHaveLength(2);
    }
    expect((await config("get", "empty")).code).toBe(3);
    expect(await json("get", "theirs")).toMatchObject({ type: "unknown", layer: "config.yaml" });
  });

  test("a retired key is never a value, and says what to use", async () => {
    const { team, config } = repository();
    team("plan_use_fable: true");
    const { code, stdout, stderr } = await config("get", "plan_use_fable");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("use plan_model");
  });

  test.each([
    ["sweep_ack_cap: 0", "sweep_ack_cap", "25"],
    ["sweep_ack_cap: 1.5", "sweep_ack_cap", "25"],
    ["pulse_completion_events: a, b, c", "pulse_completion_events", "a, b, c"],
    ["pulse_completion_events: a,b,c,d", "pulse_completion_events", undefined],
    ["pulse_metric_sources: a=b, c=d", "pulse_metric_sources", "a=b, c=d"],
    ["pulse_metric_sources: a", "pulse_metric_sources", undefined],
    ["pulse_lookback_default: 2h", "pulse_lookback_default", "24h"],
    ["ce_promote_spiral_optout: true", "ce_promote_spiral_optout", "true"],
    ["ce_promote_spiral_optout: false", "ce_promote_spiral_optout", undefined],
    ["work_engine_mode: off", "work_engine_mode", "off"],
    ["plan_model: 2024", "plan_model", "2024"],
    ["plan_model: [a]", "plan_model", undefined],
    ["work_engine_preferences: codex", "work_engine_preferences", "[]"],
    ["cross_model_model: a b/c", "cross_model_model", "a b/c"],
  ])("%s gives %s %s", async (line, key, expected) => {
    const { team, config } = repository();
    team(line);
    const { code, stdout } = await config("get", key);
    expect({ code, stdout }).toEqual(
      expected === undefined ? { code: 3, stdout: "" } : { code: 0, stdout: `${expected}\n` },
    );
  });

  test("a wrong call is exit 2", async () => {
    const { config } = repository();
    for (const key of ["Plan", "1a", "a-b", "", "__proto__", "a.b"]) {
      expect((await config("get", key)).code).toBe(2);
    }
    expect((await config("get", "constructor")).code).toBe(3);
    for (const key of ["docs_root", "packs"]) {
      expect(await config("get", key, "--override", "x")).toMatchObject({ code: 2, stdout: "" });
    }
    expect((await config("get")).code).toBe(2);
    expect((await config("get", "a", "b")).code).toBe(2);
  });

  test("any value of a known scalar is printed valid, by override and by file alike", async () => {
    const { team, local, config } = repository();
    const scalars = Object.entries(KEYS).filter(([, rule]) => rule.kind === "scalar");
    const value = fc.oneof(
      fc.constantFrom(
        "md",
        "HTML",
        "true",
        "False",
        "off",
        "codex",
        "7d",
        "a=b",
        "12",
        "x,y",
        "max",
        "null",
        "~",
      ),
      fc.string({ maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...scalars), value, async ([key, rule], text) => {
        const accepted = rule.kind === "scalar" && text !== "" ? rule.accept(text) : undefined;
        const fallback = rule.kind === "scalar" ? rule.default : undefined;
        const expected = accepted ?? fallback;
        const printed = expected === undefined ? "" : `${expected}\n`;
        team("");
        expect((await config("get", key, `--override=${text}`)).stdout).toBe(printed);
        local("");
        team(`${key}: ${JSON.stringify(text)}`);
        expect((await config("get", key)).stdout).toBe(printed);
      }),
      { numRuns: 25 },
    );
  });
});

describe("a config file that cannot be read", () => {
  const name = ".compound-engineering/config.yaml";

  test.each([
    ["a directory", (path: string) => mkdirSync(path), "is not a regular file"],
    [
      "64 MiB",
      (path: string) => {
        writeFileSync(path, "a: 1\n");
        truncateSync(path, 64 << 20);
      },
      "is too large",
    ],
    [
      "not UTF-8",
      (path: string) => writeFileSync(path, Buffer.from("a: \xff\n", "latin1")),
      "is not valid UTF-8",
    ],
    [
      "a loop of symlinks",
      (path: string) => symlinkSync("config.yaml", path),
      "too many levels of symbolic links",
    ],
  ])("is an error that names it: %s", async (_, make, reason) => {
    const { root, config } = repository();
    make(join(root, name));
    for (const words of [["get", "plan_output"], ["docs-root"], ["list"]]) {
      const failed = await config(...words);
      expect(failed).toMatchObject({ code: 1, stdout: "" });
      expect(failed.stderr).toContain(join(root, name));
      expect(failed.stderr).toContain(reason);
    }
    const check = await config("check");
    expect(check.code).toBe(1);
    expect(check.stdout).toMatch(new RegExp(`^config\\.yaml: error: .*${reason}`, "m"));
  });

  test.skipIf(process.platform === "win32")("is an error that names it: unreadable", async () => {
    const { root, team } = repository();
    team("plan_output: html");
    chmodSync(join(root, name), 0);
    chmodSync(join(root, ".."), 0o755);
    if (process.geteuid?.() === 0) {
      for (const path of ["", ".git", ".compound-engineering"]) {
        chownSync(join(root, path), unprivilegedUid!, unprivilegedUid!);
      }
    }
    const run = await runUnprivileged(["config", "get", "plan_output"], { cwd: root, env: { HOME: root } });
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain(`${join(root, name)}: permission denied`);
  });

  test("a symlink is followed wherever it leads, a dangling one is no file", async () => {
    for (const shared of ["shared.yaml", "../shared.yaml"]) {
      const { root, config } = repository();
      writeFileSync(join(root, shared), "\ufeffplan_output: html\r\n");
      symlinkSync(`../${shared}`, join(root, name));
      symlinkSync("../nothing.yaml", join(root, ".compound-engineering/config.local.yaml"));
      expect(await config("get", "plan_output")).toEqual(ok("html\n"));
    }
  });

  test("an alias bomb and a custom tag are syntax problems: a list is refused, a scalar read by line", async () => {
    const { team, config } = repository();
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [from, to] of ["ab", "bc", "cd", "de"]) {
      bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);
    }
    for (const lines of [bomb, ["x: !custom y"], ["- a", "- b"], ["just text"], ["a: 1", "---", "b: 2"]]) {
      team(...lines, "cross_model_review_mode: off");
      expect((await config("get", "cross_model_review_mode")).stdout).toBe("off\n");
      expect((await config("get", "work_engine_preferences")).code).toBe(1);
      expect((await config("check")).code).toBe(1);
    }
  });
});
