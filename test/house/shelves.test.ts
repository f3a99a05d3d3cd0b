import { describe, expect, test } from "vitest";
import { type SourceFile, sourceFiles } from "../support/sources.ts";

/**
 * The order of the shelves inside each room, from the ground up: what stands on one may import from itself and from
 * those before it. An entry is a folder, or one file that lies lower than its folder. What is in no entry is the
 * room's top: its door and its verbs. A room that is not named here has no folders.
 */
const SHELVES: Record<string, readonly string[]> = {
  kernel: ["call", "text", "process", "files", "yaml", "repository", "config", "shared"],
  cli: [
    "print",
    "parse",
    "completions/room.ts",
    "link/room.ts",
    "schema/room.ts",
    "version/room.ts",
    "tree.ts",
    "walk.ts",
    "names",
    "catalogue.ts",
    "help",
    "completions",
    "link",
    "schema",
    "version",
  ],
  craft: [
    "common",
    "manifest",
    "detect",
    "findings",
    "policy/scopes.ts",
    "pipeline/descriptor.ts",
    "gates/decide.ts",
    "pipeline",
    "policy",
    "gates",
    "models",
    "run",
    "explain",
    "lessons",
    "corpus",
    "backlog",
    "memory/store",
    "memory/schema.ts",
    "memory/save",
    "memory",
    "contracts",
    "init",
    "lints",
    "ledger",
    "run-state",
    "driver",
    "worktree",
    "hooks",
    "metrics",
  ],
  demo: ["schema.ts", "event-stream.ts", "step.ts", "git.ts", "steps"],
  doctor: ["schema.ts", "check.ts", "nested.ts", "checks"],
  elevate: ["schema.ts", "settings.ts", "report.ts", "call"],
  flow: [
    "common",
    "report/query",
    "artifact/fields.ts",
    "artifact/read.ts",
    "artifact/events.ts",
    "artifact/store.ts",
    "artifact/create.ts",
    "identity",
    "artifact/schema.ts",
    "artifact/kinds.ts",
    "artifact/record.ts",
    "artifact/state.ts",
    "artifact/look",
    "artifact/change",
    "artifact",
    "memory/text",
    "memory/settings.ts",
    "gates",
    "memory/store",
    "memory/merge",
    "memory/schema.ts",
    "memory/load",
    "memory/finalize",
    "memory/scope",
    "memory/repair",
    "memory/workspace",
    "memory",
    "resume",
    "worktree/tree",
    "worktree/apply",
    "routing",
    "hooks/shell",
    "hooks/python",
    "hooks/payload.ts",
    "hooks/hook.ts",
    "hooks/log.ts",
    "hooks/mode.ts",
    "hooks/newest.ts",
    "hooks/guard",
    "hooks",
    "report",
    "worktree/schema.ts",
    "worktree/lock",
    "worktree/run",
    "worktree/guard",
    "worktree/finalize",
    "worktree/create",
    "worktree/status",
    "worktree",
  ],
  job: [
    "states.ts",
    "schema.ts",
    "settings.ts",
    "usage.ts",
    "record",
    "windows",
    "start/claim.ts",
    "start/environment.ts",
    "engine",
    "start",
    "supervise",
    "end",
    "look",
  ],
  overlay: ["types.ts", "can-annotate.ts", "page", "target", "notes", "link", "view"],
  packs: ["schema.ts", "rule-file.ts", "directory.ts", "sources"],
  plan: ["schema.ts", "terms.ts", "name.ts", "read", "rules"],
  skills: ["schema.ts", "agents", "source", "installed", "lint"],
  web: [
    "schema.ts",
    "state",
    "server/config.ts",
    "server/http",
    "server/changes",
    "server/screens",
    "server/images",
    "server/notes",
    "server",
    "client.ts",
    "options.ts",
    "stop.ts",
    "agent",
  ],
};

