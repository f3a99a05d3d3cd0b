import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { compareWithEmpty, measureInTurns } from "./measure.ts";
import type { Bench } from "./types.ts";

const start: Bench = {
  name: "start of a short command",
  async run({ jig, empty, tempDir }) {
    const cwd = join(tempDir, "start");
    mkdirSync(cwd);
    const env = { HOME: tempDir, JIG_TMP_ROOT: tempDir };
    const rows = compareWithEmpty(
      empty,
      [
        ["jig version", [jig, "version"]],
        ["jig (overview)", [jig]],
        ["jig job --help", [jig, "job", "--help"]],
        ["jig base-dir resolve", [jig, "base-dir", "resolve"]],
        ["jig scratch", [jig, "scratch", "bench", "run"]],
      ],
      { env, cwd },
    );
    const [nothing, python] = measureInTurns([["true"], ["python3", "-c", ""]], {}, 11);
    rows.push(
      { figure: "(for scale) true, CPU", value: nothing!.cpu, unit: "ms" },
      { figure: "(for scale) python3 -c '', CPU", value: python!.cpu, unit: "ms" },
    );
    return rows;
  },
};

export const benches: Bench[] = [start];
