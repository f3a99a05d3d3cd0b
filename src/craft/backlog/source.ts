import type { Host } from "../../kernel/call/host.ts";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure } from "../common/fail.ts";
import { containedTarget, repoRelativeFrom } from "../common/repo-path.ts";
import { workTree } from "../common/work-tree.ts";
import { backlogOf } from "../manifest/manifest.ts";
import { child, itemsOf, stringOf, wordOf } from "../manifest/nodes.ts";
import { requireManifest } from "../manifest/require.ts";
import { type BacklogEntry, backlogEntries } from "./entries.ts";

export const NAME = "backlog";

const DEFAULT_FILE = "BACKLOG.md";
const MAX_FILE_BYTES = 8 << 20;

/** Where a run's work comes from. */
export type BacklogSource =
  | { kind: "file"; root: string; ref: string }
  | { kind: "custom"; root: string; ref: string | undefined }
  /** The manifest says nothing of one. */
  | { kind: "none" };

export interface SourceFlags {
  manifest?: string | undefined;
  file?: string | undefined;
}

/** The source of a call. Throws (exit 2) for a manifest that cannot be read and a source nobody knows. */
export async function backlogSource(host: Host, flags: SourceFlags): Promise<BacklogSource> {
  const manifest = await requireManifest(host, NAME, flags.manifest);
  const root = await workTree(host);
  if (flags.file !== undefined) {
    // One that leads out of the repository is refused when it is read.
    return { kind: "file", root, ref: repoRelativeFrom(root, host.cwd, flags.file) ?? flags.file };
  }
  const backlog = backlogOf(manifest);
  if (backlog === undefined) return { kind: "none" };
  const { source, ref } = backlog;
  if (source === "file") return { kind: "file", root, ref: ref ?? DEFAULT_FILE };
  if (source === "custom") return { kind: "custom", root, ref };
  const adapters = itemsOf(child(child(manifest, "extends"), "backlog-adapters"));
  const adapter = adapters.find((item) => stringOf(child(item, "name")) === source);
  if (adapter === undefined) {
    throw failure(
      NAME,
      `unknown backlog source: ${printable(source)} (expected file, custom or an adapter's name)`,
    );
  }
  return { kind: "custom", root, ref: wordOf(child(adapter, "ref")) };
}

/** The entries of a file source. Throws (exit 1) when it cannot be read. */
export function readBacklog({ root, ref }: { root: string; ref: string }): BacklogEntry[] {
  const path = containedTarget(root, ref);
  if (path === undefined) {
    throw failure(
      NAME,
      `${printable(ref)} leads out of the repository, or is a symlink; name a file inside it`,
      1,
    );
  }
  try {
    return backlogEntries(readOwnedText(path, { uid: undefined, maxBytes: MAX_FILE_BYTES }));
  } catch (error) {
    if (error instanceof Refused) throw failure(NAME, `${printable(ref)}: ${error.why}`, 1);
    throw error;
  }
}
