import { join } from "node:path";
import type { Layout } from "../../common/layout.ts";
import { readMemory } from "../store/memory-file.ts";
import { type ScopeMarker, scopeMarkers } from "./markers.ts";

/** The file that holds the markers. */
export function scopeFile(layout: Layout): string {
  return join(layout.projectMemory, "activeContext.md");
}

/** The live markers of a project. Throws `StateFileError` when the file cannot be read. */
export function readScopeMarkers(layout: Layout): ScopeMarker[] {
  return scopeMarkers(readMemory(layout.root, scopeFile(layout)) ?? "");
}
