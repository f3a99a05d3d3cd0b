import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWithEmpty, measureInTurns } from "./measure.ts";
import type { Bench, BenchRow } from "./types.ts";

const MANIFEST = [
  "---",
  "gates: { phase: npm test }",
  "pipeline:",
  "  profile: lean",
  "  insert: [{ id: smoke, after: review, gate: make smoke }]",
  "models: { reviewer: haiku }",
  "---",
  "",
].join("\n");

const resolution: Bench = {
  name: "a delivery run resolved",
  async run({ jig, empty, tempDir }) {
    const cwd = join(tempDir, "craft");
    mkdirSync(cwd);
    writeFileSync(join(cwd, "m.md"), MANIFEST);
    const env = { HOME: tempDir };
    return compareWithEmpty(
      empty,
      [
        ["pipeline-resolve, the default pipeline (no YAML)", [jig, "craft", "pipeline-resolve"]],
        ["policy consult", [jig, "craft", "policy", "consult", "push", "--effective", "{}"]],
        ["pipeline-resolve with a manifest", [jig, "craft", "pipeline-resolve", "@default", "m.md"]],
        ["manifest-lint", [jig, "craft", "manifest-lint", "m.md"]],
      ],
      { env, cwd },
      21,
    );
  },
};

/** Each input of a size and of twice, four times that: a ratio far above two between neighbours is not linear. */
const growth: Bench = {
  name: "growth of the engine's parsers",
  async run({ jig, tempDir }) {
    const cwd = join(tempDir, "craft-growth");
    mkdirSync(cwd);
    const lines = (count: number, line: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => line(index)).join("\n");
    const inputs: Record<string, { size: number; text: (size: number) => string; words: string[] }> = {
      "manifest of keys": {
        size: 5_000,
        text: (size) => `---\nphases:\n${lines(size, (i) => `  p${i}: { required: true }`)}\n---\n`,
        words: ["pipeline-resolve", "@default"],
      },
      "manifest of inserts": {
        size: 2_500,
        text: (size) =>
          `---\npipeline:\n  insert:\n${lines(size, (i) => `    - { id: i${i}, after: review, gate: g }`)}\n---\n`,
        words: ["pipeline-resolve", "@default"],
      },
      "raw input of flags": {
        size: 8_000,
        text: (size) => lines(size, (i) => `word ${i} --skip p${i} "open`),
        words: ["parse-args", "--from"],
      },
      findings: {
        size: 25_000,
        text: (size) => lines(size, (i) => `HIGH src/file${i}.ts:${i + 1} — a finding | its fix`),
        words: ["normalize-findings"],
      },
    };
    const rows: BenchRow[] = [];
    for (const [name, { size, text, words }] of Object.entries(inputs)) {
      const commands = [1, 2, 4].map((factor) => {
        const file = join(cwd, `${name.replaceAll(" ", "-")}-${factor}.md`);
        writeFileSync(file, text(size * factor));
        return [jig, "craft", ...words, file];
      });
      const costs = measureInTurns(commands, { cwd, env: { HOME: tempDir } }, 5);
      costs.forEach((cost, index) => {
        const half = costs[index - 1];
        rows.push({
          figure: `${name}, ${size * [1, 2, 4][index]!}, CPU`,
          value: cost.cpu,
          unit: "ms",
          ...(half === undefined ? {} : { baseline: "half of it", baselineValue: half.cpu }),
        });
      });
    }
    return rows;
  },
};

export const benches: Bench[] = [resolution, growth];
