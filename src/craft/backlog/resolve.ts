import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { hasControlCharacter, printable } from "../../kernel/text/printable.ts";
import { askSource } from "../common/custom-source.ts";
import { failure, failureLines } from "../common/fail.ts";
import { documentOutcome } from "../common/result.ts";
import { entriesWithId } from "./entries.ts";
import type { BacklogItem } from "./schema.ts";
import { backlogSource, NAME, readBacklog, type SourceFlags } from "./source.ts";

const LONGEST_ID = 256;

export interface ResolveFlags extends SourceFlags {
  "id-form"?: string | undefined;
  timeout?: number | undefined;
}

/** `backlog resolve` (docs/spec/craft-run.md 8.1): what an id stands for, never a guess. */
export async function resolveId(host: Host, id: string, flags: ResolveFlags): Promise<Outcome<BacklogItem>> {
  const form = flags["id-form"] === undefined ? undefined : formOf(flags["id-form"]);
  const source = await backlogSource(host, flags);
  if (source.kind === "none")
    throw failure(NAME, "the manifest names no backlog; give --file PATH or a backlog: key");
  if (form !== undefined && !form.test(id))
    throw failure(NAME, `the id ${quoted(id)} has not the form asked for`, 1);
  if (source.kind === "custom") {
    if (source.ref === undefined) throw failure(NAME, "the custom source has no ref to a script", 1);
    return documentOutcome(await askForItem(host, source.root, source.ref, id, flags.timeout));
  }
  const found = entriesWithId(readBacklog(source), id);
  const [entry, ...others] = found;
  if (entry === undefined) throw failure(NAME, `${printable(source.ref)} has no entry ${quoted(id)}`, 1);
  if (others.length > 0) {
    const lines = found.map(({ line, title }) => `${line}: ${printable(title)}`);
    throw failureLines([`${NAME}: ${found.length} entries match ${quoted(id)}:`, ...lines], 3);
  }
  const { title, brief, line, state } = entry;
  return documentOutcome({ title, brief, source: "file", ref: source.ref, line, state });
}

const quoted = (id: string) => `'${printable([...id].slice(0, 200).join(""))}'`;

function formOf(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, "u");
  } catch (error) {
    throw failure(NAME, `--id-form is no regular expression: ${printable((error as Error).message)}`);
  }
}

/** The script's answer. Throws (exit 1) before it is started when the id may be more than an id. */
async function askForItem(
  host: Host,
  root: string,
  ref: string,
  id: string,
  seconds: number | undefined,
): Promise<BacklogItem> {
  const fault =
    id.trim() === ""
      ? "is empty"
      : new TextEncoder().encode(id).length > LONGEST_ID
        ? `is longer than ${LONGEST_ID} bytes`
        : hasControlCharacter(id) || /[\u0080-\u009f]/.test(id)
          ? "holds a control character"
          : id.startsWith("-")
            ? "begins with a dash"
            : undefined;
  if (fault !== undefined)
    throw failure(NAME, `the id ${quoted(id)} ${fault}; the script was not started`, 1);
  const answer = await askSource(host, { name: NAME, ref, root, words: ["resolve", id], seconds });
  const { title, brief } = answer;
  if (typeof title !== "string" || title.trim() === "" || typeof brief !== "string") {
    throw failure(NAME, `${printable(ref)} printed no { title, brief } of strings`, 1);
  }
  return { title, brief, source: "custom", ref, line: null, state: null };
}
