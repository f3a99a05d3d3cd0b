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

export const benches: Bench[] = [resolution];
