import * as v from "valibot";

/** What `jig schema --json` prints. */
export const SchemaListSchema = v.array(v.object({ name: v.string(), group: v.string(), title: v.string() }));

export type SchemaList = v.InferOutput<typeof SchemaListSchema>;

export const schemas = { "schema-list": v.pipe(SchemaListSchema, v.description("jig schema --json")) };
