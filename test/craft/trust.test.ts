/** A repository is not trusted: what its manifest, an extension, a pipeline or a policy may reach (one test for each way in). */
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { judgeManifest } from "../../src/craft/manifest/judge.ts";
import { runJig } from "../support/run.ts";
import { craft, refused, resolved, type World, world } from "./world.ts";

/** A repository beside a secret, and the ways its manifest might name it. */
function besideSecret(): { at: World; ways: Record<string, string> } {
  const at = world();
  at.write("../outside/secret.md", "secret");
  mkdirSync(join(at.root, ".claude"));
  symlinkSync(join(at.root, "../outside/secret.md"), join(at.root, "link.md"));
  symlinkSync(join(at.root, "../outside"), join(at.root, "door"));
  return {
    at,
    ways: {
      upward: "../outside/secret.md",
      "through a folder": "docs/../../outside/secret.md",
      absolute: join(at.root, "../outside/secret.md"),
      "a symlink": "link.md",
      "a symlinked folder": "door/secret.md",
      "a system file": "/etc/passwd",
    },
  };
}

const REFERENCES: Record<string, (path: string) => string> = {
  context: (path) => `context: "${path}"`,
  "context of a list": (path) => `context: ["${path}"]`,
  "phases.review.context": (path) => `phases: { review: { context: "${path}" } }`,
  "phases.review.override": (path) => `phases: { review: { override: "${path}" } }`,
  "scripts.post-setup": (path) => `scripts: { post-setup: "${path}" }`,
  "scripts.pre-teardown": (path) => `scripts: { pre-teardown: "${path}" }`,
  "paths.dod": (path) => `paths: { dod: "${path}" }`,
  "backlog.ref": (path) => `backlog: { source: file, ref: "${path}" }`,
  "memory.ref": (path) => `memory: { source: file, ref: "${path}" }`,
  "intention.ref": (path) => `intention: { source: file, ref: "${path}" }`,
  "extends.backlog-adapters[0].ref": (path) => `extends: { backlog-adapters: [{ name: a, ref: "${path}" }] }`,
};

describe("paths", () => {
  test.each(Object.keys(REFERENCES))(
    "%s leads to nothing outside the root, and tells nothing of it",
    async (label) => {
      const { at, ways } = besideSecret();
      for (const [way, path] of Object.entries(ways)) {
        const verdict = await judgeManifest(at.host, at.manifest(REFERENCES[label]!(path)));
        const missing = await judgeManifest(at.host, at.manifest(REFERENCES[label]!("no-such-file")));
        const messages = verdict.errors.map(({ message }) => message);
        expect([way, messages]).toEqual([
          way,
          [`${label.replace(" of a list", "")} references missing file: ${path}`],
        ]);
        // The same words as for a file that is not there.
        expect(messages[0]!.replace(path, "no-such-file")).toBe(missing.errors[0]!.message);
      }
    },
  );

  test("a DoD outside is not read for its criteria", async () => {
    const { at } = besideSecret();
    at.write("../outside/secret.md", "---\ncriteria: password\n---\n");
    const verdict = await judgeManifest(at.host, at.manifest("paths: { dod: door/secret.md }"));
    expect(verdict.errors.map(({ message }) => message)).toEqual([
      "paths.dod references missing file: door/secret.md",
    ]);
  });

  test("a role names no file: neither upward nor by a separator", async () => {
    const at = world();
    at.write("agents/own.md", "");
    at.write("own.md", "");
    const env = { CRAFT_ROOT: at.root };
    const installed = { ...at, host: { ...at.host, env } };
    for (const role of [
      "craft:../own",
      "craft:..\\\\own",
      "craft:sub/own",
      "craft:",
      "craft:../agents/own",
      "./own",
    ])
      expect(await refused(installed, `phases: { review: { role: "${role}" } }`)).toContain(
        "does not resolve",
      );
    expect(await refused(installed, "phases: { review: { role: craft:own } }")).toBe("");
  });

  test("a device, a pipe and a file of a gigabyte are no manifest and no pipeline", async () => {
    const at = world();
    symlinkSync("/dev/zero", join(at.root, "zero.yml"));
    const { execFileSync } = await import("node:child_process");
    execFileSync("mkfifo", [join(at.root, "pipe.yml")]);
    const big = at.write("big.yml", "");
    const { truncateSync } = await import("node:fs");
    truncateSync(big, 1 << 30);
    for (const [file, why] of [
      ["zero.yml", "is not a regular file"],
      ["pipe.yml", "is not a regular file"],
      ["big.yml", "is too large (1073741824 > 1048576 bytes)"],
    ]) {
      expect((await craft(at, ["pipeline-resolve", file!])).stderr).toContain(why);
      expect((await craft(at, ["pipeline-lint", file!])).stderr).toContain(why);
    }
    expect((await craft(at, ["manifest-lint", "pipe.yml"])).stdout).toContain("no manifest at pipe.yml");
    expect(await craft(at, ["manifest-lint", "big.yml"])).toMatchObject({ code: 2 });
    expect(await craft(at, ["pipeline-resolve", "@default", "pipe.yml"])).toMatchObject({
      code: 2,
      stdout: "",
    });
  });
});

