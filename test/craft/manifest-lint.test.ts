import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeManifest } from "../../src/craft/manifest/judge.ts";
import { manifestLint } from "../../src/craft/manifest/lint.ts";
import { ran, type World, world } from "./world.ts";

const lint = (at: World, path?: string, options: { strict?: boolean } = {}) =>
  ran(manifestLint(at.host, { path, strict: options.strict ?? false, json: false }));

/** The pinned texts of a manifest's errors. */
async function errors(yaml: string, at = world()): Promise<string[]> {
  const verdict = await judgeManifest(at.host, at.manifest(yaml));
  return verdict.errors.map(({ message }) => message);
}

async function warnings(yaml: string): Promise<string[]> {
  const at = world();
  const verdict = await judgeManifest(at.host, at.manifest(yaml));
  expect(verdict.errors).toEqual([]);
  return verdict.warnings.map(({ message }) => message);
}

describe("manifest-lint", () => {
  test("craft-engine-7 no manifest, or a directory, is pure defaults", async () => {
    const at = world();
    expect(await lint(at)).toEqual({
      code: 0,
      stdout: "craft-manifest: no manifest at .claude/workflow.md — pure defaults via capability probing.",
      stderr: "",
    });
    mkdirSync(join(at.root, "dir.md"));
    expect(await lint(at, "dir.md")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("no manifest at dir.md"),
    });
  });

  test("craft-engine-9 every error is reported, in document order, with its line natively", async () => {
    const at = world();
    at.manifest("foo: 1\nphases: { nope: {} }\ngates: { x: y }");
    const { code, stdout, stderr } = await lint(at);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      "craft-manifest: INVALID manifest .claude/workflow.md:",
      "- unknown top-level key: foo (line 2)",
      "- unknown phase: nope (line 3)",
      "- unknown gates field: x (line 4)",
      expect.stringMatching(/^Fix the manifest/),
    ]);
    const upstream = await lint({ ...at, host: { ...at.host, invokedAs: "manifest-lint.js" } });
    expect(upstream.stderr.split("\n").slice(1, 4)).toEqual([
      "- unknown top-level key: foo",
      "- unknown phase: nope",
      "- unknown gates field: x",
    ]);
  });

  test("craft-engine-10 a per-phase skip names where it belongs", async () => {
    expect(await errors("phases: { plan: { skip: true } }")).toEqual([
      "per-phase skip: is inert — use top-level pipeline.skip: [plan]",
    ]);
  });

  test("craft-engine-11 a reference out of the root is a missing file", async () => {
    const at = world();
    at.write("../secret.md", "secret");
    expect(await errors("context: ../secret.md", at)).toEqual([
      "context references missing file: ../secret.md",
    ]);
    expect(await errors("context: ~", at)).toEqual([]);
    expect(await errors('context: ["", "~"]', at)).toEqual([]);
  });

  test("craft-engine-12 a renamed role names its successor", async () => {
    expect(await errors("models: { validation-triager: opus }")).toEqual([
      "models key 'validation-triager' was renamed — use 'harness-triager'",
    ]);
    expect(await errors("models: { impact-triager: opus, requirements-writer: opus }")).toEqual([]);
  });

  test("craft-engine-13 a nested insert is told about the flat shape", async () => {
    const [message] = await errors("pipeline: { insert: [{ after: implement, phase: {} }] }");
    expect(message).toContain("pipeline.insert[after:implement]");
    expect(message).toContain("flat shape");
  });

  test("craft-engine-14 a phase both skipped and required", async () => {
    expect(await errors("phases: { adr: { required: true } }\npipeline: { skip: [decisions] }")).toEqual([
      "phases.adr.required: true conflicts with pipeline.skip: [adr] — a phase cannot be both skipped and required",
    ]);
  });

  test("craft-engine-15 yes is text, not a boolean", async () => {
    expect(await errors("phases: { requirements: { enabled: yes } }")).toEqual([
      "phases.requirements.enabled must be a boolean",
    ]);
  });

  test("craft-engine-16 lessons.max_injected", async () => {
    expect(await errors("lessons: { max_injected: 0 }")).toEqual([]);
    expect(await errors("lessons: { max_injected: -1 }")).toEqual([
      "lessons.max_injected must be a non-negative integer",
    ]);
  });

  test("craft-engine-53 null is empty for a mapping and an error for what must be an object", async () => {
    for (const name of ["gates", "pr", "scripts", "models", "pipeline", "phases", "paths"])
      expect(await errors(`${name}: ~`)).toEqual([]);
    expect(
      await errors("backlog: ~\nmemory: ~\nintention: ~\npolicy: ~\nhygiene: ~\nlessons: ~\nextends: ~"),
    ).toEqual([
      "backlog must be an object { source, ref }",
      "memory must be an object { source, ref }",
      "intention must be an object { source, ref, gate, covers }",
      "policy must be an object { always, ask, never }",
      "hygiene must be an object { gate }",
      "lessons must be an object { max_injected }",
      "extends must be an object",
    ]);
    const at = world();
    at.manifest("backlog: ~");
    expect(await lint(at)).toMatchObject({ code: 2 });
  });
});

