import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { BunPlugin } from "bun";
import { allRooms } from "../src/cli/tree.ts";

/**
 * What most commands load, in one chunk with the command line itself: modules below src/. With splitting, Bun makes
 * one chunk of the modules that the same set of lazily loaded files needs, a dozen small ones for a short command, and
 * each costs it heap and time. Files that all import the same modules share one set.
 */
const FRONT = [
  "cli/main.ts",
  "kernel/call/command.ts",
  "kernel/files/contain.ts",
  "kernel/call/errors.ts",
  "kernel/files/file-io.ts",
  "kernel/files/look.ts",
  "kernel/files/owned-file.ts",
  "kernel/process/descendants.ts",
  "kernel/process/hold.ts",
  "kernel/shared/annotate-wire.ts",
  "kernel/shared/server-pid.ts",
  "kernel/shared/temp-root.ts",
  "kernel/text/bytes.ts",
  "kernel/text/json.ts",
  "kernel/text/nearest.ts",
  "kernel/text/printable.ts",
  "kernel/text/random.ts",
  "kernel/text/time.ts",
  "kernel/text/token.ts",
  "runtime/jit.ts",
];

/** The same for the rooms that name a core. */
const ROOM_CORES = new Map(
  allRooms().map(({ name, core = [] }) => [name, core.map((module) => `${name}/${module}`)]),
);

/** Loaded alone in a process of its own, so it is bundled by itself and shares no chunk (docs/spec/jobs.md section 6). */
const SUPERVISOR = "job/supervise/supervisor.ts";

/** The build plugin that arranges the modules in chunks; the sources stay as they are. */
export async function chunkPlugin(root: string, define: Record<string, string>): Promise<BunPlugin> {
  const source = join(root, "src");
  const lazy = lazilyLoaded(source);
  const supervisor = await bundleAlone(join(source, SUPERVISOR), define);
  return {
    name: "chunks",
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const name = relative(source, path).split(sep).join("/");
        if (name === SUPERVISOR) return { contents: supervisor, loader: "js" };
        const text = readFileSync(path, "utf8");
        if (!lazy.has(path)) return { contents: text, loader: "ts" };
        const shared = [...FRONT, ...(ROOM_CORES.get(name.split("/")[0]!) ?? [])].filter(
          (other) => other !== name,
        );
        const imports = shared.map((other) => `import ${JSON.stringify(join(source, other))};`);
        return { contents: [text, ...imports].join("\n"), loader: "ts" };
      });
    },
  };
}

/** Absolute paths of the modules that some module below a folder loads with `import()`. */
function lazilyLoaded(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
  return new Set(
    files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/import\("(\.[^"]+)"\)/g)].map(([, specifier]) =>
        resolve(dirname(file), specifier!),
      ),
    ),
  );
}

async function bundleAlone(entry: string, define: Record<string, string>): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun", format: "esm", define });
  return await outputs[0]!.text();
}
