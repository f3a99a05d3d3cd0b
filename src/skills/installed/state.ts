import { readdirSync } from "node:fs";
import { join } from "node:path";
import { osReason } from "../../kernel/call/errors.ts";
import { statIfThere } from "../../kernel/files/look.ts";
import { Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import type { Manifest, STATES } from "../schema.ts";
import type { RenderChoice } from "../source/render.ts";
import { compareSemver, isSemver } from "../source/semver.ts";
import { ENTRY_FILE, type Skill, type SkillFile } from "../source/shipment.ts";
import { MANIFEST_FILE, type ManifestReading, readManifest, sourceDigest, textHash } from "./manifest.ts";

export type SkillState = (typeof STATES)[number];

/** What one file on disk is, against the manifest and against what this program would write (docs/spec/skills.md 6.2). */
export type FileState = "same" | "ours" | "missing" | "edited";

/** A skill directory, looked at. */
export interface Inspection {
  state: SkillState;
  /** Why it is `unreadable`, or which version wrote a `newer` one. */
  detail: string;
  manifest: Manifest | undefined;
  /** Every path of the manifest and of the rendering. */
  files: ReadonlyMap<string, FileState>;
  /** Content found per path, for a comparison right before it is replaced. */
  contents: ReadonlyMap<string, Uint8Array>;
  /** Paths that neither the manifest nor the rendering knows: the user's own. */
  extra: readonly string[];
}

/** What this program would write there; undefined when it does not ship the skill. */
export interface Wanted {
  skill: Skill;
  files: readonly SkillFile[];
  choice: RenderChoice;
}

/** Temporary files of an interrupted write; the prefix is ours alone, so they are never a user's. */
export const TEMPORARY_PREFIX = ".jig-skill-tmp-";

const LARGEST_FILE = 4 * 1024 * 1024;

/**
 * The first row of docs/spec/skills.md 6.2 that holds. Nothing is written. `paths` are those of the skill's files where
 * nothing is `wanted`.
 */
export function inspect(
  directory: string,
  name: string,
  wanted: Wanted | undefined,
  version: string,
  paths: readonly string[] = (wanted?.files ?? []).map((file) => file.path),
): Inspection {
  const finding = (state: SkillState, detail = ""): Inspection => ({
    state,
    detail,
    manifest: undefined,
    files: new Map(),
    contents: new Map(),
    extra: [],
  });
  try {
    const stat = statIfThere(directory);
    if (stat === undefined) return finding("absent");
    if (!stat.isDirectory()) return finding("foreign");
    const reading = readManifest(directory, name);
    if (reading.kind === "unreadable") return finding("unreadable", reading.why);
    if (reading.kind === "none") {
      if (!hasOnlyExtras(directory, paths)) return finding("foreign");
      return { ...finding("absent"), extra: allFiles(directory).filter((path) => !isTemporary(path)) };
    }
    return look(directory, reading, wanted, version);
  } catch (error) {
    return finding("unreadable", `${directory}: ${osReason(error)}`);
  }
}

function look(
  directory: string,
  reading: Extract<ManifestReading, { kind: "later" | "valid" }>,
  wanted: Wanted | undefined,
  version: string,
): Inspection {
  const manifest = reading.kind === "valid" ? reading.manifest : undefined;
  const rendered = new Map((wanted?.files ?? []).map((file) => [file.path, textHash(file.text)]));
  const files = new Map<string, FileState>();
  const contents = new Map<string, Uint8Array>();
  for (const path of new Set([...Object.keys(manifest?.files ?? {}), ...rendered.keys()])) {
    const found = readPart(directory, path);
    if (found instanceof Uint8Array) contents.set(path, found);
    files.set(path, judge(found, manifest?.files[path]?.sha256, rendered.get(path)));
  }
  const extra = allFiles(directory).filter(
    (path) => path !== MANIFEST_FILE && !files.has(path) && !isTemporary(path),
  );
  const [state, detail] = stateOf(reading, files, wanted, version);
  return { state, detail, manifest, files, contents, extra };
}

function stateOf(
  reading: Extract<ManifestReading, { kind: "later" | "valid" }>,
  files: ReadonlyMap<string, FileState>,
  wanted: Wanted | undefined,
  version: string,
): [SkillState, string] {
  if (reading.kind === "later") return ["newer", `manifest schema ${reading.schema}`];
  const { manifest } = reading;
  if (wanted === undefined) return ["orphaned", ""];
  const later = isSemver(version) && compareSemver(manifest.jig_version, version) > 0;
  if (later && manifest.source_digest !== sourceDigest(wanted.skill))
    return ["newer", `jig ${manifest.jig_version}`];
  const states = [...files.values()];
  if (states.includes("edited")) return ["modified", ""];
  // A path only the manifest knows is one this program would delete.
  const obsolete = [...files].some(([path, state]) => state !== "missing" && !isWanted(path, wanted));
  const allOurs = [...files].every(([path, state]) => state === "ours" || !isWanted(path, wanted));
  return [allOurs && !obsolete && sameChoice(manifest, wanted) ? "current" : "stale", ""];
}

function isWanted(path: string, wanted: Wanted): boolean {
  return wanted.files.some((file) => file.path === path);
}

/** Whether the recorded prefix and flags are the ones asked for now; the list of files must be the rendering's too. */
function sameChoice(manifest: Manifest, { choice, files }: Wanted): boolean {
  const { render } = manifest;
  return (
    render.mode === choice.prefix.mode &&
    render.bin_given === choice.prefix.given &&
    render.command.join("\0") === choice.prefix.command.join("\0") &&
    render.strict === choice.strict &&
    render.allow_readonly === choice.allowReadonly &&
    files.every((file) => manifest.files[file.path]?.sha256 === textHash(file.text))
  );
}

type Part = Uint8Array | "missing" | "misplaced";

function judge(found: Part, recorded: string | undefined, rendered: string | undefined): FileState {
  if (found === "missing") return "missing";
  if (found === "misplaced") return "edited";
  const hash = textHash(found);
  if (hash === rendered) return "ours";
  return hash === recorded ? "same" : "edited";
}

/** A file below a skill directory; `misplaced` when a link, a directory or anything else stands in its way. */
function readPart(directory: string, path: string): Part {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const stat = statIfThere(join(directory, ...parts.slice(0, depth)));
    if (stat === undefined) return "missing";
    if (!stat.isDirectory()) return "misplaced";
  }
  const file = join(directory, path);
  try {
    return readOwnedFile(file, { uid: undefined, maxBytes: LARGEST_FILE });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.reason === "absent") return "missing";
    if (error.reason === "unreadable") throw error.cause ?? error;
    return "misplaced";
  }
}

/** Whether nothing in a directory is a skill's: no manifest, no entry file in any case, no file under a name of ours. */
function hasOnlyExtras(directory: string, paths: readonly string[]): boolean {
  if (statIfThere(join(directory, MANIFEST_FILE)) !== undefined) return false;
  if (readdirSync(directory).some((name) => name.toLowerCase() === ENTRY_FILE.toLowerCase())) return false;
  return paths.every((path) => readPart(directory, path) === "missing");
}

export function isTemporary(path: string): boolean {
  return path.slice(path.lastIndexOf("/") + 1).startsWith(TEMPORARY_PREFIX);
}

/** Every entry that is not a directory, relative, sorted; links are named and not followed. */
export function allFiles(directory: string, below = ""): string[] {
  return readdirSync(join(directory, below), { withFileTypes: true })
    .flatMap((entry) => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      return entry.isDirectory() ? allFiles(directory, path) : [path];
    })
    .sort();
}
