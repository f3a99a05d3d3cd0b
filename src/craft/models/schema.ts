import * as v from "valibot";

/** What `jig craft model select --json` prints. */
export const ModelChoiceSchema = v.pipe(
  v.object({
    role: v.pipe(v.string(), v.description("Without its namespace")),
    tier: v.pipe(v.string(), v.description("opus, sonnet, haiku, or session for the session's own model")),
    source: v.picklist(["models", "descriptor", "fallback", "default", "session"]),
    skipped: v.pipe(v.array(v.string()), v.description("Degraded tiers that were passed over, in order")),
  }),
  v.description("The model tier of a spawn: jig craft model select --json"),
);
export type ModelChoice = v.InferOutput<typeof ModelChoiceSchema>;

/** What `jig craft model classify --json` prints. */
export const ModelErrorSchema = v.pipe(
  v.object({ class: v.picklist(["overload", "permanent", "unclassified"]) }),
  v.description("What a model error means: jig craft model classify --json"),
);
export type ModelErrorClass = v.InferOutput<typeof ModelErrorSchema>;
