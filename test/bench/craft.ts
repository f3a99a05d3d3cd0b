import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWithEmpty } from "./measure.ts";
import type { Bench } from "./types.ts";

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

const HARNESSES = "AWAITING(propose): none";

/** Append costs the same at any length of the ledger; the state of a run grows with its ledger alone. */
const run: Bench = {
  name: "a run's ledger as it grows",
  async run({ jig, empty, tempDir }) {
    const cwd = join(tempDir, "craft-run");
    mkdirSync(cwd);
    const env = { HOME: tempDir, PATH: process.env["PATH"]! };
    Bun.spawnSync(["git", "init", "-q", cwd]);
    const resolution = join(cwd, "run.json");
    writeFileSync(resolution, '{"effective":[{"id":"design"}]}');
    const rows = [];
    for (const length of [1, 25_000, 50_000, 100_000]) {
      const name = `run${length}`;
      Bun.spawnSync([jig, "craft", "ledger", "open", name], { cwd, env });
      const path = join(cwd, `.git/craft-runs/${name}.md`);
      const line = (index: number) =>
        `${index % 2 === 0 ? name : "other"} p a record of some length, number ${index}\n`;
      const lines = Array.from({ length }, (_, index) => line(index)).join("");
      writeFileSync(path, `# craft run record (append-only)\n${name} resolve ${HARNESSES}\n${lines}`);
      const append = [jig, "craft", "ledger", "append", name, "p", "--line", "x"];
      const state = [jig, "craft", "run-state", path, "--run", name, "--resolution", resolution];
      const calls: [string, string[]][] = [
        [`ledger append to ${length} lines`, append],
        [`run-state of ${length} lines`, state],
      ];
      rows.push(...(await compareWithEmpty(empty, calls, { env, cwd }, 9)));
    }
    return rows;
  },
};

export const benches: Bench[] = [resolution, run];
