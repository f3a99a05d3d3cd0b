import * as v from "valibot";

const Line = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.description("1-based line")));

const LayerName = v.picklist(["config.yaml", "config.local.yaml"]);

/** What `jig config get --json` prints for every key but `docs_root`, and `jig config list --json` per key. */
export const ConfigValueSchema = v.object({
  key: v.string(),
  value: v.pipe(v.unknown(), v.description("Text of a scalar, data of a list or map, null when unset")),
  set: v.pipe(v.boolean(), v.description("False only together with exit 3")),
  layer: v.picklist([
    "override",
    "config.local.yaml",
    "config.yaml",
    "config.yaml+config.local.yaml",
    "default",
    "caller-default",
    "none",
  ]),
  line: Line,
  type: v.picklist(["enum", "boolean", "integer", "text", "list", "path", "unknown"]),
  shadowed: v.array(
    v.object({
      layer: v.picklist(["override", "config.local.yaml", "config.yaml"]),
      line: Line,
      value: v.unknown(),
      reason: v.picklist(["invalid", "empty", "lower-precedence", "override-rejected"]),
    }),
  ),
  warnings: v.array(v.string()),
});

export type ConfigValue = v.InferOutput<typeof ConfigValueSchema>;

/** What `jig config list --json` prints, sorted by key. */
export const ConfigListSchema = v.array(ConfigValueSchema);

export type ConfigList = v.InferOutput<typeof ConfigListSchema>;

/** What `jig config docs-root --json` and `jig config get docs_root --json` print. */
export const DocsRootReportSchema = v.object({
  root: v.pipe(v.string(), v.description("Artifact root, relative to the repository, forward slashes")),
  path: v.pipe(v.string(), v.description("`root` with SUBDIR")),
  absolute: v.pipe(v.string(), v.description("Real path of `path`")),
  layer: v.picklist(["default", "config.yaml"]),
  exists: v.pipe(v.boolean(), v.description("Whether `path` is a directory")),
  local_ignored: v.nullable(
    v.pipe(v.string(), v.description("docs_root of the local layer, which never counts")),
  ),
  warnings: v.array(v.string()),
});

export type DocsRootReport = v.InferOutput<typeof DocsRootReportSchema>;

/** What `jig config check --json` prints. */
export const ConfigCheckSchema = v.object({
  repo_root: v.nullable(v.string()),
  layers: v.array(
    v.object({
      name: LayerName,
      path: v.string(),
      exists: v.boolean(),
      tracked: v.pipe(v.nullable(v.boolean()), v.description("In git's index; null without git")),
      ignored: v.pipe(v.nullable(v.boolean()), v.description("By a git ignore rule; null without git")),
    }),
  ),
  findings: v.array(
    v.object({
      level: v.picklist(["error", "warning", "info"]),
      file: v.nullable(v.string()),
      line: Line,
      key: v.nullable(v.string()),
      message: v.string(),
    }),
  ),
  errors: v.number(),
  warnings: v.number(),
});

export type ConfigCheck = v.InferOutput<typeof ConfigCheckSchema>;

export const schemas: Record<string, v.GenericSchema> = {
  "config-value": v.pipe(ConfigValueSchema, v.description("jig config get --json")),
  "config-list": v.pipe(ConfigListSchema, v.description("jig config list --json")),
  "config-docs-root": v.pipe(DocsRootReportSchema, v.description("jig config docs-root --json")),
  "config-check": v.pipe(ConfigCheckSchema, v.description("jig config check --json")),
};