describe("the pinned texts", () => {
  const cases: [yaml: string, expected: string[]][] = [
    ["- a", ["manifest frontmatter must be a mapping"]],
    ["execution: fast", ["execution must be one of: agent, inline"]],
    ["pipeline: []", ["pipeline must be a mapping"]],
    ["pipeline: { profile: 3 }", ["pipeline.profile must be a string"]],
    ["pipeline: { profile: x }", ['Unknown profile "x". Supported profiles: solo, full, lean.']],
    ["pipeline: { skip: review }", ["pipeline.skip must be a list of phase ids"]],
    ["pipeline: { skips: [] }", ["unknown pipeline key: skips"]],
    ["pipeline: { insert: {} }", ["pipeline.insert must be a list of insert entries"]],
    ["pipeline: { insert: [1] }", ["pipeline.insert[0] must be an object"]],
    ["pipeline: { insert: [{ id: ' ', gate: g }] }", ["pipeline.insert[ ].id must be a non-empty string"]],
    [
      "pipeline: { insert: [{ before: a, gate: g }] }",
      ["pipeline.insert[before:a].id must be a non-empty string"],
    ],
    [
      "pipeline: { insert: [{ id: a, gate: g, contract: [x], consumes: b, produces: [1] }] }",
      [
        'pipeline.insert[a].contract[0]: "x" is not a known bundle (expected one of core, producer, construction, harness-read, harness-exec, delivery, refinement)',
        "pipeline.insert[a].consumes must be an array",
        "pipeline.insert[a].produces[0] must be a string",
      ],
    ],
    ["pipeline: { reorder: ~ }", ["pipeline.reorder must be a list of phase ids"]],
    [
      "pipeline: { reorder: [a, 1, ~, {}] }",
      [
        "pipeline.reorder[1]: expected a string id, got number",
        "pipeline.reorder[2]: expected a string id, got object",
        "pipeline.reorder[3]: expected a string id, got object",
      ],
    ],
    ["phases: []", ["phases must be a mapping"]],
    ["phases: { review: 1 }", ["phases.review must be a mapping"]],
    ["phases: { plan: {}, planning: {} }", ["phases.plan and phases.planning name the same phase"]],
    [
      "phases: { review: { role: 1, model: [], procedure: ' ', required: 0, harness: ~, execution: x, zzz: 1 } }",
      [
        "phases.review.role must be a string",
        "phases.review.model must be a string",
        "phases.review.procedure must be a non-empty string",
        "phases.review.required must be a boolean",
        "phases.review.harness must be an object",
        "phases.review.execution must be one of: agent, inline",
        "unknown field on phase review: zzz",
      ],
    ],
    [
      "phases: { review: { harness: { dimensions: a, passes: 0, max_cycles: 1.5, convergence: -1, scope: 1, techniques: {}, constructor: 1, other: x } } }",
      [
        "phases.review.harness.dimensions must be a list of strings",
        "phases.review.harness.passes must be a positive integer",
        "phases.review.harness.max_cycles must be a positive integer",
        "phases.review.harness.convergence must be 'low-only', 'none', or a non-negative number",
        "phases.review.harness.scope must be a string",
        "phases.review.harness.techniques must be a list",
        'phases.review.harness: reserved key "constructor" is not allowed',
      ],
    ],
    [
      "phases: { validation: { harness: { techniques: [1, { mode: x, run-style: y, scope: z, probe: 1, run: [], triage-procedure: 1, commit-prefix: 1, __proto__: 1, more: 1 }] } } }",
      [
        "phases.validation.harness.techniques[0] must be an object",
        "phases.validation.harness.techniques[1].id must be a non-empty string",
        "phases.validation.harness.techniques[1].mode must be one of: gate, triage",
        "phases.validation.harness.techniques[1].run-style must be one of: background, sync",
        "phases.validation.harness.techniques[1].scope must be one of: per-hunk, per-file",
        "phases.validation.harness.techniques[1].probe must be a string",
        "phases.validation.harness.techniques[1].run must be a string",
        "phases.validation.harness.techniques[1].triage-procedure must be a string",
        "phases.validation.harness.techniques[1].commit-prefix must be a string",
        'phases.validation.harness.techniques[1]: reserved key "__proto__" is not allowed',
      ],
    ],
    ["models: { x: opus }", ["unknown models key: x (expected an agent name or 'fallback')"]],
    ["models: { planner: 1 }", ["models.planner must be a string"]],
    ["pr: { x: 1 }", ["unknown pr field: x"]],
    ["scripts: { x: none.sh }", ["unknown scripts field: x", "scripts.x references missing file: none.sh"]],
    ["backlog: { ref: x }", ["backlog must declare a source (one of file, custom)"]],
    [
      "backlog: { source: x, zz: 1 }",
      ["unknown backlog source: x (expected one of file, custom)", "unknown backlog field: zz"],
    ],
    [
      "backlog: { source: jira }",
      ["backlog source 'jira' is not built-in — use source: custom with a ref to a resolver script"],
    ],
    ["backlog: { source: custom, ref: ' ' }", ["backlog.ref is required for source custom"]],
    ["backlog: { source: file, ref: none.md }", ["backlog.ref references missing file: none.md"]],
    ["backlog: { source: file, ref: ~ }", []],
    [
      "backlog: { source: own }\nextends: { backlog-adapters: [{ name: own, ref: x.sh }] }",
      ["extends.backlog-adapters[0].ref references missing file: x.sh"],
    ],
    ["memory: { source: jira }", ["unknown memory source: jira (expected one of file, custom)"]],
    ["memory: { source: custom }", ["memory.ref is required for source custom"]],
    [
      "intention: { source: wiki, gate: x, covers: [''] }",
      [
        "intention source 'wiki' is not built-in — use source: custom with a ref to a resolver script",
        "unknown intention gate: x (expected one of advisory, blocking)",
        "intention.covers must be a list of non-empty strings",
      ],
    ],
    [
      "policy: { always: [push], never: [push, merge], maybe: [], ask: push }",
      [
        "policy action assigned to multiple verdicts: 'push' appears in both 'always' and 'never'",
        "unknown policy action: 'merge' (expected one of isolate, commit, push, propose, integrate, teardown, external-send, backlog-write)",
        "unknown policy verdict: 'maybe' (expected one of always, ask, never)",
        "policy.ask must be a list of action names",
      ],
    ],
    ["hygiene: { gate: ~ }", ["unknown hygiene gate: null (expected one of advisory, blocking)"]],
    ["hygiene: { gates: blocking }", ["unknown hygiene field: gates"]],
    ["lessons: { max: 1 }", ["unknown lessons field: max"]],
    ["extends: { phase: [] }", ["unknown extends sub-key: phase"]],
    [
      "extends: { phases: {}, agents: a, profiles: [], backlog-adapters: {} }",
      [
        "extends.phases must be an array",
        "extends.agents must be an array",
        "extends.profiles must be an object",
        "extends.backlog-adapters must be an array",
      ],
    ],
    [
      "extends: { phases: [1, { id: a, procedure: p, archetype: x, after: 1 }, {}] }",
      [
        "extends.phases[0] must be an object",
        "extends.phases[1].archetype, when present, must be one of setup, specification, construction, harness, refinement, delivery",
        "extends.phases[1].after must be a string",
        "extends.phases[2].id must be a non-empty string",
        "extends.phases[2].procedure must be a non-empty string",
      ],
    ],
    ["extends: { agents: [a, ' '] }", ["extends.agents[1] must be a string"]],
    [
      "extends: { profiles: { a: 1, b: { setup: x, specification: agent, construction: agent, harness: agent, refinement: agent } } }",
      [
        "extends.profiles.a must be an object",
        'extends.profiles.b: missing archetype "delivery"',
        'extends.profiles.b: value for "setup" must be inline|agent, got "x"',
      ],
    ],
    [
      "extends: { backlog-adapters: [1, {}] }",
      [
        "extends.backlog-adapters[0] must be an object",
        "extends.backlog-adapters[1].name must be a non-empty string",
        "extends.backlog-adapters[1].ref must be a non-empty string",
      ],
    ],
    ["retrieval: { anything: [goes] }\npaths: { plan: x, other: 1 }", []],
    ["phases: { smoke: { model: opus } }\npipeline: { insert: [{ id: smoke, gate: g }] }", []],
  ];
  for (const [yaml, expected] of cases) {
    test(yaml, async () => {
      expect(await errors(yaml)).toEqual(expected);
    });
  }

  test("a gate for an inserted phase is refused with what to do", async () => {
    const at = world();
    at.manifest("pipeline: { insert: [{ id: smoke, procedure: p }] }\ngates: { smoke: run }");
    expect((await lint(at)).stderr).toContain(
      "- unknown gates field: smoke; give the phase a gate of its own (line 3)",
    );
  });

  test("a mistyped word is answered with the one that was meant", async () => {
    const at = world();
    at.manifest("phase: {}\nphases: { reveiw: {} }\npolicy: { always: [pusj] }");
    const { stderr } = await lint(at);
    expect(stderr).toContain("- unknown top-level key: phase; did you mean phases? (line 2)");
    expect(stderr).toContain("- unknown phase: reveiw; did you mean review? (line 3)");
    expect(stderr).toContain("; did you mean push? (line 4)");
  });

  test("what a terminal would obey, and a second line, is shown and not printed", async () => {
    const found = await errors('"a\\e[31m\\n- forged": 1');
    expect(found).toEqual(["unknown top-level key: a\\x1b[31m\\n- forged"]);
  });
});

