import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { UsageError } from "../../kernel/call/errors.ts";
import type { Outcome, Terminal } from "../../kernel/call/outcome.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { table } from "../../kernel/text/table.ts";
import { allRooms } from "../tree.ts";
import type { SchemaList } from "./schema.ts";

interface Found {
  name: string;
  group: string;
  schema: GenericSchema;
}

/** Names of every schema, for completions. */
export async function allSchemas(): Promise<Found[]> {
  const found: Found[] = [];
  for (const room of allRooms()) {
    if (room.schemas === undefined) continue;
    const { schemas } = await room.schemas();
    for (const [name, schema] of Object.entries(schemas)) found.push({ name, group: room.name, schema });
  }
  return found;
}

/** List the schemas, or print one as JSON Schema 2020-12 (docs/spec/cli.md section 6). */
export async function schema(name: string | undefined): Promise<Outcome> {
  const all = await allSchemas();
  if (name === undefined) return list(all);
  const found = all.find((candidate) => candidate.name === name);
  if (found === undefined) {
    const meant = nearest(
      name,
      all.map((candidate) => candidate.name),
    );
    throw new UsageError(`unknown schema '${name}'${meant === undefined ? "" : `; did you mean ${meant}?`}`, {
      hint: "jig schema lists them",
    });
  }
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: found.name,
    ...toJsonSchema(found.schema, { target: "draft-2020-12", errorMode: "ignore" }),
  };
  const text = JSON.stringify(document, null, 2);
  return { data: document, text, json: text };
}

function list(all: readonly Found[]): Outcome<SchemaList> {
  const data = all.map(({ name, group, schema }) => ({ name, group, title: describe(schema) }));
  const rows = data.map((entry) => [entry.name, entry.group, entry.title]);
  return { data, text: (terminal: Terminal) => table(["SCHEMA", "GROUP", "WHAT"], rows, terminal) };
}

/** The description a schema carries (`v.description`), or "". */
function describe(schema: GenericSchema): string {
  const { pipe } = schema as { pipe?: readonly { type?: string; description?: string }[] };
  return pipe?.findLast((action) => action.type === "description")?.description ?? "";
}
