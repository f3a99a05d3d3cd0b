import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { osReason } from "../../../kernel/call/errors.ts";
import { isOwn, type UncommittedSet } from "../apply/uncommitted-set.ts";
import { Gate, orGate, RERUN } from "../run/gate.ts";
import type { Run } from "../run/run.ts";
import { entryBelow } from "../tree/below.ts";
import {
  ancestorsOf,
  asBytePath,
  type BytePath,
  childOf,
  parentOf,
  placeOf,
  shownPath,
} from "../tree/byte-path.ts";
import { isSameEntry, kindAt } from "../tree/entry.ts";
import { hideFromGit } from "../tree/fresh-directory.ts";
import { ignoredIn } from "../tree/status.ts";
import { populatedIn } from "../tree/submodules.ts";
import type { WorkTree } from "../tree/work-tree.ts";

/** Made by tools from what is in the repository, wherever they stand. */
const CACHES: ReadonlySet<string> = new Set(
  (
    "node_modules bower_components .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .gradle .next " +
    ".nuxt .svelte-kit .turbo .parcel-cache .DS_Store Thumbs.db"
  ).split(" "),
);

/** The same, for directories that are ignored as a whole. */
const BUILT: ReadonlySet<string> = new Set(["target", "dist", "build", "out", "coverage", ".cache"]);

const GATE = "worktree_cleanup_failed";

/**
 * Move out of the worktree what is kept although it is not applied: the tool's own directories and ignored files, caches
 * excepted (docs/spec/flow-worktree.md 6.2). All of it or nothing. `tree` is the worktree where it stands now.
 */
export async function keepRest(run: Run, tree: WorkTree, set: UncommittedSet): Promise<void> {
  const advice = `The work is in the main tree; worktree and branch are kept. ${RERUN}`;
  const paths = await orGate(GATE, advice, () => pathsToKeep(run, tree, set));
  if (paths.length === 0) return;
  const { report, layout, wf } = run;
  const directory = join(layout.memory(wf), "from-worktree");
  const moved: { from: Buffer; to: Buffer }[] = [];
  const kept: string[] = [];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    hideFromGit(directory);
    for (const path of paths) {
      const place = freePlace(directory, path);
      const move = { from: placeOf(tree.top, path), to: placeOf(directory, place) };
      renameSync(move.from, move.to);
      moved.push(move);
      kept.push(shownPath(place));
    }
  } catch (error) {
    const stuck = moved.reverse().filter(({ from, to }) => !moveBack(to, from));
    throw new Gate(GATE, {
      reason: `what git ignores in the worktree could not be moved to ${directory}: ${osReason(error)}`,
      advice,
      paths: [directory, ...stuck.map(({ to }) => to.toString())],
    });
  }
  report.cleanup.kept_dir = directory;
  report.cleanup.kept.push(...kept);
}

function moveBack(from: Buffer, to: Buffer): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

async function pathsToKeep(run: Run, tree: WorkTree, set: UncommittedSet): Promise<BytePath[]> {
  const { host, main, options, report } = run;
  const own = set.own.map(bare).filter((path) => kindAt(placeOf(tree.top, path)) !== "absent");
  const ignored = await ignoredIn(host, tree);
  for (const submodule of await populatedIn(host, tree)) {
    for (const path of await ignoredIn(host, submodule.tree)) ignored.push(childOf(submodule.path, path));
  }
  const kept = new Set<BytePath>(own);
  let discarded = 0;
  for (const entry of ignored) {
    const isWhole = entry.endsWith("/");
    const path = bare(entry);
    const parts = path.split("/");
    if (isOwn(path)) kept.add(path);
    else if (options["discard-ignored"] || parts.some((part) => CACHES.has(part))) discarded++;
    else if (isWhole && BUILT.has(parts.at(-1)!)) discarded++;
    else if (isWhole || !isInMain(main.top, tree.top, path)) kept.add(path);
  }
  report.cleanup.ignored_files_discarded = discarded;
  // What lies in a directory that is moved as a whole goes with it.
  return [...kept].filter((path) => !ancestorsOf(path).some((directory) => kept.has(directory))).sort();
}

function bare(entry: BytePath): BytePath {
  return asBytePath(entry.endsWith("/") ? entry.slice(0, -1) : entry);
}

/** Whether the main tree has the same file at the same path. */
function isInMain(root: string, worktree: string, path: BytePath): boolean {
  const mine = entryBelow(worktree, path);
  return mine.kind === "file" && isSameEntry(mine, entryBelow(root, path));
}

/** The path itself, or with a number behind it where an earlier attempt has taken the name; its directories are made. */
function freePlace(directory: string, path: BytePath): BytePath {
  const parent = parentOf(path);
  if (parent !== undefined) mkdirSync(placeOf(directory, parent), { recursive: true, mode: 0o700 });
  for (let count = 1; ; count++) {
    const place = asBytePath(count === 1 ? path : `${path}-${count}`);
    if (kindAt(placeOf(directory, place)) === "absent") return place;
  }
}
