import type { Host } from "../../kernel/call/host.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { parseObject } from "../../kernel/text/json.ts";
import { printable } from "../../kernel/text/printable.ts";
import { baseCommit, changedSince } from "../common/base-revision.ts";
import { failure, reasonOf } from "../common/fail.ts";
import { readInputFile, readPayload } from "../common/input.ts";
import { MAX_PATH_LIST_BYTES } from "../common/path-list.ts";
import { repoRelative } from "../common/repo-path.ts";
import { child, itemsOf, wordOf } from "../manifest/nodes.ts";
import { type Corpus, NAME } from "./lanes.ts";

/** What a change did and what was said about it, in paths from the root. */
export interface Change {
  changed: string[];
  touched: string[];
  /** Pages whose staleness was accepted. */
  waived: string[];
  /** Globs that some page has to speak of. */
  covers: string[];
}

export interface ChangeFlags {
  change?: string | undefined;
  base?: string | undefined;
  "waiver-source": readonly string[];
  covers: readonly string[];
}

const MAX_WAIVER_BYTES = 1 << 20;

/** The change of a call, from JSON or from git (docs/spec/craft-run.md 6.3). */
export async function changeOf(
  host: Host,
  corpus: Corpus,
  flags: ChangeFlags,
): Promise<{ change: Change; notes: string[] }> {
  const notes: string[] = [];
  const note = (text: string) => notes.push(`${NAME}: ${text}`);
  const stated = flags.change === undefined ? undefined : await statedChange(host, corpus.root, flags.change);
  const change = stated ?? (await changeInGit(host, corpus.root, flags.base, note));
  for (const source of flags["waiver-source"]) {
    try {
      change.waived.push(...waiversIn(corpus.root, readInputFile(host, source, MAX_WAIVER_BYTES)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      note(`waiver source ${printable(source)} was not read: ${error.why}`);
    }
  }
  const covers = itemsOf(child(child(corpus.manifest, "intention"), "covers")).flatMap(
    (item) => wordOf(item) ?? [],
  );
  change.covers = [...new Set([...change.covers, ...(stated === undefined ? covers : []), ...flags.covers])];
  return { change, notes };
}

async function changeInGit(
  host: Host,
  root: string,
  base: string | undefined,
  note: (text: string) => void,
): Promise<Change> {
  let names: string[] | undefined;
  let why = "there is no base to compare with";
  try {
    const commit = await baseCommit(host, root, base);
    names = commit === undefined ? undefined : await changedSince(host, root, commit);
    if (commit !== undefined) why = "git cannot compare HEAD with the base";
  } catch (error) {
    why = reasonOf(error);
  }
  if (names === undefined) note(`the change cannot be computed, so it counts as empty: ${why}`);
  return { changed: names ?? [], touched: [...(names ?? [])], waived: [], covers: [] };
}

async function statedChange(host: Host, root: string, file: string): Promise<Change> {
  const text = await readPayload(host, NAME, { from: file }, { maxBytes: MAX_PATH_LIST_BYTES });
  const object = parseObject(text);
  if (object === undefined)
    throw failure(NAME, "--change: expected a JSON object { changed, touched, waived, covers }");
  const list = (key: keyof Change): string[] => {
    const value = object[key] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return [...value];
    throw failure(NAME, `--change: ${key} must be a list of strings`);
  };
  const paths = (key: keyof Change) => list(key).flatMap((path) => repoRelative(root, path) ?? []);
  return {
    changed: [...new Set(paths("changed"))],
    touched: paths("touched"),
    waived: paths("waived"),
    covers: list("covers"),
  };
}

/** Pages that a text accepts as stale, with a reason. */
export function waiversIn(root: string, text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) =>
      [...line.matchAll(/INTENTION-WAIVE\(([^()]+)\):[ \t]*\S/g)].flatMap(
        ([, page]) => repoRelative(root, page!.trim()) ?? [],
      ),
    );
}