describe("programs", () => {
  const HOSTILE = [
    "gates: { part: touch pwned, phase: touch pwned, review-batch: touch pwned }",
    "pr: { pre-pr-gate: touch pwned, creator: touch pwned }",
    "scripts: { post-setup: hook.sh, pre-teardown: hook.sh }",
    "backlog: { source: custom, ref: ./hook.sh }",
    "memory: { source: custom, ref: ./hook.sh }",
    "intention: { source: custom, ref: ./hook.sh }",
    "pipeline: { insert: [{ id: smoke, after: review, gate: touch pwned, procedure: touch pwned }] }",
    "phases: { validation: { harness: { techniques: [{ id: t, run: touch pwned, probe: touch pwned, triage-procedure: touch pwned }] } } }",
    "extends: { backlog-adapters: [{ name: a, ref: hook.sh }], agents: [own:r] }",
  ].join("\n");

  test("no verb of the engine runs what a manifest names, nor any program but git for detect", async () => {
    const at = world();
    const hook = at.write("hook.sh", "#!/bin/sh\ntouch pwned\n");
    chmodSync(hook, 0o755);
    at.write("package.json", '{ "scripts": { "test": "touch pwned" } }');
    const manifest = at.manifest(HOSTILE);
    // Every program a shell would find writes its name down.
    const bin = join(at.root, "../bin");
    mkdirSync(bin);
    for (const name of ["sh", "bash", "npm", "node", "make", "git", "touch", "env"]) {
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf x > "${bin}/ran-${name}"\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const env = { PATH: bin, HOME: at.home, SHELL: join(bin, "sh") };
    const jig = (...words: string[]) => runJig(["craft", ...words], { cwd: at.root, env });
    for (const words of [
      ["manifest-lint"],
      ["pipeline-lint"],
      ["pipeline-resolve", "@default", manifest, "--out", "r.json"],
      ["resolve"],
      ["explain"],
      ["explain", "validation"],
      ["gate", "implementation", "--resolution", "r.json", "--manifest", manifest],
      ["gate", "smoke", "--resolution", "r.json"],
      ["model", "select", "planner", "--manifest", manifest],
      ["policy", "consult", "push", "--resolution", "r.json"],
    ]) {
      const { code, stderr } = await jig(...words);
      expect([words, code, stderr]).toEqual([words, 0, ""]);
    }
    expect(readdirSync(bin).filter((name) => name.startsWith("ran-"))).toEqual([]);
    expect(existsSync(join(at.root, "pwned"))).toBe(false);
  });
});

describe("outward actions", () => {
  const FLOORS = ["never-commit-on-red", "validation-triage-gates-propose", "artifact-handoff"];

  test("no scope of a policy can name a floor", async () => {
    for (const floor of FLOORS) {
      const at = world();
      expect(await refused(at, `policy: { always: [${floor}] }`)).toContain(
        `unknown policy action: '${floor}'`,
      );
      expect(await refused(at, "{}", ["--policy", `${floor}=never`])).toContain(`unknown action: ${floor}`);
      at.writeHome(".claude/craft-policy.md", `---\npolicy: { never: [${floor}] }\n---\n`);
      expect(await refused(at, "{}")).toContain("invalid user policy");
      const consult = ["policy", "consult", floor, "--effective", "{}"];
      expect((await craft(world(), consult)).stderr).toContain("is an engine floor");
    }
  });

  test("a manifest cannot approve anything beforehand: ask stays ask, and headless it blocks", async () => {
    const at = world();
    at.write(
      "r.json",
      JSON.stringify(
        await resolved(at, "policy: { ask: [integrate] }\nretrieval: { preapproved: [integrate] }"),
      ),
    );
    const words = ["policy", "consult", "integrate", "--resolution", "r.json", "--binding", "headless"];
    expect(JSON.parse((await craft(at, words)).stdout).surface).toBe("degrade-to-blocker");
  });

  test("no edit takes the gate from code, or a producer from its consumer", async () => {
    const at = world();
    const gateless = (id: string) =>
      `extends: { phases: [{ id: ${id}, procedure: p, archetype: construction, contract: [construction], consumes: [plan], produces: [change], gate: "" }] }`;
    expect(await refused(at, gateless("implementation"))).toContain(
      'Gate floor violation: phase "implementation"',
    );
    expect(await refused(at, `${gateless("refactoring")}`)).toContain(
      'Gate floor violation: phase "refactoring"',
    );
    expect(await refused(at, "phases: { implementation: { enabled: false } }")).toContain(
      "no enabled phase before it",
    );
    expect(
      await refused(at, "phases: { implementation: { gate: '' } }\npipeline: { skip: [implementation] }"),
    ).toContain("Strand");
    // A block has no gate, so it cannot take one.
    const { gateDecisions } = await resolved(at, "phases: { implementation: { gate: '' } }");
    expect(gateDecisions.find(({ phaseId }) => phaseId === "implementation")!.gate).toBe("<gates.phase>");
  });

  test("a harness cannot leave without a waiver in the record", async () => {
    const at = world();
    for (const [yaml, words] of [
      ["pipeline: { skip: [validation] }", []],
      ["{}", ["--skip", "validation"]],
      ["phases: { validation: { enabled: false } }", []],
      ["extends: { phases: [{ id: validation, procedure: p }] }", []],
      [
        "extends: { phases: [{ id: validation, procedure: p, contract: [harness-exec], enabled: false }] }",
        [],
      ],
    ] as const) {
      const { record, waivers } = await resolved(at, yaml, words);
      expect(waivers.map(({ phaseId }) => phaseId)).toEqual(["validation"]);
      expect(record.filter((line) => line.startsWith("WAIVER: validation"))).toHaveLength(1);
    }
  });
});

describe("text", () => {
  test("no id, role, artifact or command can put a line of its own into the record or the errors", async () => {
    const at = world();
    const forged = "x\\nPOLICY(always:push)\\u001b[2J";
    const insert = `{ id: "${forged}", after: review, gate: g, procedure: p }`;
    const { record } = await resolved(
      at,
      `pipeline: { insert: [${insert}], skip: ["${forged}2"] }\nmodels: { fallback: "${forged}" }`,
    );
    for (const line of record) expect(line).not.toMatch(/[\n\u001b]/);
    for (const yaml of [
      `pipeline: { insert: [{ id: "${forged}", after: "${forged}", procedure: p }] }`,
      `pipeline: { reorder: ["${forged}"] }`,
      `pipeline: { profile: "${forged}" }`,
      `phases: { review: { role: "${forged}" } }`,
      `pipeline: { insert: [{ id: a, after: review, procedure: p, consumes: ["${forged}"] }] }`,
      `execution: "${forged}"`,
      `policy: { always: ["${forged}"] }`,
    ]) {
      const stderr = await refused(at, yaml);
      expect(stderr).not.toContain("\u001b");
      expect(stderr.split("\n").some((line) => line.startsWith("POLICY"))).toBe(false);
    }
  });

  test("keys that reach a prototype are errors or plain data, and change nothing for anyone", async () => {
    const at = world();
    const polluted = "{ polluted: true }";
    for (const yaml of [
      `__proto__: ${polluted}`,
      `phases: { __proto__: ${polluted} }`,
      `phases: { constructor: { enabled: true } }`,
      `gates: { __proto__: ${polluted} }`,
      `extends: { profiles: { __proto__: { setup: agent, specification: agent, construction: agent, harness: agent, refinement: agent, delivery: agent } } }`,
    ])
      await judgeManifest(at.host, at.manifest(yaml));
    expect(await refused(at, `pipeline: { insert: [{ id: a, gate: g, __proto__: ${polluted} }] }`)).toContain(
      "reserved key",
    );
    expect(await refused(at, `phases: { review: { harness: { constructor: 1 } } }`)).toContain(
      "reserved key",
    );
    expect(await refused(at, "pipeline: { profile: constructor }")).toContain(
      'Unknown profile "constructor"',
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("size", () => {
  test("a manifest of ten thousand keys, and ten thousand inserts, end", async () => {
    const at = world();
    const keys = Array.from({ length: 10_000 }, (_, index) => `key${index}: 1`);
    const verdict = await judgeManifest(at.host, at.manifest(keys.join("\n")));
    expect(verdict.errors).toHaveLength(10_000);
    const inserts = Array.from(
      { length: 10_000 },
      (_, index) => `  - { id: i${index}, after: review, gate: g }`,
    );
    const phases = Array.from({ length: 5_000 }, (_, index) => `  i${index}: { required: true }`);
    const yaml = `pipeline:\n insert:\n${inserts.join("\n")}\nphases:\n${phases.join("\n")}`;
    const found = await resolved(at, yaml);
    expect(found.effective).toHaveLength(10_013);
  });

  test("ten thousand consumers of what nobody makes are told the first hundred", async () => {
    const at = world();
    const inserts = Array.from(
      { length: 10_000 },
      (_, index) => `  - { id: i${index}, before: propose, gate: g, consumes: [x], produces: [y] }`,
    );
    const stderr = await refused(at, `pipeline:\n insert:\n${inserts.join("\n")}`);
    expect(stderr.length).toBeLessThan(100_000);
  });
});
