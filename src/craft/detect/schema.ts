import * as v from "valibot";

/** What a repository can do, as `detect --json` prints it (docs/spec/craft-engine.md 12). */
export const CapabilitiesSchema = v.object({
  ecosystem: v.nullable(v.string()),
  lockfile: v.pipe(v.nullable(v.string()), v.description("The file that showed the ecosystem")),
  testCmd: v.nullable(v.string()),
  hasRemote: v.boolean(),
  harnessTechniques: v.array(v.string()),
  existingNames: v.pipe(v.array(v.string()), v.description("Names of the .claude/craft-<name>.md files")),
});
export type Capabilities = v.InferOutput<typeof CapabilitiesSchema>;