describe("warnings", () => {
  test.each([
    ["models: { planner: gpt }", 'models.planner: "gpt" is not a known tier (opus, sonnet, haiku)'],
    ["gates: { phase: 3 }", "gates.phase must be a command string or a list of command strings"],
    [
      "pr: { pre-pr-gate: { run: x } }",
      "pr.pre-pr-gate must be a command string or a list of command strings",
    ],
    ["phases: { workspace: { strategy: x } }", 'phases.workspace.strategy: "x" is not worktree or in-place'],
    [
      "phases: { review: { harness: { dimensions: [] } } }",
      "phases.review.harness.dimensions is empty: review would spawn no reviewer",
    ],
    [
      "pipeline: { insert: [{ id: a }] }",
      "pipeline.insert[a]: neither procedure nor gate — the walk has nothing to run",
    ],
    ["pipeline: { skip: [bogus] }", 'pipeline.skip: "bogus" matches no phase'],
  ])("%s", async (yaml, expected) => {
    expect(await warnings(yaml)).toEqual([expected]);
  });

  test("they do not change the exit code; --strict makes errors of them", async () => {
    const at = world();
    at.manifest("models: { planner: gpt }");
    expect(await lint(at)).toMatchObject({
      code: 0,
      stdout: "craft-manifest: .claude/workflow.md valid.",
      stderr:
        'craft-manifest: warning: models.planner: "gpt" is not a known tier (opus, sonnet, haiku) (line 2)',
    });
    expect(await lint(at, undefined, { strict: true })).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("file references", () => {
  test("only a regular file inside the root, by name and by real path, that is no symlink", async () => {
    const at = world();
    at.write("ok.md", "");
    at.write("../outside/secret.md", "");
    symlinkSync(join(at.root, "ok.md"), join(at.root, "link.md"));
    symlinkSync(join(at.root, "../outside"), join(at.root, "door"));
    mkdirSync(join(at.root, "dir"));
    expect(await errors(`context: [ok.md, ./ok.md, "${at.root}/ok.md", sub/../ok.md]`, at)).toEqual([]);
    const refused = ["link.md", "door/secret.md", "../outside/secret.md", "dir", "none", "/etc/passwd"];
    expect(await errors(`context: [${refused.join(", ")}, 5]`, at)).toEqual(
      [...refused, "5"].map((path) => `context references missing file: ${path}`),
    );
  });

  test("every reference of a manifest is judged under its label", async () => {
    const found = await errors(
      "context: n\nphases: { plan: { context: n, override: [n] } }\nscripts: { post-setup: n }\npaths: { dod: n }\nbacklog: { source: file, ref: n }\nmemory: { source: file, ref: n }\nintention: { source: file, ref: n }",
    );
    expect(found.map((message) => message.replace(" references missing file: n", ""))).toEqual([
      "context",
      "phases.plan.context",
      "phases.plan.override",
      "scripts.post-setup",
      "paths.dod",
      "backlog.ref",
      "memory.ref",
      "intention.ref",
    ]);
  });
});

describe("the DoD sidecar", () => {
  const dod = async (text: string) => {
    const at = world();
    at.write("dod.md", text);
    const verdict = await judgeManifest(at.host, at.manifest("paths: { dod: dod.md }"));
    return verdict.errors.map(({ message, file, line }) => `${file}:${line} ${message}`);
  };

  test("its criteria are judged with lines of the file itself", async () => {
    expect(
      await dod(
        "---\ncriteria:\n  - 1\n  - { id: '', kind: x }\n  - { id: a, kind: auto }\n  - { id: b, kind: auto, assert: {} }\n  - { id: c, kind: auto, assert: { gate: g, file-exists: f } }\n  - { id: d, kind: auto, assert: { gate: 1 } }\n  - { id: e, kind: auto, assert: { file-exists: '' } }\n  - { id: f, kind: judgment }\n---\n",
      ),
    ).toEqual([
      "dod.md:3 dod.criteria[0] must be an object",
      "dod.md:4 dod.criteria[1].id must be a non-empty string",
      "dod.md:4 dod.criteria[1].kind must be 'auto' or 'judgment'",
      "dod.md:5 dod.criteria[2]: auto criterion requires an 'assert' object",
      "dod.md:6 dod.criteria[3].assert must have a 'gate' or 'file-exists' key",
      "dod.md:7 dod.criteria[4].assert must not have both 'gate' and 'file-exists'",
      "dod.md:8 dod.criteria[5].assert.gate must be a string",
      "dod.md:9 dod.criteria[6].assert['file-exists'] must be a non-empty string",
    ]);
    expect(await dod("---\ncriteria: x\n---\n")).toEqual(["dod.md:2 dod.criteria must be an array"]);
  });

  test("free text passes, broken front matter does not", async () => {
    expect(await dod("It works.")).toEqual([]);
    expect(await dod("---\ntitle: x\n---\n")).toEqual([]);
    const [message] = await dod("---\na: [\n---\n");
    expect(message).toMatch(/^dod\.md:\d dod: malformed YAML frontmatter — /);
  });
});

describe("the lint as a whole", () => {
  test("malformed YAML is one error with its line", async () => {
    const at = world();
    at.write(".claude/workflow.md", "---\na: 1\nb: [\n---\n");
    const { code, stderr } = await lint(at);
    expect(code).toBe(2);
    expect(stderr.split("\n")[1]).toMatch(/^- malformed YAML frontmatter: .+ \(line \d\)$/);
  });

  test("any mapping gives a verdict, the same each time", async () => {
    const at = world();
    const keys = fc.constantFrom(
      "pipeline",
      "phases",
      "extends",
      "policy",
      "models",
      "insert",
      "review",
      "harness",
      "__proto__",
      "skip",
      "id",
      "techniques",
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.string({ maxLength: 5 }),
        keys,
        fc.array(tie("value"), { maxLength: 3 }),
        tie("map"),
      ),
      map: fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, value, { maxKeys: 5 }), async (manifest) => {
        at.manifest(JSON.stringify(manifest));
        const first = await judgeManifest(at.host, ".claude/workflow.md");
        expect(await judgeManifest(at.host, ".claude/workflow.md")).toEqual(first);
      }),
      { numRuns: 300 },
    );
  });
});
