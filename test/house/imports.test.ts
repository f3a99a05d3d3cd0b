import { describe, expect, test } from "vitest";
import { sourceFiles, withoutComments } from "../support/sources.ts";

const LAYERS = ["runtime", "kernel", "room", "cli", "main"] as const;

const SHARED = new Set(["runtime", "kernel", "cli"]);

function place(path: string): { layer: (typeof LAYERS)[number]; room: string } {
  if (path === "src/main.ts") return { layer: "main", room: "" };
  const folder = path.split("/")[1]!;
  if (SHARED.has(folder)) return { layer: folder as "runtime" | "kernel" | "cli", room: folder };
  return { layer: "room", room: folder };
}

/** The import-direction rule of the design: main → cli → rooms → kernel → runtime, and no room from another. */
function fault(from: string, to: string): string | undefined {
  const [a, b] = [place(from), place(to)];
  if (LAYERS.indexOf(b.layer) > LAYERS.indexOf(a.layer)) return `${from} imports up: ${to}`;
  if (a.layer === "room" && b.layer === "room" && a.room !== b.room) return `${from} imports sideways: ${to}`;
  return undefined;
}

/** The supervisor has no Host; the overlay runs in a browser. */
const BARE = /^src\/(job\/supervise\/supervisor\.ts$|overlay\/)/;

describe("the house", () => {
  const files = sourceFiles("src");

  test("no import points up or sideways", () => {
    const faults = files.flatMap((file) =>
      file.imports.filter(({ to }) => to.startsWith("src/")).map(({ to }) => fault(file.path, to)),
    );
    expect(faults.filter(Boolean)).toEqual([]);
  });

  test("the rule itself catches an arrow up and one sideways", () => {
    expect(fault("src/kernel/text/printable.ts", "src/job/end/reap.ts")).toContain("up");
    expect(fault("src/runtime/self.ts", "src/kernel/text/printable.ts")).toContain("up");
    expect(fault("src/web/start.ts", "src/job/end/reap.ts")).toContain("sideways");
    expect(fault("src/job/end/reap.ts", "src/kernel/text/printable.ts")).toBeUndefined();
  });

  test("only runtime/ names Bun or Deno", () => {
    const naming = files.filter(
      (file) =>
        !file.path.startsWith("src/runtime/") &&
        /\b(Bun|Deno)\s*[.?]|["']bun:/.test(withoutComments(file.text)),
    );
    expect(naming.map((file) => file.path)).toEqual([]);
  });

  test("git is called in one place", () => {
    const callers = files.filter(({ text }) =>
      /\b(spawn|spawnSync|execFile|execFileSync)\(\s*\[?\s*["'`]git\b/.test(text),
    );
    expect(callers.map((file) => file.path)).toEqual([]);
    const finders = files.filter(({ text }) => /findExecutable\(\s*["'`]git\b/.test(text));
    // The other two only say whether it is there.
    expect(finders.map((file) => file.path).sort()).toEqual([
      "src/demo/demo.ts",
      "src/doctor/checks/git.ts",
      "src/kernel/repository/git.ts",
    ]);
  });

  test("rooms never read process.env, argv, cwd or the streams, nor use console", () => {
    const pattern = /\bprocess\.(env|argv|argv0|cwd|exit|exitCode|stdout|stderr|stdin)\b|\bconsole\./;
    const readers = files.filter(({ path, text }) => {
      const allowed = /^src\/(cli|runtime|kernel)\//.test(path) || path === "src/main.ts" || BARE.test(path);
      return !allowed && pattern.test(withoutComments(text));
    });
    expect(readers.map((file) => file.path)).toEqual([]);
  });

  test("what looks at paths, reads JSON objects, shows foreign text and runs programs is written once", () => {
    const once = ["kernel/files/look.ts", "kernel/text/json.ts", "kernel/text/printable.ts"].flatMap((name) =>
      [...files.find(({ path }) => path === `src/${name}`)!.text.matchAll(/^export function (\w+)/gm)].map(
        ([, declared]) => ({ name: declared!, home: `src/${name}` }),
      ),
    );
    const again = files
      .filter(({ path }) => !path.startsWith("src/overlay/"))
      .flatMap(({ path, text }) =>
        once
          .filter(({ name, home }) => path !== home && new RegExp(`\\bfunction ${name}\\(`).test(text))
          .map(({ name }) => `${path}: ${name}`),
      );
    expect(again).toEqual([]);
    const starting = files.filter(({ path, imports }) =>
      imports.some(({ to }) => to === "node:child_process" && !path.startsWith("src/runtime/")),
    );
    // The launchers are scripts of their own, which it writes.
    expect(starting.map(({ path }) => path)).toEqual(["src/cli/link/launchers.ts"]);
  });

  test("no room knows another's files by name", () => {
    const rooms = new Map<string, Set<string>>();
    for (const { path, text } of files) {
      const { layer, room } = place(path);
      if (layer !== "room") continue;
      for (const [, name] of withoutComments(text).matchAll(
        /(?:["'`]|\}\/)([\w.-]*\w\.(?:jsonl?|lock|log|pid))["'`]/g,
      ))
        rooms.set(name!, (rooms.get(name!) ?? new Set()).add(room));
    }
    const shared = [...rooms].filter(([, naming]) => naming.size > 1);
    expect(shared.map(([name, naming]) => [name, ...naming])).toEqual([]);
  });

  test("no top-level await outside main.ts", () => {
    const waiting = files.filter(
      (file) => file.path !== "src/main.ts" && /^(const .*= )?await /m.test(file.text),
    );
    expect(waiting.map((file) => file.path)).toEqual([]);
  });

  test("every source file has a room for its tests' names: no default export but a command or a room", () => {
    const exporting = files.filter(
      (file) => /^export default/m.test(file.text) && !/\/(command|room)\.ts$/.test(file.path),
    );
    expect(exporting.map((file) => file.path)).toEqual([]);
  });
});
