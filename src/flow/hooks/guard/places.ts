import { sep } from "node:path";
import { isStrictlyInside, realOrPlain } from "../../../kernel/files/contain.ts";
import { lookAt } from "../../../kernel/files/look.ts";
import { readOwnedText } from "../../../kernel/files/owned-file.ts";
import { type Layout, layoutOf, MEMORY_FILES } from "../../common/layout.ts";
import type { Target } from "./target.ts";

/** A project whose files are guarded. */
export interface Guarded {
  layout: Layout;
  /** Where its root and state really are. */
  root: string;
  state: string;
}

/** What a file of a project is to the guard. */
type Kind =
  | { kind: "memory"; workflow: string | undefined }
  | { kind: "permit" | "artifact" | "ledger" | "gates" | "state" }
  | { kind: "skill"; name: string; file: string };

export type Place = Kind & { project: Guarded };

/** macOS and Windows find a file under any case of its name. */
const ANY_CASE = process.platform === "darwin" || process.platform === "win32";
export const fold = (text: string) => (ANY_CASE ? text.toLowerCase() : text);

export function guarded(root: string): Guarded {
  const real = realOrPlain(root);
  const layout = layoutOf(real);
  return { layout, root: real, state: realOrPlain(layout.state) };
}

/** What a target is in the first project that it is anything in; undefined for any other file (docs/spec/flow.md 15.3). */
export function placeOf(target: Target, projects: readonly Guarded[]): Place | undefined {
  for (const project of projects) {
    for (const form of target.forms) {
      const place = placeIn(project, fold(form));
      if (place !== undefined) return { ...place, project };
    }
  }
  return undefined;
}

function placeIn({ layout, root, state }: Guarded, path: string): Kind | undefined {
  const inState = partsBelow(fold(state), path) ?? partsBelow(fold(layout.state), path);
  if (inState !== undefined) return statePlace(inState);
  const inRoot = partsBelow(fold(root), path);
  return inRoot === undefined ? undefined : skillPlace(inRoot);
}

function partsBelow(directory: string, path: string): string[] | undefined {
  if (!isStrictlyInside(directory, path)) return undefined;
  return path.slice(directory.endsWith(sep) ? directory.length : directory.length + 1).split(sep);
}

const MEMORY: readonly string[] = MEMORY_FILES.map(fold);

function statePlace(parts: readonly string[]): Kind {
  const [first = "", second = ""] = parts;
  const last = parts.at(-1)!;
  if (parts.length === 1 && first === ".memory-finalize") return { kind: "permit" };
  if (parts.length === 1 && MEMORY.includes(first)) return { kind: "memory", workflow: undefined };
  if (first === "project") {
    if (parts.length === 2 && MEMORY.includes(second)) return { kind: "memory", workflow: undefined };
    if (parts.length === 2 && second === "skill-candidates.json") return { kind: "ledger" };
    if (second === "skill-proposals") return { kind: "ledger" };
    if (parts.length === 2 && second === "reliability-gates.json") return { kind: "gates" };
  }
  if (first === "workflows") {
    if (parts.length === 3 && MEMORY.includes(last)) return { kind: "memory", workflow: second };
    if (parts.length === 2 && second.endsWith(".json")) return { kind: "artifact" };
  }
  return { kind: "state" };
}

/** `.claude/skills/NAME/SKILL.md` of the project, or of one of its worktrees, whose files end up in it. */
function skillPlace(parts: readonly string[]): Kind | undefined {
  const isWorktree = parts.length === 7 && parts[0] === ".claude" && parts[1] === "worktrees";
  const own = isWorktree ? parts.slice(3) : parts;
  const [host, folder, name = "", file = ""] = own;
  if (own.length !== 4 || folder !== "skills" || file !== fold("SKILL.md")) return undefined;
  if (host !== ".claude" && host !== ".cursor") return undefined;
  return { kind: "skill", name, file: `${host}/skills/${name}/SKILL.md` };
}

const LONGEST_ID = 1_024;

/**
 * The workflow whose memory may be written now, by the permit of a project; "" for a permit that cannot be read, undefined
 * without one. Only a regular file is one.
 */
export function permitOf({ layout }: Guarded): string | undefined {
  if (lookAt(layout.permit)?.isFile() !== true) return undefined;
  try {
    return readOwnedText(layout.permit, { uid: undefined, maxBytes: LONGEST_ID }).trim();
  } catch {
    return "";
  }
}
