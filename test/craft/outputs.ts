import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Outputs, World } from "../support/world.ts";

/** A real output for each schema of the room. */
export function outputs({ base, repo, plan, json, jig }: World): Outputs {
  const input = join(base, "craft-input");
  writeFileSync(input, "mend it --skip review");
  const finding = join(base, "craft-findings");
  writeFileSync(finding, "HIGH a.ts:1 — wrong | right\n");
  const run = join(base, "craft-run.json");
  const dod = join(repo, "dod.md");
  writeFileSync(dod, "---\ncriteria: [{ id: a, kind: auto, assert: { file-exists: dod.md } }]\n---\n");
  const config = () => {
    mkdirSync(join(repo, ".claude"), { recursive: true });
    writeFileSync(join(repo, ".claude/craft-ci.md"), "---\npipeline: { profile: lean }\n---\n");
  };
  const [delta, backlog, lesson] = ["delta.json", "BACKLOG.md", "lesson.md"].map((name) =>
    join(repo, name),
  ) as [string, string, string];
  writeFileSync(
    delta,
    JSON.stringify([
      { concern: "part-sizing", payload: { size: "s" } },
      { concern: "x", payload: {} },
    ]),
  );
  writeFileSync(backlog, "- [ ] **P1** (blocked)\n- [ ] **P2** — do it\n");
  writeFileSync(lesson, "---\ntrigger: t\n---\n");
  mkdirSync(join(repo, "docs/guides"), { recursive: true });
  writeFileSync(join(repo, "docs/guides/concepts.md"), "---\nsubjects: [src/**]\n---\n# C\n");
  writeFileSync(join(repo, "change.json"), JSON.stringify({ changed: ["src/a"], covers: ["lib/**"] }));
  const impact = join(base, "craft-impact");
  writeFileSync(
    impact,
    "title: t\nlocus: a.ts:L1\nreason: out of scope\nproof:\n  true\nexpected: nothing\n",
  );
  return {
    "craft-opened-run": () => json("craft", "ledger", "open", "demo", "--json"),
    "craft-located-run": () => json("craft", "ledger", "locate", "--run", "demo", "--bind", "--json"),
    "craft-deferred-impact": () =>
      json("craft", "ledger", "defer", "demo", "review", "--from", impact, "--json"),
    "craft-open-runs": () => json("craft", "ledger", "show", "--json"),
    "craft-records": () => json("craft", "ledger", "show", "demo", "--json"),
    "craft-impacts": () => json("craft", "ledger", "show", "demo", "--impacts", "--json"),
    "craft-run-state": async () => {
      await jig("craft", "pipeline-resolve", "--out", run);
      const { ledger } = await json("craft", "ledger", "locate", "--run", "demo", "--json");
      const awaited = JSON.parse(readFileSync(run, "utf8")).gateDecisions.find(
        ({ phaseId }: { phaseId: string }) => phaseId === "propose",
      ).awaitingHarnesses;
      const line = `AWAITING(propose): ${awaited.join(",") || "none"}`;
      await jig("craft", "ledger", "append", "demo", "resolve", "--line", line, "--json");
      return json("craft", "run-state", ledger, "--run", "demo", "--resolution", run);
    },
    "craft-metrics-emit": () =>
      json("craft", "metrics", "emit", "--run", "demo", "--phase", "review", "--json"),
    "craft-metrics-report": () => json("craft", "metrics", "report", "--json"),
    "craft-memory": async () => {
      await json("craft", "memory", "save", "--delta", delta);
      return json("craft", "memory", "load");
    },
    "craft-memory-save": () => json("craft", "memory", "save", "--delta", delta),
    "craft-memory-retract": () => json("craft", "memory", "retract", "toolchain", "npm", "--apply", "--json"),
    "craft-intention": () => json("craft", "intention", "consult", "--all"),
    "craft-freshness": () =>
      json("craft", "intention", "assert-fresh", "--change", join(repo, "change.json")),
    "craft-corpus": () => json("craft", "living-corpus", "--json"),
    "craft-lessons": () => json("craft", "lessons-hint", "--phase", "review", "--diff", "--json"),
    "craft-lessons-lint": () => json("craft", "lessons-lint", lesson, "--json"),
    "craft-backlog": () => json("craft", "backlog", "resolve", "P2", "--file", backlog),
    "craft-election": () => json("craft", "backlog", "elect", "--file", backlog),
    "craft-resolution": () => json("craft", "pipeline-resolve"),
    "craft-run": () => json("craft", "resolve"),
    "craft-manifest": () => ({
      pipeline: { profile: "lean", skip: ["review"], insert: [{ id: "x", after: "design", gate: "g" }] },
      phases: { review: { harness: { passes: 2 } }, plan: null },
      models: { planner: "opus" },
    }),
    "craft-explanation": () => json("craft", "explain", "--json"),
    "craft-arguments": () => json("craft", "parse-args", "--from", input),
    "craft-gate": async () => {
      await jig("craft", "resolve", "--out", run);
      return json("craft", "gate", "planning", "--resolution", run, "--json");
    },
    "craft-policy": () => json("craft", "policy", "consult", "push", "--effective", "{}"),
    "craft-model": () => json("craft", "model", "select", "planner", "--json"),
    "craft-model-error": () => json("craft", "model", "classify", "--from", input, "--json"),
    "craft-pipeline-lint": () => json("craft", "pipeline-lint", "--json"),
    "craft-manifest-lint": () => json("craft", "manifest-lint", "--json"),
    "craft-config": () => {
      config();
      return json("craft", "config-resolve", "ci", "--json");
    },
    "craft-contract": () => json("craft", "contract-assemble", "--descriptor-id", "design", "--json"),
    "craft-contracts": () => json("craft", "contracts-lint", "--json"),
    "craft-capabilities": () => json("craft", "detect", "--json"),
    "craft-findings": () => json("craft", "normalize-findings", finding),
    "craft-scan": () => json("craft", "stub-lint", "--json", finding),
    "craft-plan-lint": () => json("craft", "plan-lint", plan, "--json"),
    "craft-dod": () => json("craft", "dod-assert", dod, repo),
    "craft-hygiene-gate": () => json("craft", "hygiene-gate", "--json"),
    "craft-init": () => json("craft", "init", "other", "--dry-run", "--json"),
    "craft-init-path": () => json("craft", "init-config", "other", "--json"),
    "craft-promotion": () => {
      config();
      return json("craft", "promote-plan", "ci", "--json");
    },
  };
}
