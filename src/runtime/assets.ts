import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isCompiled } from "./self.ts";

// In the compiled file system every chunk sits beside the embedded folders; in a checkout they are two levels up.
function absolute(path: string): string {
  return join(import.meta.dirname, isCompiled ? path : `../../${path}`);
}

/** The bytes of an embedded file, by its path in the tree: `assets/annotate/annotate.js`. Throws when there is none. */
export function asset(path: string): Uint8Array {
  return readFileSync(absolute(path));
}

/** An embedded file as UTF-8 text. */
export function assetText(path: string): string {
  return readFileSync(absolute(path), "utf8");
}

/** Paths of all embedded files below a folder (`skills`, `assets/annotate`), sorted, with forward slashes. */
export function listAssets(folder: string): string[] {
  return readdirSync(absolute(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const parent = entry.parentPath.replaceAll("\\", "/");
      const root = absolute(folder).replaceAll("\\", "/");
      return `${folder}${parent.slice(root.length)}/${entry.name}`;
    })
    .sort();
}
