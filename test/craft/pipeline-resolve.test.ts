import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PHASES } from "../../src/craft/common/vocabulary.ts";
import { DEFAULT_PIPELINE } from "../../src/craft/pipeline/default.ts";
import { parsePipeline } from "../../src/craft/pipeline/parse.ts";
import { DEFAULT_RESOLUTION } from "../../src/craft/pipeline/resolve/default-resolution.ts";
import type { Resolution } from "../../src/craft/pipeline/resolve/resolution.ts";
import { resolveRun } from "../../src/craft/pipeline/resolve/resolve.ts";
import { ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { craft, refused, resolution, resolved, world } from "./world.ts";

const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
const byId = <T extends { id: string }>(list: readonly T[], id: string) => list.find((one) => one.id === id)!;

describe("the embedded pipeline", () => {
  test("is the file of the assets, prepared", async () => {
    const read = await parsePipeline(
      "default.yml",
      readFileSync(join(ROOT, "assets/pipeline/default.yml"), "utf8"),
    );
    // As text, so that the order of keys counts.
    expect(JSON.stringify(read.ok && read.pipeline)).toBe(JSON.stringify(DEFAULT_PIPELINE));
    expect(ids(DEFAULT_PIPELINE)).toEqual([...PHASES]);
  });

  test("what it resolves to alone is prepared as well, and is what the stages give", async () => {
    const overrides = { profile: undefined, skip: [], knobs: [], policy: new Map() };
    const given = { pipeline: undefined, manifest: undefined, overrides };
    const { resolution } = await resolveRun(world().host, given);
    expect(JSON.stringify({ ...DEFAULT_RESOLUTION, policy: {} })).toBe(JSON.stringify(resolution));
  });

  test("craft-engine-17 a consumed artifact that nothing produces", async () => {
    const at = world();
    const text = readFileSync(join(ROOT, "assets/pipeline/default.yml"), "utf8");
    at.write("p.yml", text.replace("consumes: [workspace, plan]", "consumes: [workspace, plan, widget]"));
    const { code, stdout, stderr } = await craft(at, ["pipeline-lint", "p.yml"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      '  - Descriptor "implementation": consumes "widget" but no enabled phase before it produces "widget".\n' +
        '  "widget" is produced by: nothing in this pipeline.\n' +
        '  Did you mean produces: ["widget"] on an earlier phase?\n',
    );
    expect(await craft(at, ["pipeline-lint"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("pipeline-lint", () => {
  const lint = async (yaml: string) => {
    const at = world();
    at.write("p.yml", yaml);
    return (await craft(at, ["pipeline-lint", "p.yml"])).stderr.trimEnd();
  };
  const phase = (more: string) => `- { id: a, archetype: setup, contract: [], procedure: p, ${more} }`;

  test.each([
    ["", "pipeline-lint: Pipeline YAML must be a list of descriptor objects. (p.yml line 1)"],
    ["a: 1", "pipeline-lint: Pipeline YAML must be a list of descriptor objects. (p.yml line 1)"],
    ["- 1", "pipeline-lint: Descriptor at index 0 must be an object, got number. (p.yml line 1)"],
    [
      "- id: a\n  archetype: ~",
      'pipeline-lint: Descriptor at index 0: required field "archetype" is missing. (p.yml line 1)',
    ],
    [
      "- { id: a, archetype: x, contract: [], procedure: p }",
      'pipeline-lint: Descriptor at index 0 (id="a"): archetype "x" is not valid. Must be one of: setup, specification, construction, harness, refinement, delivery. (p.yml line 1)',
    ],
    [
      phase("execution: x"),
      'pipeline-lint: Descriptor at index 0 (id="a"): execution "x" is not valid. Must be one of: agent, inline. (p.yml line 1)',
    ],
    [
      phase("enabled: no"),
      'pipeline-lint: Descriptor at index 0 (id="a"): enabled must be true or false, got "no". (p.yml line 1)',
    ],
    [
      phase("self_supply: b, consumes: c"),
      '  - Descriptor "a": self_supply artifact "b" is not in consumes [c].',
    ],
    [
      "- { id: a, archetype: setup, contract: x, procedure: p }",
      '  - Descriptor "a": contract bundle "x" is not in the closed vocabulary [core, producer, construction, harness-read, harness-exec, delivery, refinement].',
    ],
    [`${phase("x: 1")}\n${phase("x: 1")}`, '  - Duplicate descriptor id "a".'],
  ])("%s", async (yaml, expected) => {
    expect((await lint(yaml)).split("\n")[0] || "").toContain(expected.replace(/^\s+/, ""));
  });

  test("an input made too late or by a phase that is off says where", async () => {
    const yaml = [
      "- { id: a, archetype: setup, contract: [], procedure: p, consumes: x }",
      "- { id: off, archetype: setup, contract: [], procedure: p, produces: x, enabled: false }",
      "- { id: late, archetype: setup, contract: [], procedure: p, produces: [x] }",
    ].join("\n");
    expect((await lint(yaml)).split("\n").slice(1)).toEqual([
      '  "x" is produced by: off (disabled), late (position 2, after "a").',
      '  Did you mean after: off, or produces: ["x"] on an earlier phase?',
    ]);
  });

  test("a missing file is one line and no trace", async () => {
    expect(await craft(world(), ["pipeline-lint", "none.yml"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "pipeline-lint: none.yml: no such file or directory\n",
    });
  });
});

describe("pipeline-resolve", () => {
  test("craft-engine-18 the default Resolution", async () => {
    const at = world();
    const { code, stdout, stderr } = await craft(at, ["pipeline-resolve"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.endsWith("}\n")).toBe(true);
    const found: Resolution = JSON.parse(stdout);
    expect(Object.keys(found)).toEqual([
      "ok",
      "errors",
      "effective",
      "record",
      "gateDecisions",
      "waivers",
      "policy",
    ]);
    expect(found).toMatchObject({ ok: true, errors: [], waivers: [], policy: {} });
    expect(found.record).toEqual([
      "default-skip: requirements (descriptor enabled:false)",
      "default-skip: architecture (descriptor enabled:false)",
    ]);
    const rows = found.effective.map((phase, index) => {
      const { phaseId, gate, codeProducing } = found.gateDecisions[index]!;
      expect(phaseId).toBe(phase.id);
      return [phase.id, gate, codeProducing, phase.autoSkipEligible];
    });
    expect(rows).toEqual([
      ["workspace", "", false, false],
      ["design", "", false, false],
      ["decisions", "", false, true],
      ["planning", "plan-lint", false, false],
      ["implementation", "<gates.phase>", true, false],
      ["review", "<gates.phase>", false, true],
      ["refactoring", "<gates.phase>", true, true],
      ["validation", "<validation gate>", false, true],
      ["documentation", "", false, true],
      ["lessons", "", false, true],
      ["impact-triage", "", false, true],
      ["propose", "pr.pre-pr-gate", false, false],
      ["integrate", "", false, false],
    ]);
    expect(byId(found.effective, "review")).toMatchObject({
      harness: { reviewPlan: { passes: 1, stop_rule: "low-only" } },
    });
    expect(byId(found.effective, "validation")).toMatchObject({ harness: { techniquePlan: [] } });
    const propose = found.gateDecisions.find(({ phaseId }) => phaseId === "propose");
    expect(propose!.awaitingHarnesses).toEqual(["validation"]);
    expect(byId(found.effective, "impact-triage")).toMatchObject({
      model: "sonnet",
      role: "craft:impact-triager",
    });
    expect(Object.keys(byId(found.effective, "review") as object)).toEqual([
      ...[
        "id",
        "archetype",
        "enabled",
        "contract",
        "procedure",
        "consumes",
        "self_supply",
        "produces",
        "execution",
      ],
      ...["role", "gate", "harness", "model", "autoSkipEligible"],
    ]);
  });

  test("craft-engine-8 a manifest without a fence is defaults, in lint and here", async () => {
    const at = world();
    at.write(".claude/workflow.md", "Notes: a: b");
    const lint = await craft(at, ["manifest-lint"]);
    expect(lint).toMatchObject({ code: 0, stdout: expect.stringContaining("no YAML frontmatter") });
    expect(await resolution(at, ["@default", ".claude/workflow.md"])).toEqual(await resolution(at));
  });

  test("craft-engine-19 the upstream name needs its pipeline", async () => {
    for (const name of ["pipeline-resolve.js", "pipeline-lint.js"]) {
      const { code, stdout, stderr } = await runJig(["--as", name]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(new RegExp(`^Usage: ${name.slice(0, -3)} <pipeline.yml>`));
    }
  });

  test("craft-engine-20 skipping what another phase needs is refused", async () => {
    const stderr = await refused(world(), "{}", ["--skip", "design"]);
    expect(stderr).toContain('Strand: skipping "design" removes "design", consumed by "documentation"');
  });

  test("craft-engine-21 an alias is skipped under its own name", async () => {
    expect(await refused(world(), "{}", ["--skip", "plan"])).toContain('Strand: skipping "planning"');
  });

  test("which phases may be skipped alone", async () => {
    const at = world();
    for (const id of ["workspace", "design", "planning", "implementation", "propose"])
      expect(await refused(at, "{}", ["--skip", id])).toContain("Strand: ");
    for (const id of [
      "decisions",
      "review",
      "refactoring",
      "validation",
      "documentation",
      "lessons",
      "impact-triage",
      "integrate",
      "propose,integrate",
    ])
      expect(await refused(at, "{}", ["--skip", id])).toBe("");
    // Disabled instead of skipped: refused by the graph.
    expect(await refused(at, "phases: { design: { enabled: false } }")).toContain(
      'Descriptor "documentation": consumes "design"',
    );
  });

  test("craft-engine-22 a skipped executing harness releases propose, and says so", async () => {
    const at = world();
    const without = await resolution(at, ["--skip", "validation"]);
    expect(without.waivers).toEqual([
      { phaseId: "validation", reason: "pipeline.skip", proposeGateReleased: true },
    ]);
    expect(
      without.record.filter((line) =>
        line.startsWith(
          "WAIVER: validation (pipeline.skip) — executing-harness skipped; propose-gate for validation is released.",
        ),
      ),
    ).toHaveLength(1);
    expect(without.gateDecisions.find(({ phaseId }) => phaseId === "propose")!.awaitingHarnesses).toEqual([]);
    const review = await resolution(at, ["--skip", "review"]);
    expect(review.waivers).toEqual([
      { phaseId: "review", reason: "pipeline.skip", proposeGateReleased: false },
    ]);
    expect(review.record.filter((line) => line.startsWith("WAIVER"))).toEqual([]);
  });

  test("craft-engine-23 a skip that matches nothing is a note", async () => {
    const at = world();
    const plain = await craft(at, ["pipeline-resolve"]);
    const { code, stdout, stderr } = await craft(at, ["pipeline-resolve", "--skip", "bogus"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: plain.stdout });
    expect(stderr).toBe('pipeline-resolve: note: skip "bogus" matches no phase\n');
  });

  test("craft-engine-24 a profile decides by archetype, wherever its flag stands", async () => {
    const at = world();
    const found = await resolution(at, ["--profile", "lean", "@default"]);
    expect(await resolution(at, ["@default", "--profile", "lean"])).toEqual(found);
    const agents = ["implementation", "review", "refactoring", "validation"];
    for (const { id, execution } of found.effective)
      expect([id, execution]).toEqual([id, agents.includes(id) ? "agent" : "inline"]);
    const lines = found.record.filter((line) => line.startsWith("execution:"));
    expect(lines).toHaveLength(10);
    expect(lines).toContain("execution: requirements → inline (profile:lean)");
  });

  test("craft-engine-25 the command line's profile replaces the manifest's", async () => {
    const { effective } = await resolved(world(), "pipeline: { profile: full }", ["--profile", "solo"]);
    expect(byId(effective, "implementation").execution).toBe("inline");
    expect(byId(effective, "review").execution).toBe("agent");
  });

  test("craft-engine-26 a phase's own field over the profile over the top level", async () => {
    const { effective, record } = await resolved(
      world(),
      "execution: agent\npipeline: { profile: solo }\nphases: { implementation: { execution: agent }, review: { execution: inline } }",
    );
    expect(byId(effective, "documentation").execution).toBe("inline");
    expect(byId(effective, "implementation").execution).toBe("agent");
    expect(byId(effective, "validation").execution).toBe("agent");
    expect(record).toContain("execution: review → inline (explicit phase field)");
  });

  test("craft-engine-27 knobs merge one by one", async () => {
    const { effective } = await resolution(world(), [
      ...["--harness", "review.passes=2"],
      ...["--harness", "review.convergence=3"],
    ]);
    expect(byId(effective, "review").harness).toEqual({
      dimensions: ["code", "security", "tests", "perf"],
      passes: 2,
      max_cycles: 3,
      convergence: 3,
      reviewPlan: { passes: 2, stop_rule: "non-low-count<=3" },
    });
  });

  test("craft-engine-28 a knob of the wrong type, an unknown phase, a reserved name, wrong grammar", async () => {
    const at = world();
    const error = async (text: string) => (await refused(at, "{}", ["--harness", text])).trimEnd();
    expect(await error("review.passes=2.5")).toBe(
      "  - phases.review.harness.passes must be a positive integer",
    );
    expect(await error("review.passes=02")).toContain("must be a positive integer");
    expect(await error("nope.passes=2")).toBe("  - unknown phase: nope");
    expect(await error("__proto__.x=1")).toBe(
      "pipeline-resolve: --harness phase/knob must not be a reserved name (__proto__, constructor, prototype)",
    );
    for (const text of [
      "review=2",
      "review.a.b=2",
      ".passes=2",
      "review.=2",
      "review.passes=",
      "review.passes",
    ])
      expect(await error(text)).toBe("pipeline-resolve: --harness expects <phase>.<knob>=<value>");
    expect(await error("validation.techniques=x")).toContain("harness.techniques must be a list");
    expect(await error("review.convergence=soon")).toContain(
      "must be 'low-only', 'none', or a non-negative number",
    );
  });

  test("craft-engine-29 a wide review is told, and nothing is capped", async () => {
    const { record } = await resolution(world(), ["--harness", "review.passes=3"]);
    expect(record.at(-1)).toMatch(
      /^fan-out: review resolves to 12 reviewers \(4 dimensions × 3 passes\) — advisory only; nothing is capped\./,
    );
  });

  test("craft-engine-30 techniques are planned with their defaults", async () => {
    const { effective } = await resolved(
      world(),
      'phases: { validation: { harness: { techniques: [{ id: mut, run: "x", mode: triage, run-style: background }, { id: two, scope: per-file, commit-prefix: fix, triage-procedure: t, probe: p }] } } }',
    );
    expect(byId(effective, "validation").harness!["techniquePlan"]).toEqual([
      {
        id: "mut",
        scope: "per-hunk",
        mode: "triage",
        runStyle: "background",
        commitPrefix: "chore",
        run: "x",
      },
      {
        ...{ id: "two", scope: "per-file", mode: "gate", runStyle: "sync", commitPrefix: "fix" },
        ...{ probe: "p", triageProcedure: "t" },
      },
    ]);
    expect(byId(effective, "validation").harness!["techniques"]).toHaveLength(2);
  });

  test("craft-engine-31 an insert takes its place, its archetype inferred", async () => {
    const { effective, record, gateDecisions } = await resolved(
      world(),
      "pipeline: { insert: [{ after: validation, id: smoke, procedure: p, gate: g }] }",
    );
    expect(ids(effective).indexOf("smoke")).toBe(ids(effective).indexOf("validation") + 1);
    expect(byId(effective, "smoke").archetype).toBe("harness");
    expect(record).toContain("insert: smoke (after:validation)");
    expect(record).toContain("archetype: smoke → harness (inferred: gate with no produces)");
    expect(gateDecisions.find(({ phaseId }) => phaseId === "propose")!.awaitingHarnesses).toEqual([
      "validation",
    ]);
  });

  test("craft-engine-32 an executing harness is awaited, and may not stand behind propose", async () => {
    const insert = (anchor: string) =>
      `pipeline: { insert: [{ after: ${anchor}, id: bench, procedure: p, archetype: harness, contract: [harness-exec] }] }`;
    const { gateDecisions } = await resolved(world(), insert("validation"));
    expect(gateDecisions.find(({ phaseId }) => phaseId === "propose")!.awaitingHarnesses).toEqual([
      "validation",
      "bench",
    ]);
    expect(await refused(world(), insert("integrate"))).toContain('Harness order: "bench"');
  });

  test("craft-engine-33 code needs a gate, an insert its anchor", async () => {
    expect(
      await refused(
        world(),
        "pipeline: { insert: [{ id: gen, after: design, procedure: p, produces: [change] }] }",
      ),
    ).toContain('Gate floor violation: phase "gen" produces "change"');
    expect(await refused(world(), "pipeline: { insert: [{ id: gen, after: nosuch, procedure: p }] }")).toBe(
      '  - pipeline.insert[gen]: after "nosuch" matches no phase (.claude/workflow.md line 2)\n',
    );
  });

  test("craft-engine-34 reorder permutes among the listed places", async () => {
    const at = world();
    const { effective, record } = await resolved(at, "pipeline: { reorder: [validation, review] }");
    expect(ids(effective).slice(4, 8)).toEqual(["implementation", "validation", "refactoring", "review"]);
    expect(record.filter((line) => line.startsWith("reorder:"))).toEqual([
      "reorder: validation (pipeline.reorder)",
      "reorder: review (pipeline.reorder)",
    ]);
    expect(await refused(at, "pipeline: { reorder: [design, workspace] }")).toContain(
      'Descriptor "design": consumes "workspace"',
    );
    expect(await refused(at, "pipeline: { reorder: [none, requirements, review, review] }")).toBe(
      [
        '  - reorder: unknown id "none" — not present in the post-insert descriptor list (.claude/workflow.md line 2)',
        '  - reorder: "requirements" is not enabled — only enabled phases may be reordered (.claude/workflow.md line 2)',
        '  - reorder: duplicate id "review" in pipeline.reorder list (.claude/workflow.md line 2)\n',
      ].join("\n"),
    );
  });

  test("craft-engine-35 a role has to lead to an agent", async () => {
    const role = (value: string) => `phases: { implementation: { role: "${value}" } }`;
    const at = world();
    expect(await refused(at, role("craft:plannr"))).toBe(
      '  - phases.implementation.role: "craft:plannr" does not resolve to an installed agent; did you mean craft:planner? (.claude/workflow.md line 2)\n',
    );
    expect(await refused(at, role("craft:planner"))).toBe("");
    expect(await refused(at, role("craft:../agents/planner"))).toContain("does not resolve");
    expect(await refused(at, role("acme:x"))).toContain("register it under extends.agents");
    expect(await refused(at, role("planner"))).toContain("did you mean craft:planner?");
    expect(await refused(at, `${role("acme:x")}\nextends: { agents: [acme:x] }`)).toBe("");
  });

  test("a project's agents folder alone registers no role, CRAFT_ROOT's does", async () => {
    const at = world();
    at.write(".claude/agents/mine.md", "");
    at.write("agents/mine.md", "");
    expect(await refused(at, "phases: { implementation: { role: mine } }")).toContain("does not resolve");
    expect(await refused(at, "phases: { implementation: { role: craft:mine } }")).toContain(
      "does not resolve",
    );
    const env = { CRAFT_ROOT: at.root };
    const installed = { ...at, host: { ...at.host, env } };
    expect(await refused(installed, "phases: { implementation: { role: craft:mine } }")).toBe("");
  });

  test("craft-engine-36 a custom profile cannot put a harness into the session", async () => {
    const modes =
      "setup: inline, specification: inline, construction: agent, harness: inline, refinement: inline, delivery: inline";
    const { effective } = await resolved(
      world(),
      `pipeline: { profile: audit }\nextends: { profiles: { audit: { ${modes} } } }`,
    );
    expect(byId(effective, "review").execution).toBe("agent");
    expect(byId(effective, "validation").execution).toBe("agent");
    expect(byId(effective, "design").execution).toBe("inline");
  });

  test("craft-engine-37 the last scope of a policy wins, action by action", async () => {
    const at = world();
    at.writeHome(".claude/craft-policy.md", "---\npolicy: { never: [push], always: [commit] }\n---\n");
    const project = "policy: { always: [push] }";
    expect((await resolved(at, project, ["--policy", "push=ask"])).policy).toEqual({
      commit: "always",
      push: "ask",
    });
    expect((await resolved(at, project)).policy).toEqual({ commit: "always", push: "always" });
    expect(await refused(at, project, ["--policy", "merge=always"])).toContain(
      "--policy unknown action: merge",
    );
    expect(await refused(at, project, ["--policy", "push=maybe"])).toContain(
      "--policy unknown verdict: maybe",
    );
    expect(await refused(at, project, ["--policy", "push"])).toContain("--policy expects <action>=<verdict>");
    expect(await refused(at, "policy: { always: [push], never: [push] }")).toMatch(
      /^pipeline-resolve: invalid project policy: policy action assigned to multiple verdicts/,
    );
    at.writeHome(".claude/craft-policy.md", "---\npolicy: [\n---\n");
    const broken = await refused(at, project);
    expect(broken).toMatch(/^pipeline-resolve: invalid user policy: malformed YAML: /);
    expect(broken.trimEnd().split("\n")).toHaveLength(1);
  });

  test("a user policy that is a symlink is ignored, and said so", async () => {
    const at = world();
    at.writeHome("elsewhere.md", "---\npolicy: { always: [integrate] }\n---\n");
    mkdirSync(join(at.home, ".claude"));
    symlinkSync(join(at.home, "elsewhere.md"), join(at.home, ".claude/craft-policy.md"));
    const { stdout, stderr } = await craft(at, ["pipeline-resolve"]);
    expect(JSON.parse(stdout).policy).toEqual({});
    expect(stderr).toBe("pipeline-resolve: note: ~/.claude/craft-policy.md ignored: is a symlink\n");
  });

  test("craft-engine-47 everything may be skipped", async () => {
    const found = await resolution(world(), ["--skip", PHASES.join(",")]);
    expect(found).toMatchObject({ effective: [], gateDecisions: [] });
    expect(found.waivers.map(({ phaseId }) => phaseId)).toEqual([
      "review",
      "refactoring",
      "validation",
      "architecture",
    ]);
  });

  test("craft-engine-48 --out writes the bytes stdout would have had", async () => {
    const at = world();
    const plain = await craft(at, ["pipeline-resolve"]);
    expect(await craft(at, ["pipeline-resolve", "--out", "r.json"])).toEqual({
      ...{ code: 0, stderr: "" },
      stdout: `${join(at.root, "r.json")}\n`,
    });
    expect(readFileSync(join(at.root, "r.json"), "utf8")).toBe(plain.stdout);
    expect((await craft(at, ["pipeline-resolve", "--skip", "design", "--out", "s.json"])).code).toBe(2);
    expect(existsSync(join(at.root, "s.json"))).toBe(false);
    const target = at.write("target.json", "mine");
    symlinkSync(target, join(at.root, "link.json"));
    const link = await craft(at, ["pipeline-resolve", "--out", "link.json"]);
    expect(link).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("is a symlink") });
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  test("arguments: values, unknown options, two manifests, a manifest that is not there", async () => {
    const at = world();
    const error = async (...words: string[]) => {
      const { code, stderr, stdout } = await craft(at, ["pipeline-resolve", ...words]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      return stderr.trimEnd();
    };
    expect(await error("--profile", "-x")).toBe(
      "pipeline-resolve: option --profile requires a non-flag value",
    );
    expect(await error("-")).toBe("pipeline-resolve: unknown option -");
    expect(await error("@default", "m.md", "--manifest", "m.md")).toContain("give one");
    expect(await error("@default", "none.md")).toContain(
      "pipeline-resolve: failed to parse manifest: none.md",
    );
    expect(await error("none.yml")).toBe(
      "pipeline-resolve: failed to parse pipeline: none.yml: no such file or directory",
    );
    expect(await error("--profile", "lea")).toContain(
      'Unknown profile "lea". Supported profiles: solo, full, lean.; did you mean lean?',
    );
    expect(await resolution(at, ["", ""])).toEqual(await resolution(at));
    const united = await resolution(at, ["--skip", " review ,", "--skip", "lessons"]);
    expect(ids(united.effective)).not.toContain("review");
    expect(ids(united.effective)).not.toContain("lessons");
    for (const [words, stderr] of [
      [["--profile"], "pipeline-resolve: option --profile requires a non-flag value\n"],
      [["--bogus"], "pipeline-resolve: unknown option --bogus\n"],
    ] as const)
      expect(await runJig(["craft", "pipeline-resolve", ...words])).toMatchObject({
        code: 2,
        stdout: "",
        stderr,
      });
  });

  test("an upstream pipeline file without the two newer phases gives the other eleven", async () => {
    const at = world();
    const blocks = readFileSync(join(ROOT, "assets/pipeline/default.yml"), "utf8").split("\n\n");
    at.write("p.yml", blocks.filter((block) => !/id: (lessons|impact-triage)/.test(block)).join("\n\n"));
    const found = await resolution(at, ["p.yml"]);
    const expected = ids((await resolution(at)).effective).filter(
      (id) => id !== "lessons" && id !== "impact-triage",
    );
    expect(ids(found.effective)).toEqual(expected);
  });
});

describe("what a manifest brings", () => {
  test("a replacement keeps its place and inherits only the archetype; its block is applied again", async () => {
    const found = await resolved(
      world(),
      "extends: { phases: [{ id: review, procedure: own, contract: [harness-read], consumes: [change], harness: { passes: 5 } }], agents: [own:r] }\nphases: { review: { role: own:r, harness: { max_cycles: 2 } } }",
    );
    expect(ids(found.effective).indexOf("review")).toBe(5);
    expect(byId(found.effective, "review")).toEqual({
      ...{ enabled: true, contract: ["harness-read"], consumes: ["change"], produces: [], self_supply: [] },
      ...{ execution: "agent", id: "review", archetype: "harness", procedure: "own", role: "own:r" },
      harness: { passes: 5, max_cycles: 2, reviewPlan: { passes: 5, stop_rule: "low-only" } },
      autoSkipEligible: true,
    });
    expect(found.record).toContain("swap: review role → own:r");
    expect(found.record).toContain("replace: review (extends.phases)");
    expect(found.record.some((line) => line.startsWith("archetype:"))).toBe(false);
    expect(found.waivers).toEqual([]);
  });

  test("a graph error names the line of the edit it comes from", async () => {
    const line = async (yaml: string) =>
      /\(\.claude\/workflow\.md line (\d+)\)/.exec(await refused(world(), yaml))?.[1];
    expect(await line("pipeline:\n  insert:\n    - { id: a, before: review, gate: g, consumes: [x] }")).toBe(
      "4",
    );
    expect(await line("phases:\n  design:\n    enabled: false")).toBe("4");
    expect(await line("pipeline:\n  reorder: [design, workspace]")).toBe("3");
    expect(await line("pipeline:\n  insert:\n    - { id: design, gate: g }")).toBe("4");
    expect(await line("pipeline:\n  skip:\n    - design")).toBe("4");
  });

  test("a replacement that makes less than the phase it replaced is named where its product is missed", async () => {
    const stderr = await refused(world(), "extends: { phases: [{ id: implementation, procedure: own }] }");
    expect(stderr).toContain(
      'extends.phases[0] replaced "implementation", which produced "change" (.claude/workflow.md line 2)',
    );
  });

  test("a replacement that is no executing harness any more is a waiver", async () => {
    const found = await resolved(world(), "extends: { phases: [{ id: validation, procedure: own }] }");
    expect(found.waivers).toEqual([
      { phaseId: "validation", reason: "extends.phases", proposeGateReleased: true },
    ]);
    expect(found.record.some((line) => line.startsWith("WAIVER: validation (extends.phases)"))).toBe(true);
  });

  test("new registered phases follow the inserts; skips and toggles reach both", async () => {
    const yaml = (more: string) =>
      `pipeline: { insert: [{ id: one, after: review, procedure: p }] }\nextends: { phases: [{ id: two, after: one, procedure: p }, { id: three, before: one, procedure: p, role: own:w }] }\n${more}`;
    const found = await resolved(world(), yaml("phases: { one: { enabled: false }, two: { model: opus } }"), [
      ...["--skip", "three"],
    ]);
    expect(ids(found.effective)).toContain("two");
    expect(ids(found.effective)).not.toContain("one");
    expect(ids(found.effective)).not.toContain("three");
    expect(byId(found.effective, "two").model).toBe("opus");
    expect(found.record.slice(0, 7)).toEqual([
      "default-skip: requirements (descriptor enabled:false)",
      "skip: three (manifest pipeline.skip)",
      "disable: one (phases.one.enabled:false)",
      "default-skip: architecture (descriptor enabled:false)",
      "insert: one (after:review)",
      "insert: two (after:one)",
      "insert: three (before:one)",
    ]);
    expect(await refused(world(), "pipeline: { insert: [{ id: review, procedure: p }] }")).toContain(
      'Duplicate descriptor id "review".',
    );
    expect(
      await refused(world(), "extends: { phases: [{ id: x, procedure: p }, { id: x, procedure: p }] }"),
    ).toContain('Duplicate descriptor id "x".');
  });

  test("declarations open the ledger", async () => {
    const { record } = await resolved(
      world(),
      "backlog: { source: own }\nextends: { backlog-adapters: [{ name: own, ref: x.sh }] }\nmodels: { fallback: haiku }\nphases: { requirements: { enabled: true } }",
    );
    expect(record[0]).toBe("enable: requirements (phases.requirements.enabled:true)");
    expect(record).toContain(
      'backlog: source "own" (ref: <unspecified>) — Backlog.resolve required at input-classify.',
    );
    expect(record).toContain(
      'models.fallback: "haiku" declared — fallback re-resolution policy active for degraded tiers.',
    );
    const file = await resolved(world(), "backlog: { source: file }");
    expect(file.record).toContain(
      'backlog: source "file" (ref: <default path>) — Backlog.resolve required at input-classify.',
    );
    const unknown = await resolved(world(), "backlog: { source: other }");
    expect(unknown.record.some((line) => line.startsWith("backlog:"))).toBe(false);
  });

  test("a mode that is none is refused where it stands", async () => {
    expect(
      await refused(
        world(),
        "execution: x\nphases: { review: { execution: 1 } }\npipeline: { insert: [{ id: a, gate: g, execution: ~ }] }\nextends: { phases: [{ id: b, procedure: p, execution: y }] }",
      ),
    ).toBe(
      [
        '  - Invalid execution value "x" in manifest top-level execution. Must be one of: agent, inline. (.claude/workflow.md line 2)',
        '  - Invalid execution value "1" in phases.review.execution. Must be one of: agent, inline. (.claude/workflow.md line 3)',
        '  - Invalid execution value "null" in pipeline.insert[id="a"].execution. Must be one of: agent, inline. (.claude/workflow.md line 4)',
        '  - Invalid execution value "y" in extends.phases[id="b"].execution. Must be one of: agent, inline. (.claude/workflow.md line 5)\n',
      ].join("\n"),
    );
  });

  test("a manifest nobody linted cannot resolve wrongly", async () => {
    for (const [yaml, message] of [
      ["pipeline: []", "pipeline must be a mapping"],
      ["pipeline: { skip: review }", "pipeline.skip must be a list of phase ids"],
      ["phases: { review: { enabled: yes } }", "phases.review.enabled must be a boolean"],
      ["phases: { review: { skip: true } }", "per-phase skip: is inert"],
      ["phases: { plan: {}, planning: {} }", "name the same phase"],
      ["extends: []", "extends must be an object"],
      ["- a", "manifest frontmatter must be a mapping"],
    ])
      expect(await refused(world(), yaml!)).toContain(message);
  });

  test("required phases are never auto-skipped, nor those that a later one needs", async () => {
    const found = await resolved(
      world(),
      "phases: { review: { required: true } }\npipeline: { insert: [{ id: gen, after: design, procedure: p, produces: [x] }, { id: use, after: gen, procedure: p, consumes: [x] }] }",
    );
    expect(byId(found.effective, "review").autoSkipEligible).toBe(false);
    expect(byId(found.effective, "gen").autoSkipEligible).toBe(false);
    expect(byId(found.effective, "use").autoSkipEligible).toBe(true);
  });
});

test("pipeline-resolve writes all of a result larger than a pipe's buffer", async () => {
  const at = world();
  const inserts = Array.from({ length: 3000 }, (_, i) => `  - { id: i${i}, procedure: p, before: propose }`);
  writeFileSync(
    join(at.root, "m.yml"),
    `pipeline:\n  insert:\n${inserts.map((line) => `  ${line}`).join("\n")}\n`,
  );
  const { code, stdout } = await runJig(["craft", "pipeline-resolve", "@default", "m.yml"], { cwd: at.root });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).effective).toHaveLength(3013);
});
