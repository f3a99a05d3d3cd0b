import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import { selfCommand } from "../../runtime/self.ts";
import { type Demo, jsonOf, type Step, textOf } from "../step.ts";

/** The hanging job's own limits: when the demo itself is killed, nothing of it runs for long. */
const BRIEF = ["--idle-secs", "60", "--hard-secs", "60"];

/** A supervised job that finishes and one that hangs and is reaped. */
export const jobs: Step = {
  id: "jobs",
  title: "Supervised background jobs",
  needsGit: false,
  async run(demo) {
    const result = join(demo.directory, "review.json");
    const review = await start(demo, "review", ["--result-path", result], ["review", demo.project, result]);
    const hang = await start(demo, "hang", BRIEF, ["hang"]);
    await expectState(demo, review, "done", 20);
    const { files } = jsonOf<{ files: number }>(await demo.jig(["job", "result", review]));
    await demo.jig(["job", "reap", hang]);
    await expectState(demo, hang, "timeout", 20);
    return `one done with a result (${files} files reviewed), one hung and was reaped`;
  },
};

async function start(demo: Demo, label: string, flags: string[], worker: string[]): Promise<string> {
  const words = ["job", "start", "--skill", "demo", "--run-id", "demo", "--label", label, ...flags];
  const command = [...selfCommand(), "__demo-worker", ...worker];
  const id = textOf(await demo.jig([...words, "--", ...command]));
  demo.atEnd(() => demo.host.run(["job", "reap", id]));
  return id;
}

async function expectState(demo: Demo, id: string, wanted: string, seconds: number) {
  const state = textOf(await demo.jig(["job", "wait", "--no-progress", "--max-secs", String(seconds), id]));
  if (state !== wanted) throw new JigError(`job ${id} is ${state}, expected ${wanted}`);
}
