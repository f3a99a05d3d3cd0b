import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BUNDLES } from "../../src/craft/common/vocabulary.ts";
import { assembleContract } from "../../src/craft/contracts/assemble.ts";
import { readBundles } from "../../src/craft/contracts/bundles.ts";
import { contractsLint } from "../../src/craft/contracts/lint.ts";
import { PHRASES } from "../../src/craft/contracts/phrases.ts";
import { testHost } from "../support/host.ts";
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
