import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BUNDLES } from "../../src/craft/common/vocabulary.ts";
import { assembleContract } from "../../src/craft/contracts/assemble.ts";
import { readBundles } from "../../src/craft/contracts/bundles.ts";
import { contractsLint } from "../../src/craft/contracts/lint.ts";
import { PHRASES } from "../../src/craft/contracts/phrases.ts";
import { testHost } from "../support/host.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const host = testHost();
const texts = readBundles(host, undefined);

describe("the embedded contracts", () => {
  test("pass the lint with its markers", () => {
    expect(contractsLint(host, { directory: undefined, markers: true }).text).toBe(
      "contracts-lint: all 7 bundles OK (embedded)",
    );
  });

  test("are short: the block an agent reads most stays under 3,500 characters", () => {
    expect(texts.core.length + texts.construction.length).toBeLessThan(3_500);
  });

  test("craft-engine-38 a block holds every phrase of its bundles, inline differs in exactly two lines", () => {
    const parts = { bundles: ["producer"] as const, texts, contexts: [] };
    const agent = assembleContract({ ...parts, execution: "agent" });
    const inline = assembleContract({ ...parts, execution: "inline" });
    for (const phrase of [...PHRASES.core, ...PHRASES.producer]) expect(agent).toContain(phrase);
    expect(agent).toContain("the agent commit is the handoff");
    expect(inline).toContain("the commit is the handoff (no agent context to lose)");
    expect(inline).toContain("the session model");
    expect(agent.split("\n").filter((line) => line.startsWith("retrieval:"))).toHaveLength(1);
    const [a, b] = [agent.split("\n"), inline.split("\n")];
    expect(a.filter((line, index) => line !== b[index])).toHaveLength(2);
    expect(agent).not.toContain("@@");
    expect(agent.endsWith("\n")).toBe(true);
  });

  test("core stands once, also when a descriptor names it", () => {
    const parts = { texts, contexts: ["a.md"], execution: "agent" as const };
    expect(assembleContract({ ...parts, bundles: ["core"] })).toBe(
      assembleContract({ ...parts, bundles: [] }),
    );
    expect(assembleContract({ ...parts, bundles: [] }).endsWith("\na.md\n")).toBe(true);
  });
});

describe("contracts-lint", () => {
  function directory(change: Partial<Record<(typeof BUNDLES)[number], string | undefined>>) {
    const path = tempDir();
    for (const bundle of BUNDLES) {
      const text = bundle in change ? change[bundle] : texts[bundle];
      if (text !== undefined) writeFileSync(join(path, `${bundle}.md`), text);
    }
    return path;
  }
  const lint =
    (path: string, markers = false) =>
    () =>
      contractsLint(host, { directory: path, markers });

  test("craft-engine-41 every problem is reported", () => {
    const path = directory({ core: " \n", delivery: "Retrieval is ours" });
    expect(lint(path)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message:
          `contracts-lint: bundle file is empty: ${path}/core.md\n` +
          `contracts-lint: bundle "delivery" must not contain "retrieval" (engine derives it): ${path}/delivery.md`,
      }),
    );
  });

  test("a missing file and one that is a directory", () => {
    const path = directory({ producer: undefined, refinement: undefined });
    mkdirSync(join(path, "refinement.md"));
    expect(lint(path)).toThrow(
      `contracts-lint: missing bundle file: ${path}/producer.md\n` +
        `contracts-lint: not a regular file: ${path}/refinement.md`,
    );
  });

  test("--markers asks for the phrases and for one line of each marker", () => {
    const core = texts.core.replace("@@MODEL_RESOLUTION@@", "the session model").replace("swallowed", "lost");
    const path = directory({ core, delivery: `${texts.delivery}\nDecision-candidates` });
    expect(lint(path)()).toMatchObject({ data: { ok: true } });
    expect(lint(path, true)).toThrow(/must contain "swallowed"/);
    expect(lint(path, true)).toThrow(/exactly one line with @@MODEL_RESOLUTION@@, has 0/);
    expect(lint(path, true)).toThrow(/"delivery" must not contain "Decision-candidates"/);
  });
});

