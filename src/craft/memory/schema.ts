import * as v from "valibot";
import { CONCERNS } from "./store/concerns.ts";

const Scalar = v.union([v.string(), v.number(), v.boolean()]);
const Provenance = v.object({
  run: v.optional(Scalar),
  commit: v.optional(Scalar),
  date: v.optional(Scalar),
});

const EntrySchema = v.objectWithRest(
  {
    concern: v.picklist(CONCERNS),
    confidence: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5)),
    provenance: Provenance,
  },
  v.unknown(),
);

/** What `memory load` prints (docs/spec/craft-run.md 5.3). */
export const MemoryViewSchema = v.object({
  entries: v.pipe(
    v.record(v.picklist(CONCERNS), v.optional(v.array(EntrySchema))),
    v.description("By concern; with --concern only those asked for"),
  ),
  evicted: v.pipe(v.array(v.record(v.string(), v.unknown())), v.description("Entries that are not valid")),
  loadNote: v.nullable(v.string()),
  degraded: v.pipe(v.boolean(), v.description("The store's content was not seen; no save will replace it")),
  path: v.pipe(v.string(), v.description("Of the store, relative to the repository")),
  digest: v.pipe(v.nullable(v.string()), v.description("SHA-256 of the file")),
});

/** What `memory save` prints (docs/spec/craft-run.md 5.4). */
export const MemorySaveSchema = v.object({
  written: v.boolean(),
  writeNote: v.nullable(v.string()),
  added: v.number(),
  refreshed: v.number(),
  decayed: v.number(),
  retracted: v.number(),
  evicted: v.pipe(v.number(), v.description("Entries that lost all confidence, or were over a cap")),
  dropped: v.array(
    v.object({
      concern: v.string(),
      payload: v.record(v.string(), v.unknown()),
      reason: v.picklist(["schema", "path", "secret", "too long"]),
    }),
  ),
});
export type MemorySave = v.InferOutput<typeof MemorySaveSchema>;
export type Dropped = MemorySave["dropped"][number];

/** What `memory retract --json` prints (docs/spec/craft-run.md 5.6). */
export const MemoryRetractSchema = v.object({
  concern: v.picklist(CONCERNS),
  key: v.string(),
  stored: v.pipe(v.boolean(), v.description("Whether an entry has this key")),
  applied: v.pipe(v.boolean(), v.description("Removed at once; otherwise at the run's save")),
});
export type MemoryRetract = v.InferOutput<typeof MemoryRetractSchema>;
