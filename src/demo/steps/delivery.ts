import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import { DEMO_RUN, type Demo, jsonOf, type Step, textOf } from "../step.ts";

interface Resolution {
  effective: { id: string; execution: string }[];
  record: string[];
  manifestPath: string | null;
}

/** From the repository's manifest to one bound phase: what runs, under which contract, gated by what, allowed what. */
export const delivery: Step = {
  id: "delivery",
  title: "A delivery run resolved from the repository's manifest",
  needsGit: true,
  async run(demo) {
    const file = join(demo.directory, "run.json");
    const brief = join(demo.directory, "input.txt");
    writeFileSync(brief, "mend the rounding of discounts --skip decisions");
    const input = jsonOf<{ skip: string[]; brief: string }>(
      await demo.jig(["craft", "parse-args", "--from", brief]),
    );
    const run = jsonOf<Resolution>(await demo.jig(["craft", "resolve", "--skip", input.skip.join(",")]));
    if (run.manifestPath === null) throw new JigError("craft resolve found no manifest");
    await demo.jig(["craft", "resolve", "--skip", input.skip.join(","), "--out", file]);
    const contract = textOf(
      await demo.jig([
        ...["craft", "contract-assemble", "--descriptor-id", "implementation"],
        ...["--manifest", run.manifestPath],
      ]),
    );
    const gate = textOf(
      await demo.jig([
        ...["craft", "gate", "implementation", "--resolution", file],
        ...["--manifest", run.manifestPath],
      ]),
    );
    const merge = jsonOf<{ surface: string }>(
      await demo.jig(["craft", "policy", "consult", "integrate", "--resolution", file]),
    );
    await openRun(
      demo,
      run.effective.map(({ id }) => id),
    );
    const inline = run.effective.filter(({ execution }) => execution === "inline").length;
    const phases = `${run.effective.length} phases, ${inline} inline`;
    const lines = contract.split("\n").length;
    return `${phases}; implementation: contract of ${lines} lines, gate ${gate}; merge: ${merge.surface}; ledger open`;
  },
};

/** The run's ledger, seeded, with its first phase done and its second in flight. */
async function openRun(demo: Demo, phases: readonly string[]) {
  const seed = join(demo.directory, "seed.txt");
  writeFileSync(
    seed,
    `RESOLVE: --skip decisions\nEFFECTIVE: ${phases.join(",")}\nAWAITING(propose): validation\n`,
  );
  await demo.jig(["craft", "ledger", "open", DEMO_RUN, "--seed", seed]);
  const say = (phase: string, record: string) =>
    demo.jig(["craft", "ledger", "append", DEMO_RUN, phase, "--line", record]);
  const [first, second] = phases as [string, string];
  await say(first, `PHASE-START(${first}):`);
  await say(first, `PHASE-DONE(${first}): done`);
  await say(second, `PHASE-START(${second}):`);
}
