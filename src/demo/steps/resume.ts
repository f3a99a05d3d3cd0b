import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import { DEMO_RUN, jsonOf, type Step, textOf } from "../step.ts";

interface RunState {
  completed: string[];
  inFlight: { phase: string }[];
  next: string | null;
}

/** What an agent does whose context was compacted: find the run, rebuild where it stands, go on, close it. */
export const resume: Step = {
  id: "resume",
  title: "The run resumed from its ledger alone, then closed",
  needsGit: true,
  async run(demo) {
    const located = textOf(await demo.jig(["craft", "ledger", "locate", "--run", DEMO_RUN]));
    const ledger = located.slice(DEMO_RUN.length + 1);
    if (ledger === "") throw new JigError("craft ledger locate found no open run");
    const resolution = join(demo.directory, "run.json");
    const state = jsonOf<RunState>(
      await demo.jig(["craft", "run-state", ledger, "--run", DEMO_RUN, "--resolution", resolution]),
    );
    const flying = state.inFlight.map(({ phase }) => phase).join(", ");
    await demo.jig(["craft", "ledger", "close", DEMO_RUN]);
    return `${state.completed.length} done, ${flying} in flight, ${state.next} next; closed`;
  },
};
