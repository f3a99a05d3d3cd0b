import * as v from "valibot";

const Messages = v.array(v.string());
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

const rootFields = {
  id: v.pipe(v.string(), v.description("Published id, or the entry's id override")),
  dir: v.pipe(v.string(), v.description("Absolute directory to list")),
  nested_rule_shaped: v.pipe(Count, v.description("Rule-shaped files one level down, which nobody reads")),
  url: v.optional(
    v.pipe(v.string(), v.description("Git sources only; without a tree part, password masked")),
  ),
  ref: v.optional(v.pipe(v.string(), v.description("Git sources only"))),
};

export const PacksRootSchema = v.object(rootFields);

export type PacksRoot = v.InferOutput<typeof PacksRootSchema>;

const resolvedFields = {
  warnings: v.pipe(Messages, v.description("Degraded availability; show once")),
  errors: v.pipe(Messages, v.description("Configuration problems; show once")),
  entries: v.pipe(Count, v.description("Parsed entries, broken ones included")),
};

/** What `jig packs resolve` prints. */
export const PacksResolvedSchema = v.object({ roots: v.array(PacksRootSchema), ...resolvedFields });

export type PacksResolved = v.InferOutput<typeof PacksResolvedSchema>;

/** What `jig packs resolve --declared-only` prints. */
export const PacksDeclaredSchema = v.object({
  declared: v.pipe(
    v.nullable(v.boolean()),
    v.description("Whether anything is declared; null outside a repository"),
  ),
  entries: Count,
  errors: Messages,
});

export type PacksDeclared = v.InferOutput<typeof PacksDeclaredSchema>;

export const PackRuleSchema = v.object({
  path: v.pipe(v.string(), v.description("File name within the pack")),
  title: v.nullable(v.string()),
  applies_when: v.array(v.string()),
  tags: v.array(v.string()),
  frontmatter_error: v.nullable(v.string()),
});

export type PackRule = v.InferOutput<typeof PackRuleSchema>;

const detailFields = {
  ...rootFields,
  source: v.pipe(v.string(), v.description("As declared, password masked")),
  label: v.pipe(v.string(), v.description("Config file and line of the entry")),
  commit: v.pipe(v.nullable(v.string()), v.description("Checked-out commit; null for a path source")),
  rules: v.array(PackRuleSchema),
};

export const PackDetailSchema = v.object(detailFields);

export type PackDetail = v.InferOutput<typeof PackDetailSchema>;

/** What `jig packs list --json` prints. */
export const PacksListSchema = v.object({ roots: v.array(PackDetailSchema), ...resolvedFields });

export type PacksList = v.InferOutput<typeof PacksListSchema>;

/** What `jig packs show ID --json` prints. */
export const PackShowSchema = v.object({
  ...detailFields,
  description: v.pipe(v.nullable(v.string()), v.description("First paragraph of the pack's README")),
});

export type PackShow = v.InferOutput<typeof PackShowSchema>;

/** What `jig packs refresh --json` prints: one item per git source. */
export const PacksRefreshSchema = v.array(
  v.object({
    ids: v.pipe(
      v.array(v.string()),
      v.description("Packs it published before; empty when it was not cached"),
    ),
    source: v.string(),
    url: v.string(),
    ref: v.string(),
    status: v.picklist(["updated", "unchanged", "failed"]),
    old: v.nullable(v.string()),
    new: v.nullable(v.string()),
    reason: v.pipe(v.nullable(v.string()), v.description("Why it failed; the old checkout stays")),
  }),
);

export type PacksRefresh = v.InferOutput<typeof PacksRefreshSchema>;

export const schemas: Record<string, v.GenericSchema> = {
  "packs-resolve": v.pipe(PacksResolvedSchema, v.description("jig packs resolve")),
  "packs-declared": v.pipe(PacksDeclaredSchema, v.description("jig packs resolve --declared-only")),
  "packs-list": v.pipe(PacksListSchema, v.description("jig packs list --json")),
  "packs-show": v.pipe(PackShowSchema, v.description("jig packs show --json")),
  "packs-refresh": v.pipe(PacksRefreshSchema, v.description("jig packs refresh --json")),
};
