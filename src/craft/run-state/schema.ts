import * as v from "valibot";

/** What `jig craft run-state` prints (docs/spec/craft-run.md 3.3). */
export const RunStateSchema = v.object({
  run: v.string(),
  completed: v.array(v.string()),
  inFlight: v.array(v.object({ phase: v.string(), since: v.string() })),
  next: v.nullable(v.string()),
  awaitingHarnesses: v.array(v.string()),
  parts: v.array(v.object({ n: v.number(), sha: v.string(), size: v.string(), outcome: v.string() })),
  findings: v.array(
    v.object({ dimension: v.string(), cycle: v.number(), path: v.string(), count: v.number() }),
  ),
  background: v.array(
    v.object({
      phase: v.string(),
      technique: v.string(),
      pid: v.number(),
      out: v.string(),
      spec: v.string(),
      alive: v.pipe(v.optional(v.boolean()), v.description("With --liveness; a zombie is not alive")),
      outBytes: v.pipe(
        v.optional(v.nullable(v.number())),
        v.description("With --liveness; null: no such file"),
      ),
    }),
  ),
  warnings: v.array(v.string()),
  releases: v.array(v.object({ phase: v.string(), by: v.picklist(["auto-skip", "no-op", "gate"]) })),
});
