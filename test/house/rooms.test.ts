import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/cli/catalogue.ts";
import { dropInNames, withoutExtension } from "../../src/cli/names/names.ts";
import { doorOf } from "../../src/cli/parse/reach.ts";
import { allRooms, TREE } from "../../src/cli/tree.ts";
import { walk } from "../../src/cli/walk.ts";
import type { Flags, Group } from "../../src/kernel/call/command.ts";
import { ROOT } from "../support/paths.ts";
import { sourceFiles } from "../support/sources.ts";

const ROOMS = allRooms();
const files = [...sourceFiles("src"), ...sourceFiles("scripts")];
const folderOf = (room: string) => (existsSync(join(ROOT, "src", room)) ? room : `cli/${room}`);

describe("what a room says of itself", () => {
  test("costs other rooms' calls nothing: types are all it imports at once, and all it says is in a function", () => {
    const registrations = files.filter(({ path }) => path.endsWith("/room.ts") && !path.includes("kernel/"));
    expect(registrations.map(({ path }) => path).sort()).toEqual(
      ROOMS.map(({ name }) => `src/${folderOf(name)}/room.ts`).sort(),
    );
    const heavy = registrations.filter(({ imports }) =>
      imports.some(({ lazy, typeOnly }) => !lazy && !typeOnly),
    );
    expect(heavy.map(({ path }) => path)).toEqual([]);
    const eager = registrations.filter(({ text }) => !text.includes("\nconst room = (): Room => ({\n"));
    expect(eager.map(({ path }) => path)).toEqual([]);
    for (const [name, room] of Object.entries(TREE)) expect(room().name).toBe(name);
  });

  test("names a place in the tree once, and every command calls itself by the words that reach it", async () => {
    expect(new Set(ROOMS.map(({ name }) => name)).size).toBe(ROOMS.length);
    for await (const { path, target } of walk()) expect(target.name).toBe(path.join(" "));
  });

  test("a lazily loaded verb's summary is the one of what it loads", async () => {
    for await (const { path, target } of walk()) {
      if (!("verbs" in target)) continue;
      for (const [name, verb] of Object.entries((target as Group).verbs)) {
        expect([...path, name, verb.summary]).toEqual([...path, name, (await doorOf(verb)).summary]);
      }
    }
  });

  test("every module of a core is there", () => {
    const missing = ROOMS.flatMap(({ name, core = [] }) =>
      core.map((module) => `src/${name}/${module}`),
    ).filter((path) => !existsSync(join(ROOT, path)));
    expect(missing).toEqual([]);
  });

  test("every schema's name is one room's alone", async () => {
    const names: string[] = [];
    for (const room of ROOMS) names.push(...Object.keys((await room.schemas?.())?.schemas ?? {}));
    expect(names).toEqual([...new Set(names)]);
  });

  test("each drop-in name is one room's alone, leads to a place, and names flags and positionals it has", async () => {
    const names = dropInNames();
    expect(names).toEqual([...new Set(names)]);
    for (const { dropInNames: own = {} } of ROOMS) {
      for (const [name, meaning] of Object.entries(own)) {
        const places = [];
        for await (const { path, target } of walk()) {
          if (meaning.words.every((word, index) => path[index] === word) && !("verbs" in target))
            places.push(target);
        }
        expect([name, places.length]).not.toEqual([name, 0]);
        const known = places.flatMap(({ flags, positionals = [] }) => [
          ...Object.keys(flags),
          ...positionals.map((positional) => positional.name),
          "json",
        ]);
        const { only = [], without = [], requires = [], fixed = {} } = meaning;
        const said = [...only, ...without, ...requires, ...Object.keys(fixed)];
        expect([name, said.filter((word) => !known.includes(word))]).toEqual([name, []]);
        const switches = places.flatMap(({ flags }) =>
          Object.entries(flags as Flags).flatMap(([flag, { type }]) => (type === "boolean" ? [flag] : [])),
        );
        expect([name, requires.filter((word) => switches.includes(word))]).toEqual([name, []]);
      }
    }
  });

  test("each drop-in name stands in a specification", () => {
    const folder = join(ROOT, "docs/spec");
    const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));
    const text = pages.map((page) => readFileSync(join(folder, page), "utf8")).join("\n");
    expect(dropInNames().filter((name) => !text.includes(`\`${name}`))).toEqual([]);
  });

  test("names that are the same without their extension mean the same", () => {
    const meanings = new Map<string, string>();
    for (const { dropInNames: own = {} } of ROOMS) {
      for (const [name, meaning] of Object.entries(own)) {
        const short = withoutExtension(name);
        expect([name, meanings.get(short) ?? meaning.words.join(" ")]).toEqual([
          name,
          meaning.words.join(" "),
        ]);
        meanings.set(short, meaning.words.join(" "));
      }
    }
  });

  test("every kind of completion is a room's, or names files", async () => {
    const kinds = ["file", "directory", ...ROOMS.flatMap(({ completes = {} }) => Object.keys(completes))];
    expect(kinds).toEqual([...new Set(kinds)]);
    for await (const { path, target } of walk()) {
      if ("verbs" in target) continue;
      const asked = [...Object.values(target.flags), ...(target.positionals ?? [])].flatMap(
        (one) => (one as { completes?: string }).completes ?? [],
      );
      expect([path, asked.filter((kind) => !kinds.includes(kind))]).toEqual([path, []]);
    }
  });

  test("what may be approved beforehand is the table of the specification", async () => {
    const spec = readFileSync(join(ROOT, "docs/spec/skills.md"), "utf8");
    const row = /### 4\.6[\s\S]*?\|---\|---\|\n\| (.*) \| (.*) \|\n/.exec(spec)!;
    const quoted = (cell: string) =>
      [...cell.replaceAll(/\([^)]*\)/g, "").matchAll(/`([^`]+)`/g)].map(([, words]) => words!);
    const stated = [...quoted(row[1]!), ...quoted(row[2]!).map((words) => `${words} *`)];
    const built = stated.filter((words) => ROOMS.some(({ name }) => name === words.split(" ")[0]));
    expect([...(await catalogue.readOnlyCalls())].sort()).toEqual(built.sort());
  });
});

describe("a room is listed in one place", () => {
  const rooms = new Set(ROOMS.map(({ name }) => name));
  const names = new Set(dropInNames().flatMap((name) => [name, withoutExtension(name)]));
  const elsewhere = files.filter(({ path }) => !/\/(room|tree)\.ts$/.test(path));

  /** Room names that stand side by side in an array, or three of them among the keys of an object or of a type. */
  function listed(text: string): string[] {
    const items = [...text.matchAll(/["']([\w-]+)["']\s*[,|]\s*["']([\w-]+)["']/g)].map(
      ([, ...pair]) => pair,
    );
    const objects = [...text.matchAll(/\{((?:[^{}]|\{[^{}]*\})*)\}/g)].map(([, inside]) =>
      [...inside!.matchAll(/(?:^|[,;{])\s*["']?([\w-]+)["']?\??\s*:/gm)].map(([, key]) => key!),
    );
    const named = (words: readonly string[]) => [...new Set(words.filter((word) => rooms.has(word)))];
    const found = [
      ...items.map(named).filter(({ length }) => length > 1),
      ...objects.map(named).filter(({ length }) => length > 2),
    ];
    return found.map((words) => words.join(", "));
  }

  test("no other file lists rooms", () => {
    const lists = elsewhere.flatMap(({ path, text }) => listed(text).map((found) => `${path}: ${found}`));
    expect(lists).toEqual([]);
  });

  test("no other file names a drop-in name, but the room that it belongs to", () => {
    const owner = new Map(
      ROOMS.flatMap(({ name, dropInNames: own = {} }) => Object.keys(own).map((key) => [key, name] as const)),
    );
    const naming = elsewhere.flatMap(({ path, text }) =>
      [...text.matchAll(/["']([\w.-]+)["']/g)]
        .filter(
          ([, word]) => names.has(word!) && path.split("/")[1] !== (owner.get(word!) ?? path.split("/")[1]),
        )
        .map(([, word]) => `${path}: ${word}`),
    );
    expect(naming).toEqual([]);
  });

  test("the search finds a list when there is one", () => {
    expect(listed('const ROOMS = ["job", "web"];')).toEqual(["job, web"]);
    expect(listed('const ROOMS = {\n  job: {},\n  "base-dir": 2, web: () => {},\n};')).toEqual([
      "job, base-dir, web",
    ]);
    expect(listed('type Room = "job" | "web";')).toEqual(["job, web"]);
    expect(listed('run(["job", "status"])')).toEqual([]);
  });
});
