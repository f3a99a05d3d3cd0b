import { errorCode } from "../../../kernel/call/errors.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../../kernel/files/owned-file.ts";
import { isObject, type JsonObject } from "../../../kernel/text/json.ts";
import { readFrontMatter } from "../../../kernel/yaml/frontmatter.ts";
import { yamlValue } from "../../../kernel/yaml/yaml.ts";
import type { Concern } from "./concerns.ts";
import { sha256 } from "./digest.ts";
import { type Entry, noEntries, readEntries } from "./entry.ts";
import type { StorePlace } from "./place.ts";

/** Largest store that is read, in bytes. */
const MAX_STORE_BYTES = 8 << 20;

/** What a store holds, or why that is not known (docs/spec/craft-run.md 5.3). */
export interface StoreRead {
  entries: Record<Concern, Entry[]>;
  evicted: JsonObject[];
  loadNote: string | null;
  /** The content was never seen: it must not be written over. */
  degraded: boolean;
  /** SHA-256 of the file; null when there is none, or it was not read. */
  digest: string | null;
}

/** Read a store; whatever is wrong with it is said in the result. */
export async function readStore(place: StorePlace): Promise<StoreRead> {
  const nothing = (loadNote: string, degraded: boolean, digest: string | null = null): StoreRead => ({
    entries: noEntries(),
    evicted: [],
    loadNote,
    degraded,
    digest,
  });
  if (place.custom) return nothing("custom source not supported", true);
  const path = place.path();
  if (path === undefined) return nothing("store path outside repo", true);
  let bytes: Uint8Array;
  try {
    bytes = readOwnedFile(path, { uid: undefined, maxBytes: MAX_STORE_BYTES });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.reason === "absent") return nothing("no store", false);
    if (error.reason === "symlink") return nothing("store path outside repo", true);
    return nothing(`store unreadable: ${codeOf(error)}`, true);
  }
  const digest = await sha256(bytes);
  const text = decodeUtf8(bytes);
  if (text === undefined) return nothing("malformed store", true, digest);
  if (text.trim() === "") return nothing("no store", false, digest);
  const root = await mappingOf(text);
  if (root === undefined) return nothing("malformed store", true, digest);
  const { entries, evicted } = readEntries(root);
  const loadNote = evicted.length === 0 ? null : "some entries failed validate-on-read";
  return { entries, evicted, loadNote, degraded: false, digest };
}

async function mappingOf(text: string): Promise<JsonObject | undefined> {
  const matter = await readFrontMatter(text, { maxTokens: 2_000_000 });
  if (matter.kind !== "map" || matter.matter.yaml.trim() === "") return undefined;
  const value = yamlValue(matter.map);
  return isObject(value) ? value : undefined;
}

function codeOf(error: Refused): string {
  if (error.reason === "too-large") return "EFBIG";
  if (error.reason === "not-regular") return "EISDIR";
  return errorCode(error.cause) ?? "EIO";
}
