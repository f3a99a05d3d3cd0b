import { JigError } from "../../kernel/call/errors.ts";
import { jsonOf, type Step, textOf } from "../step.ts";

interface Packs {
  roots: { id: string }[];
  errors: string[];
}

/** Where files go, what the repository configured, which rules apply. */
export const decisions: Step = {
  id: "decisions",
  title: "Base directory, config and rule packs",
  needsGit: true,
  async run(demo) {
    const base = jsonOf<{ base: string; source: string }>(
      await demo.jig(["base-dir", "resolve", "research/rounding", "--json"]),
    );
    const format = textOf(await demo.jig(["config", "get", "plan_output"]));
    const packs = jsonOf<Packs>(await demo.jig(["packs", "resolve"]));
    if (packs.errors.length > 0) throw new JigError(packs.errors.join("; "));
    const ids = packs.roots.map((root) => root.id).join(", ");
    return `base ${base.base.slice(demo.project.length + 1)} (${base.source}), plan_output ${format}, pack ${ids}`;
  },
};
