import * as v from "valibot";

const archived = {
  archived_bullets: v.pipe(
    v.array(v.string()),
    v.description("What went over the cap, whole lines in file order"),
  ),
  archive_path: v.pipe(v.nullable(v.string()), v.description("Where it belongs, as the payload named it")),
};

export const MergeSchema = v.union([
  v.object({ file_text: v.string(), ...archived }),
  v.object({ section_text: v.string() }),
  v.object({ applied: v.string(), changed: v.boolean(), ...archived }),
]);