/** Types that name every part of a program, so that the parts see each other through them and not their modules. */
const TYPES_OF_ALL = ["src/overlay/app.ts", "src/web/server/site.ts"];

const MOST_FILES = 18;

const files = sourceFiles("src");

const roomOf = (path: string) => path.split("/")[1]!;
const withinRoom = (path: string) => path.split("/").slice(2).join("/");

/** What an import stands for: a registration names its door to the dispatcher, and needs it no more than that. */
function counts(from: SourceFile, { to, typeOnly, lazy }: SourceFile["imports"][number]): boolean {
  if (!to.startsWith("src/")) return false;
  if (typeOnly && TYPES_OF_ALL.includes(to)) return false;
  return !(lazy && from.path.endsWith("/room.ts"));
}

/** The place of a file in its room's order; above all shelves when it is on none. */
function height(path: string): number {
  const shelves = SHELVES[roomOf(path)] ?? [];
  const file = withinRoom(path);
  const itself = shelves.indexOf(file);
  if (itself >= 0) return itself;
  for (let folder = parent(file); folder !== ""; folder = parent(folder)) {
    const at = shelves.indexOf(folder);
    if (at >= 0) return at;
  }
  return shelves.length;
}

const parent = (path: string) => path.split("/").slice(0, -1).join("/");

function fault(from: string, to: string): string | undefined {
  return roomOf(from) === roomOf(to) && height(to) > height(from)
    ? `${from} imports from a higher shelf: ${to}`
    : undefined;
}

/** The first circle found from each file on, as the modules in it. */
function circles(): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const way: string[] = [];
  const found: string[][] = [];
  const visit = (path: string) => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path]);
    if (done.has(path)) return;
    done.add(path);
    way.push(path);
    const file = byPath.get(path);
    for (const one of file?.imports ?? []) if (counts(file!, one)) visit(one.to);
    way.pop();
  };
  for (const { path } of files) visit(path);
  return found;
}

describe("the shelves inside the rooms", () => {
  test("no shelf imports from a higher one", () => {
    const faults = files.flatMap((file) =>
      file.imports.filter((one) => counts(file, one)).map(({ to }) => fault(file.path, to)),
    );
    expect(faults.filter(Boolean)).toEqual([]);
  });

  test("the rule itself catches an arrow up, and lets one down", () => {
    expect(fault("src/job/record/state.ts", "src/job/end/reap.ts")).toContain("higher");
    expect(fault("src/job/settings.ts", "src/job/record/state.ts")).toContain("higher");
    expect(fault("src/kernel/files/lock.ts", "src/kernel/shared/temp-root.ts")).toContain("higher");
    expect(fault("src/job/end/reap.ts", "src/job/record/state.ts")).toBeUndefined();
    expect(fault("src/job/command.ts", "src/job/end/reap.ts")).toBeUndefined();
  });

  test("every folder of a room that has an order stands in it, and every entry of an order is there", () => {
    const folders = new Set(
      files.map(({ path }) => parent(path)).filter((path) => path.split("/").length > 2),
    );
    const unplaced = [...folders].filter((path) => height(`${path}/x.ts`) === SHELVES[roomOf(path)]?.length);
    expect(unplaced).toEqual([]);
    const empty = Object.entries(SHELVES).flatMap(([room, shelves]) =>
      shelves
        .map((shelf) => `src/${room}/${shelf}`)
        .filter((place) => !folders.has(place) && !files.some(({ path }) => path === place)),
    );
    expect(empty).toEqual([]);
  });

  test("no modules import each other in a circle", () => {
    expect(circles().map((circle) => circle.join(" → "))).toEqual([]);
  });

  test(`no folder holds more than ${MOST_FILES} files`, () => {
    const counted = new Map<string, number>();
    for (const { path } of files) counted.set(parent(path), (counted.get(parent(path)) ?? 0) + 1);
    expect([...counted].filter(([, count]) => count > MOST_FILES)).toEqual([]);
  });
});
