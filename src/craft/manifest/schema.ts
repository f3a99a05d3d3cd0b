import * as v from "valibot";

const Finding = v.object({
  message: v.string(),
  hint: v.nullable(v.pipe(v.string(), v.description("did you mean …?"))),
  file: v.pipe(v.string(), v.description("The manifest, or a file it names")),
  line: v.nullable(v.pipe(v.number(), v.integer(), v.description("1-based line of the file"))),
});

/** What `jig craft manifest-lint --json` prints. */
export const ManifestLintSchema = v.pipe(
  v.object({
    ok: v.boolean(),
    path: v.string(),
    status: v.picklist(["valid", "invalid", "no-manifest", "no-frontmatter"]),
    errors: v.array(Finding),
    warnings: v.array(Finding),
  }),
  v.description("jig craft manifest-lint --json"),
);
export type ManifestLint = v.InferOutput<typeof ManifestLintSchema>;

/** What `config-resolve --json` prints. */
export const ConfigFoundSchema = v.object({ path: v.string(), scope: v.picklist(["local", "user"]) });
export type ConfigFound = v.InferOutput<typeof ConfigFoundSchema>;
