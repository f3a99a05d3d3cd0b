import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitInput } from "../../src/craft/run/split.ts";
import { craft, resolution, resolved, type World, world } from "./world.ts";

async function parsed(input: string, words: readonly string[] = []) {
  const { code, stdout, stderr } = await craft(world(), ["parse-args", ...words], input);
  return code === 0 ? JSON.parse(stdout) : { code, stdout, stderr };
}

describe("parse-args", () => {
  test("craft-engine-49 flags are taken out of the words, quoted spans and what follows -- are not", async () => {
    const found = await parsed(
      "add a cache --profile lean --skip review,, docs --harness review.passes=2 for reads",
    );
    expect(Object.entries(found)).toEqual([
      ["config", null],
      ["profile", "lean"],
      ["skip", ["review"]],
      ["harness", ["review.passes=2"]],
      ["policy", []],
      ["flags", "--profile lean --skip review,, --harness review.passes=2"],
      ["brief", "add a cache docs for reads"],
    ]);
    expect(await parsed("--profile lean")).toMatchObject({ profile: "lean", brief: "" });
    expect(await parsed("explain `--skip review` -- --profile x")).toMatchObject({
      ...{ profile: null, skip: [], flags: "none" },
      brief: "explain `--skip review` --profile x",
    });
    expect(await parsed("--config a --config b")).toEqual({
      ...{ code: 2, stdout: "" },
      stderr: "parse-args: --config given more than once\n",
    });
    expect(await parsed("do it --policy")).toEqual({
      ...{ code: 2, stdout: "" },
      stderr: "parse-args: --policy needs a value\n",
    });
    const at = world();
    at.write("in.txt", "a --skip b c");
    expect((await craft(at, ["parse-args", "--from", "in.txt"])).stdout).toBe(
      (await craft(at, ["parse-args"], "a --skip b c")).stdout,
    );
  });

  test.each([
    ["", { flags: "none", brief: "" }],
    ["  keep   inner\n\nlines  ", { brief: "keep   inner\n\nlines" }],
    ["--skip=a,b --skip c, a", { skip: ["a", "b", "c"], flags: "--skip=a,b --skip c,", brief: "a" }],
    ["--profile a --profile b x", { profile: "b", brief: "x" }],
    ["--unknown x --verbose", { flags: "none", brief: "--unknown x --verbose" }],
    ["don't --skip it's", { skip: ["it's"], brief: "don't" }],
    ["say 'a --skip b' now", { skip: [], brief: "say 'a --skip b' now" }],
    ['an "open --skip b', { skip: ["b"], brief: 'an "open' }],
    ["```\n--skip b\n``` x --skip c", { skip: ["c"], brief: "```\n--skip b\n``` x" }],
    ["x--skip y --skippy z", { flags: "none" }],
    ["a\n--policy\npush=never\nb", { policy: ["push=never"], flags: "--policy push=never", brief: "a\nb" }],
  ])("%j", async (input, expected) => {
    expect(await parsed(input)).toMatchObject(expected);
  });

  test.each(["--skip --profile x", "--skip=", "--skip=--x", "--profile"])(
    "%j lacks a value",
    async (input) => {
      expect(await parsed(input)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("needs a value"),
      });
    },
  );

  test("nothing is lost: without flags the brief is the input, and each word ends up in one of the two", () => {
    const word = fc.constantFrom(
      "a",
      "--skip",
      "--skip=x",
      "--profile",
      "`",
      '"',
      "'",
      "it's",
      "--",
      "--x",
      "\n",
      "é",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.constantFrom(" ", "\n", "  "), (words, blank) => {
        const input = words.join(blank);
        const split = splitInput(input);
        if (!split.ok) return;
        const kept = `${split.brief} ${split.flags.map(({ written }) => written).join(" ")}`;
        const letters = (text: string) => text.replaceAll(/\s/g, "").split("").sort().join("");
        const separator = words.includes("--") && letters(kept).length < letters(input).length ? "--" : "";
        expect(letters(kept + separator)).toBe(letters(input));
        if (split.flags.length === 0 && separator === "") expect(split.brief).toBe(input.trim());
      }),
      { numRuns: 1000 },
    );
  });

  test("a hostile megabyte ends: nothing searches to the end again and again", () => {
    for (const piece of ["' ", '" x ', "`` ` ", "--skip a ", "'a' ", "`x ``y ```z ", "-- "]) {
      expect(splitInput(piece.repeat((1 << 20) / piece.length))).toHaveProperty("ok");
    }
  });
});

