import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isObject, type JsonObject } from "../../kernel/text/json.ts";
import { failure, reasonOf } from "../common/fail.ts";
import { readInputFile, readPayload } from "../common/input.ts";
import { deliverDocument } from "../common/result.ts";
import { echo } from "./finding.ts";
import { MAX_FINDINGS_BYTES } from "./normalize.ts";
import { isInScope, parseScope, relativePath } from "./scope.ts";

const NAME = "filter-findings";

/** Drops named one by one; the rest are counted. */
const MOST_NAMED = 20;

export interface FilterOptions {
  file: string | undefined;
  from: string | undefined;
  out: string | undefined;
  /** The scope itself; "" is a scope that holds nothing. */
  scope: string | undefined;
  /** A file with the scope. */
  scopeFile: string | undefined;
  repoRoot: string | undefined;
}

/** The findings inside a scope, unchanged; every drop is told on stderr (docs/spec/craft-engine.md 15). */
export async function filterFindings(host: Host, options: FilterOptions): Promise<Outcome<unknown[]>> {
  const root = options.repoRoot === "" ? undefined : options.repoRoot;
  const parsed = parseScope(scopeText(host, options), root);
  if (!parsed.ok) throw failure(NAME, parsed.problem);
  const source = { from: options.from, positional: options.file };
  const items = readList(await readPayload(host, NAME, source, { maxBytes: MAX_FINDINGS_BYTES }));
  const kept: unknown[] = [];
  const dropped: string[] = [];
  for (const item of items) {
    const { file, line } = placeOf(item);
    if (file !== undefined && isInScope(parsed.scope, relativePath(file, root), line)) kept.push(item);
    else if (dropped.push("") <= MOST_NAMED) dropped[dropped.length - 1] = echo(JSON.stringify(item));
  }
  const notes = dropped.slice(0, MOST_NAMED).map((text) => `${NAME}: dropped, outside the scope: ${text}`);
  if (dropped.length > 0) notes.push(`${NAME}: ${dropped.length} of ${items.length} findings dropped`);
  return deliverDocument(host, kept, { name: NAME, out: options.out, tail: ` n=${kept.length}`, notes });
}

function scopeText(host: Host, { scope, scopeFile }: FilterOptions): string {
  if (scope !== undefined && scopeFile !== undefined) {
    throw failure(NAME, "--scope and --scope-file both give the scope; give one");
  }
  if (scope !== undefined) return scope;
  if (scopeFile === undefined) {
    throw failure(
      NAME,
      "missing --scope SPEC or --scope-file FILE; the entries are FILE:START-END or FILE:*",
    );
  }
  try {
    return readInputFile(host, scopeFile, MAX_FINDINGS_BYTES);
  } catch (error) {
    throw failure(NAME, `--scope-file ${reasonOf(error)}`);
  }
}

function readList(text: string): unknown[] {
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (error) {
    throw failure(
      NAME,
      `the findings are not valid JSON (${(error as Error).message}): ${echo(text.trim())}`,
    );
  }
  if (Array.isArray(items)) return items;
  throw failure(NAME, `the findings are no JSON array: ${echo(text.trim())}; normalize-findings makes one`);
}

/** Where a finding stands; no file when it is none. */
function placeOf(item: unknown): { file: string | undefined; line: number } {
  const { file, line }: JsonObject = isObject(item) ? item : {};
  return { file: typeof file === "string" ? file : undefined, line: Number(line) };
}
