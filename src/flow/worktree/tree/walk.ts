import { readdirSync } from "node:fs";
import { FileError } from "../../../kernel/files/file-io.ts";
import { type BytePath, childOf, latin1, placeOf } from "./byte-path.ts";
import { type EntryKind, kindAt } from "./entry.ts";

/** The names in a directory, byte for byte. */
export function namesIn(place: Buffer): string[] {
  try {
    return readdirSync(place, { encoding: "buffer" }).map(latin1).sort();
  } catch (error) {
    throw new FileError("cannot list", place.toString(), error);
  }
}

/** Everything below a directory of a tree: each entry after the directory it is in. */
export function* entriesBelow(
  top: string,
  directory: BytePath,
): Generator<{ path: BytePath; kind: EntryKind }> {
  for (const name of namesIn(placeOf(top, directory))) {
    const path = childOf(directory, name);
    const kind = kindAt(placeOf(top, path));
    yield { path, kind };
    if (kind === "directory") yield* entriesBelow(top, path);
  }
}