describe("contract-assemble", () => {
  function world(files: Record<string, string> = {}) {
    const cwd = tempDir();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const run = (words: string[], stdin = "") =>
      runJig(["craft", "contract-assemble", ...words], { cwd, env: { HOME: cwd }, stdin });
    return { cwd, run };
  }

  test("craft-engine-38 the command prints the same block twice, inline differs in two lines", async () => {
    const { run } = world();
    const agent = await run(["--descriptor-id", "design"]);
    expect(await run(["--descriptor-id", "design"])).toEqual(agent);
    const inline = await run(["--descriptor-id", "design", "--inline"]);
    for (const phrase of [...PHRASES.core, ...PHRASES.producer]) expect(agent.stdout).toContain(phrase);
    const other = inline.stdout.split("\n");
    expect(agent.stdout.split("\n").filter((line, index) => line !== other[index])).toHaveLength(2);
  });

  test("craft-engine-39 an inserted phase needs its descriptor", async () => {
    const { run } = world();
    const unknown = await run(["--descriptor-id", "bench"]);
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toMatch(
      /^contract-assemble: unknown descriptor-id "bench"\. Known ids: workspace, requirements, /,
    );
    const descriptor = '{"id":"bench","contract":["harness-exec"]}';
    for (const json of [descriptor, `[${descriptor}]`, `{"ok":true,"effective":[${descriptor}]}`]) {
      const { code, stdout } = await run(["--descriptor-id", "bench", "--descriptor-json", "-"], json);
      expect(code).toBe(0);
      expect(stdout).toContain("triages findings");
      expect(stdout).not.toContain("Decision-candidates");
    }
  });

  test("craft-engine-40 declared paths come last, found under an alias; the body never appears", async () => {
    const { run } = world({
      "m.md": "---\ncontext: [a.md, b.md]\nphases: { plan: { context: c.md } }\n---\nBODY\n",
    });
    const { stdout } = await run(["--descriptor-id", "planning", "--manifest", "m.md"]);
    expect(stdout.split("\n").slice(-4)).toEqual(["a.md", "b.md", "c.md", ""]);
    expect(stdout).not.toContain("BODY");
    const byAlias = await run(["--descriptor-id", "plan", "--manifest", "m.md"]);
    expect(byAlias.stdout).toBe(stdout);
  });

  test("every failure has its words", async () => {
    const { run } = world({ "bad.yml": "x: 1", "bad.md": "---\na: [\n---\n", "bad.json": "{" });
    const id = ["--descriptor-id", "design"];
    for (const [words, stderr] of [
      [[], "Usage: contract-assemble"],
      [[...id, "--nope"], "contract-assemble: unknown option --nope"],
      [[...id, "--manifest"], "contract-assemble: option --manifest requires a non-flag value"],
      [[...id, "--pipeline", "bad.yml"], "contract-assemble: failed to parse pipeline: "],
      [[...id, "--manifest", "bad.md"], "contract-assemble: failed to parse manifest: "],
      [[...id, "--manifest", "no.md"], "contract-assemble: failed to parse manifest: "],
      [[...id, "--contracts-dir", "."], "contract-assemble: failed to load contract fragments: "],
      [[...id, "--descriptor-json", "no.json"], "contract-assemble: failed to read --descriptor-json: "],
      [[...id, "--descriptor-json", "bad.json"], "contract-assemble: failed to parse --descriptor-json: "],
    ] as const) {
      const run1 = await run([...words]);
      expect({ words, code: run1.code, stdout: run1.stdout }).toEqual({ words, code: 2, stdout: "" });
      expect(run1.stderr).toContain(stderr);
    }
    const json = (text: string) => run(["--descriptor-id", "x", "--descriptor-json", "-"], text);
    expect((await json('{"id":"x"}')).stderr).toContain(
      'descriptor "x": contract must be a list of bundle names',
    );
    expect((await json('{"id":"x","contract":["nope"]}')).stderr).toContain(
      'contract-assemble: Unknown contract bundle: "nope"',
    );
  });

  test("craft-engine-41 contracts-lint reports both", async () => {
    const { cwd } = world();
    for (const bundle of BUNDLES) writeFileSync(join(cwd, `${bundle}.md`), texts[bundle]);
    writeFileSync(join(cwd, "core.md"), "");
    writeFileSync(join(cwd, "delivery.md"), "Retrieval\n");
    const { code, stderr, stdout } = await runJig(["craft", "contracts-lint", "."], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/bundle file is empty: .*core\.md\n.*"delivery" must not contain/);
  });
});
