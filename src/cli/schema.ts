import * as v from "valibot";

/** What `jig version --json` prints. */
export const VersionSchema = v.object({
  version: v.pipe(v.string(), v.description("Semantic version, from package.json")),
  os: v.string(),
  arch: v.string(),
  commit: v.pipe(v.string(), v.description("Full commit hash; `unknown` outside a git checkout")),
  target: v.pipe(v.string(), v.description("Release asset this build is; `source` when run from a checkout")),
  runtime: v.object({ name: v.string(), version: v.string() }),
  compiled: v.boolean(),
  executable: v.pipe(v.string(), v.description("Absolute path of the running executable")),
});

export type Version = v.InferOutput<typeof VersionSchema>;

const LinkWord = v.picklist(["created", "unchanged", "updated", "kept", "replaced", "removed", "restored"]);

/** What `jig link --json` prints: one entry per file, in the order of the text form. */
export const LinkReportSchema = v.array(v.object({ action: LinkWord, path: v.string() }));

export type LinkReport = v.InferOutput<typeof LinkReportSchema>;

/** What `jig schema --json` prints. */
export const SchemaListSchema = v.array(v.object({ name: v.string(), group: v.string(), title: v.string() }));

export type SchemaList = v.InferOutput<typeof SchemaListSchema>;

export const schemas = {
  version: v.pipe(VersionSchema, v.description("jig version --json")),
  "link-report": v.pipe(LinkReportSchema, v.description("jig link --json")),
  "schema-list": v.pipe(SchemaListSchema, v.description("jig schema --json")),
};
