import * as v from "valibot";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { LIST_PATH } from "../../kernel/shared/annotate-wire.ts";
import { jsonText } from "../../kernel/text/printable.ts";
import { request, TransportError } from "../client.ts";
import { rootOf, statesOf, type WebFlags } from "../options.ts";
import { type DisplayInfo, type StoredNote, StoredNoteSchema } from "../schema.ts";
import { answersOf, recordOf } from "../server/notes/notes.ts";
import { readNotes } from "../state/notes-file.ts";
import { findServer } from "../state/ownership.ts";
import { pathsOf } from "../state/state-files.ts";

const PATIENCE_MS = 10_000;

/** Every note known for a root, from the running server or the file; no state changes (docs/spec/web.md 4.6). */
export async function annotations(host: Host, flags: WebFlags): Promise<Outcome<StoredNote[]>> {
  const root = rootOf(host, flags);
  const states = statesOf(flags);
  const paths = pathsOf(root);
  const info = (await findServer(paths, host))?.info;
  const live = info?.annotate === true ? await fromServer(info) : undefined;
  const notes: string[] = [];
  let known = live;
  if (known === undefined) {
    const stored = readNotes(paths.state, host.uid);
    if (stored.kind === "unreadable") notes.push(`${host.prefix}annotations.json: ${stored.reason}`);
    known = stored.kind === "notes" ? stored.file.records : [];
  }
  const data = known.filter((note) => states.has(note.state)).map(tidy);
  return { data, text: jsonText(data), notes };
}

const ListSchema = v.object({
  records: v.array(
    v.pipe(
      // The list says of every note whether it was answered; a file only of those that were.
      v.looseObject({ outcome: v.nullish(v.unknown()) }),
      v.transform(({ outcome, ...note }) => (outcome == null ? note : { ...note, outcome })),
      v.looseObject({ ...StoredNoteSchema.entries, page: v.string() }),
    ),
  ),
});

/** Undefined when the server cannot be asked, or is of a kind that does not know the question. */
async function fromServer(info: DisplayInfo): Promise<StoredNote[] | undefined> {
  try {
    const { status, body } = await request(info, "GET", `${LIST_PATH}?all=1`, {
      timeoutMs: PATIENCE_MS,
    });
    const parsed = status === 200 ? v.safeParse(ListSchema, JSON.parse(body)) : undefined;
    return parsed?.success ? parsed.output.records.map(({ page: _, ...note }) => note) : undefined;
  } catch (error) {
    if (error instanceof TransportError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function tidy(note: StoredNote): StoredNote {
  const { record, unknown } = recordOf(note);
  const { state, created_at, delivered_at, outcome = null, answers = [], images = [] } = note;
  const said = answersOf({ outcome, answers, images });
  return { ...record, ...unknown, state, created_at, delivered_at, ...said };
}
