/** What the verbs of the artifact print, and the artifact itself as its table describes it (docs/spec/flow.md 4 and 6). */
import * as v from "valibot";
import { FIELDS, type Kind } from "./fields.ts";

/** A value of a kind. What the page has no name for may be there all the same. */
function schemaOf(kind: Kind): v.GenericSchema {
  const schema = plainSchemaOf(kind);
  return "nullable" in kind && kind.nullable ? v.nullable(schema) : schema;
}

function plainSchemaOf(kind: Kind): v.GenericSchema {
  switch (kind.is) {
    case "string":
      return v.string();
    case "integer":
      return v.pipe(v.number(), v.integer());
    case "number":
      return v.number();
    case "boolean":
      return v.boolean();
    case "answer":
      return v.union([v.boolean(), v.string()]);
    case "array":
      return v.array(kind.of === undefined ? v.unknown() : kind.of === "string" ? v.string() : Anything);
    case "object":
      return v.objectWithRest(
        Object.fromEntries(
          Object.entries(kind.fields ?? {}).map(([name, of]) => [name, v.optional(schemaOf(of))]),
        ),
        kind.each === undefined ? v.unknown() : schemaOf(kind.each),
      );
    case "gate":
      return v.nullable(v.union([v.string(), Anything]));
  }
}

const Anything = v.looseObject({});

/** The file `{wf}.json`, and what `show` prints. */
const ArtifactSchema = v.looseObject(
  Object.fromEntries(
    Object.entries(FIELDS).map(([name, { kind, required }]) => [
      name,
      required ? schemaOf(kind) : v.optional(schemaOf(kind)),
    ]),
  ),
);

const described = (schema: v.GenericSchema, text: string) => v.pipe(schema, v.description(text));

export const artifactSchemas: Readonly<Record<string, v.GenericSchema>> = {
  "flow-artifact": described(ArtifactSchema, "{wf}.json, and jig flow show --json"),
};
