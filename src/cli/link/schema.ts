import * as v from "valibot";

const LinkWord = v.picklist(["created", "unchanged", "updated", "kept", "replaced", "removed", "restored"]);

/** What `jig link --json` prints: one entry per file, in the order of the text form. */
export const LinkReportSchema = v.array(v.object({ action: LinkWord, path: v.string() }));

export type LinkReport = v.InferOutput<typeof LinkReportSchema>;

export const schemas = { "link-report": v.pipe(LinkReportSchema, v.description("jig link --json")) };
