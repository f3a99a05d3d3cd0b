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

export const schemas = { version: v.pipe(VersionSchema, v.description("jig version --json")) };