describe("resolve", () => {
  test("craft-engine-50 config, lint and resolution in one call", async () => {
    const at = world();
    at.write(".claude/craft-ci.md", "---\nexecution: inline\n---\n");
    at.writeHome(".claude/craft-ci.md", "---\nexecution: agent\n---\n");
    const run = await craft(at, ["resolve", "--config", "ci", "--skip", "decisions"]);
    const path = join(at.root, ".claude/craft-ci.md");
    const { manifestPath, notes, ...rest } = JSON.parse(run.stdout);
    expect(run.code).toBe(0);
    expect(manifestPath).toBe(path);
    expect(notes).toEqual(["config-resolve: user-scope config ci is shadowed by local"]);
    expect(run.stderr).toBe(`${notes[0]}\n`);
    expect(rest).toEqual(await resolution(at, ["@default", path, "--skip", "decisions"]));
    expect(Object.keys(JSON.parse(run.stdout)).slice(-2)).toEqual(["manifestPath", "notes"]);

    at.manifest("execution: inline");
    expect(await craft(at, ["resolve", "--config", "zz"])).toMatchObject({ code: 1, stdout: "" });
    at.write(".claude/craft-bad.md", "---\nfoo: 1\n---\n");
    const invalid = await craft(at, ["resolve", "--config", "bad"]);
    expect(invalid).toMatchObject({ code: 2, stdout: "" });
    expect(invalid.stderr).toContain("INVALID manifest");
    expect(invalid.stderr).toContain("- unknown top-level key: foo");

    const empty = world();
    const found = JSON.parse((await craft(empty, ["resolve"])).stdout);
    expect(found).toEqual({ ...(await resolution(empty)), manifestPath: null, notes: [] });
  });

  test("the repository's own manifest is used, its warnings are notes; both selections at once are refused", async () => {
    const at = world();
    at.manifest("models: { planner: gpt }\npipeline: { skip: [bogus] }");
    const found = JSON.parse((await craft(at, ["resolve"])).stdout);
    expect(found.manifestPath).toBe(join(at.root, ".claude/workflow.md"));
    expect(found.notes).toEqual([
      'craft-manifest: warning: models.planner: "gpt" is not a known tier (opus, sonnet, haiku) (line 2)',
      'craft-manifest: warning: pipeline.skip: "bogus" matches no phase (line 3)',
      'pipeline-resolve: note: skip "bogus" matches no phase',
    ]);
    const both = await craft(at, ["resolve", "--config", "ci", "--manifest", "m.md"]);
    expect(both).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("give one") });
    expect(await craft(at, ["resolve", "--manifest", "none.md"])).toMatchObject({ code: 2, stdout: "" });
    expect(await craft(at, ["resolve", "--policy", "x=y"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("resolve: --policy unknown action: x"),
    });
  });
});

describe("gate", () => {
  async function withResolution(at: World, yaml = "{}") {
    const found = await resolved(at, yaml);
    at.write("r.json", JSON.stringify(found));
    return (phase: string, ...words: string[]) =>
      craft(at, ["gate", phase, "--resolution", "r.json", ...words]);
  }

  test("craft-engine-51 the commands that a gate string means", async () => {
    const at = world();
    const gate = await withResolution(at);
    at.write("m.md", "---\ngates: { phase: [a, b] }\npr: { pre-pr-gate: c }\n---\n");
    expect(await gate("implementation", "--manifest", "m.md")).toEqual({
      code: 0,
      stdout: "a\nb\n",
      stderr: "",
    });
    expect(await gate("implementation")).toEqual({
      ...{ code: 1, stdout: "" },
      stderr:
        "gate: no gate command for implementation\ngate: name it as gates.phase in the front matter of .claude/workflow.md\n",
    });
    at.write("bare.md", "---\nbacklog: { source: file, ref: B.md }\n---\n");
    expect(await gate("implementation", "--manifest", "bare.md")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("gates.phase in the front matter of bare.md"),
    });
    at.write("package.json", '{ "scripts": { "test": "vitest" } }');
    expect(await gate("implementation")).toMatchObject({ code: 0, stdout: "npm test\n" });
    expect(await gate("planning")).toMatchObject({ code: 0, stdout: "plan-lint\n" });
    expect(await gate("design")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await gate("nosuch")).toMatchObject({ code: 2, stdout: "" });
    expect(await gate("propose")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await gate("pr", "--manifest", "m.md")).toMatchObject({ code: 0, stdout: "c\n" });
    const json = JSON.parse((await gate("validation", "--manifest", "m.md", "--json")).stdout);
    expect(json).toEqual({
      ...{ phase: "validation", gate: "<validation gate>", codeProducing: false },
      ...{ commands: ["a", "b"], source: "gates.phase" },
    });
  });

  test("a gate of its own is printed as it is", async () => {
    const at = world();
    const gate = await withResolution(
      at,
      "pipeline: { insert: [{ id: smoke, after: review, gate: 'make smoke' }] }",
    );
    expect(await gate("smoke")).toMatchObject({ code: 0, stdout: "make smoke\n" });
    expect(JSON.parse((await gate("smoke", "--json")).stdout).source).toBe("descriptor");
  });

  test("what is no Resolution is refused, from a file and from stdin", async () => {
    const at = world();
    at.write("r.json", "{}");
    const words = ["gate", "design", "--resolution"];
    expect(await craft(at, [...words, "r.json"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is no Resolution"),
    });
    expect(await craft(at, [...words, "-"], "[")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not valid JSON"),
    });
    symlinkSync("/dev/zero", join(at.root, "zero"));
    expect(await craft(at, [...words, "zero"])).toMatchObject({
      code: 2,
      stderr: "gate: zero: is not a regular file\n",
    });
  });
});
