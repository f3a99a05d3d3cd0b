import { statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isInside, realOrPlain } from "../../kernel/files/contain.ts";
import { isDirectory, isRegularFile } from "../../kernel/files/look.ts";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { isObject } from "../../kernel/text/json.ts";

/** The human-written configuration of a workspace (docs/spec/flow.md 13). */
export const WORKSPACE_CONFIG = ".craftflow-workspace.json";
/** The workspace memory tier, below the workspace. */
export const WORKSPACE_MEMORY = join(".craftflow", "state", "workspace");

const MOST_ANCESTORS = 3;
const LARGEST_CONFIG_BYTES = 1 << 23;

type HomeOwner = Pick<Host, "home">;

/** What a workspace configuration says; what is missing or of another type counts as its default. */
export interface WorkspaceConfig {
  state: "absent" | "read" | "unreadable";
  /** Why it is unreadable. */
  reason: string | null;
  /** Member projects, relative to the workspace: the entries that count. */
  members: string[];
  /** Whether members may write the workspace memory tier. */
  memoryWritable: boolean;
}

/** The workspace of a project for reading: the nearest ancestor with a marker (docs/spec/flow.md 9.2). */
export function findWorkspace(host: HomeOwner, root: string): string | undefined {
  return candidates(host, root).find(
    (directory) =>
      isDirectory(join(directory, WORKSPACE_MEMORY)) || isRegularFile(join(directory, WORKSPACE_CONFIG)),
  );
}

/**
 * The workspace whose memory tier a project may write: the nearest ancestor of the walk whose configuration names the
 * project as a member and lets members write; others are passed over (docs/spec/flow.md 15.3).
 */
export function findWritableWorkspace(host: HomeOwner, root: string): string | undefined {
  return candidates(host, root).find((directory) => mayWriteMemory(directory, root));
}

/** Whether a workspace's configuration lets this project write the workspace memory tier. */
export function mayWriteMemory(workspace: string, root: string): boolean {
  const config = readWorkspaceConfig(workspace);
  return config.memoryWritable && config.members.some((member) => isSamePlace(join(workspace, member), root));
}

/** The ancestors that the walk looks at and may select, nearest first. */
function candidates({ home }: HomeOwner, root: string): string[] {
  const found: string[] = [];
  let directory = realOrPlain(root);
  for (let looked = 0; looked < MOST_ANCESTORS; looked++) {
    directory = dirname(directory);
    if (dirname(directory) === directory) break;
    if (home !== undefined && isSamePlace(directory, home)) continue;
    if (!isSamePlace(directory, root)) found.push(directory);
  }
  return found;
}

/** The configuration in a directory. Never throws: what cannot be read grants nothing, and says why. */
export function readWorkspaceConfig(directory: string): WorkspaceConfig {
  const path = join(directory, WORKSPACE_CONFIG);
  const nothing = { reason: null, members: [], memoryWritable: false };
  let value: unknown;
  try {
    value = JSON.parse(
      readOwnedText(path, { uid: undefined, allowSymlink: true, maxBytes: LARGEST_CONFIG_BYTES }),
    );
  } catch (error) {
    if (error instanceof Refused && error.reason === "absent") return { ...nothing, state: "absent" };
    const reason = error instanceof Refused ? error.why : "is not JSON";
    return { ...nothing, state: "unreadable", reason };
  }
  if (!isObject(value)) return { ...nothing, state: "unreadable", reason: "is not a JSON object" };
  const members = Array.isArray(value["members"]) ? value["members"] : [];
  return {
    state: "read",
    reason: null,
    members: members.filter((entry): entry is string => isMemberPath(directory, entry)),
    memoryWritable: value["memory_writable"] === true,
  };
}

/** Relative, of one or more segments, and still inside the workspace after symlinks. */
function isMemberPath(workspace: string, entry: unknown): boolean {
  if (typeof entry !== "string" || entry === "" || entry.includes("\0")) return false;
  if (isAbsolute(entry) || ["..", "~", "\\"].some((part) => entry.includes(part))) return false;
  return isInside(realOrPlain(workspace), realOrPlain(join(workspace, entry)));
}

/** Whether two paths lead to the same file or directory: by identity, not by spelling. */
export function isSamePlace(a: string, b: string): boolean {
  const [one, other] = [identityOf(a), identityOf(b)];
  return one !== undefined && one === other;
}

function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
  } catch {
    return undefined;
  }
}
