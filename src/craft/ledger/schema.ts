import * as v from "valibot";

/** What `ledger open --json` prints. */
export const OpenedRunSchema = v.object({
  run: v.string(),
  key: v.pipe(v.string(), v.description("RUN_ID@TIME: stands in the transcript for the hooks")),
  ledger: v.string(),
});

/** What `ledger locate --json` prints; null when no such run is open. */
export const LocatedRunSchema = v.nullable(
  v.object({ run: v.string(), ledger: v.string(), key: v.optional(v.string()) }),
);

/** What `ledger defer --json` prints. */
export const DeferredImpactSchema = v.object({ id: v.string(), repeated: v.boolean() });

/** What `ledger show --json` prints. */
export const OpenRunsSchema = v.array(
  v.object({ run: v.string(), since: v.string(), ledger: v.string(), trusted: v.boolean() }),
);

/** What `ledger show RUN_ID --json` prints. */
export const RecordsSchema = v.array(
  v.object({
    line: v.number(),
    phase: v.string(),
    token: v.nullable(v.string()),
    arg: v.nullable(v.string()),
    text: v.string(),
  }),
);

const text = v.nullable(v.string());

/** What `ledger show RUN_ID --impacts --json` prints. */
export const ImpactsSchema = v.array(
  v.object({
    id: v.string(),
    title: text,
    phase: text,
    captured: text,
    locus: text,
    reason: text,
    proof: text,
    expected: text,
    verdict: text,
    rationale: text,
    verdictAt: text,
    deferredLine: v.boolean(),
    filed: v.boolean(),
    incomplete: v.boolean(),
  }),
);
