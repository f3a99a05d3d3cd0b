import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { BUN, ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { sourceFiles } from "../support/sources.ts";
import { tempDir } from "../support/temp.ts";

const sources = new Map(sourceFiles("src").map((file) => [file.path, file]));

/** What one run loads: source files, packages, and the `node:` modules those files import at once. */
async function loaded(
  words: string[],
  cwd: string,
  env: Record<string, string>,
  more: { stdin?: string } = {},
) {
  const record = join(tempDir(), "modules");
  writeFileSync(record, "");
  const preload = join(ROOT, "test/support/record-modules.ts");
  const run = await runJig(["--preload", preload, join(ROOT, "src/main.ts"), ...words], {
    program: BUN,
    cwd,
    env: { ...env, JIG_TEST_MODULES: record },
    ...more,
  });
  const paths = [...new Set(readFileSync(record, "utf8").trim().split("\n"))].map((path) =>
    relative(ROOT, path),
  );
  // What a room says of itself is data that every call reads (test/house/rooms.test.ts).
  const files = paths.filter((path) => path.startsWith("src/") && !path.endsWith("/room.ts"));
  const packages = paths
    .filter((path) => path.startsWith("node_modules/"))
    .map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)![1]!);
  const builtins = files.flatMap((path) =>
    sources
      .get(path)!
      .imports.filter(
        ({ to, lazy, typeOnly }) => !to.startsWith("src/") && !lazy && !typeOnly && to.startsWith("node:"),
      )
      .map(({ to }) => to),
  );
  return {
    ...run,
    files,
    rooms: [...new Set(files.map((path) => path.split("/")[1]!).filter((name) => !SHARED.has(name)))].sort(),
    packages: [...new Set(packages)].sort(),
    builtins: [...new Set(builtins)].sort(),
  };
}

const SHARED = new Set(["cli", "kernel", "runtime", "main.ts"]);

/** The only `node:` modules a fast command may load; the others cost 6 to 20 ms each. */
const CHEAP = ["node:fs", "node:path"];

/** A host waits for these at every turn. */
const HOOKS = [
  "sessionstart",
  "stop",
  "precompact",
  "pretooluse",
  "posttooluse",
  "subagentstop",
  "taskcompleted",
];

describe("fast commands load only what they need", () => {
  test("no room but their own, no package, no dear node: module", { timeout: 120_000 }, async () => {
    const base = tempDir();
    const project = join(base, "project");
    mkdirSync(project);
    const env = { HOME: join(base, "home"), JIG_TMP_ROOT: base };
    const start = await runJig(["job", "start", "--skill", "s", "--run-id", "r", "--json", "--", "true"], {
      env,
    });
    const { job_id: id } = JSON.parse(start.stdout);
    await runJig(["job", "wait", "--max-secs", "10", id], { env });

    const fast: [words: string[], room: string[]][] = [
      [["job", "status", id], ["job"]],
      [["job", "reap", id], ["job"]],
      [["job", "result", id], ["job"]],
      [["base-dir", "resolve"], ["base-dir"]],
      [["craft", "pipeline-resolve"], ["craft"]],
      [["craft", "policy", "consult", "push", "--effective", "{}"], ["craft"]],
      [["scratch", "s", "r"], ["scratch"]],
      ...HOOKS.map((event): [string[], string[]] => [["flow", "hook", event], ["flow"]]),
      [["version"], []],
      [[], []],
    ];
    for (const [words, rooms] of fast) {
      const found = await loaded(words, project, env);
      const dear = found.builtins.filter((name) => !CHEAP.includes(name));
      const report = { words, code: found.code, rooms: found.rooms, packages: found.packages, dear };
      expect(report).toEqual({ words, code: 0, rooms, packages: [], dear: [] });
    }
  });

  test("a hook loads its own event alone, and nothing of it for a project without state or a call that writes nothing", {
    timeout: 120_000,
  }, async () => {
    const project = tempDir();
    const env = { HOME: tempDir() };
    const flow = async (event: string, payload?: object) => {
      const stdin = payload === undefined ? {} : { stdin: JSON.stringify({ cwd: project, ...payload }) };
      const { code, files } = await loaded(["flow", "hook", event], project, env, stdin);
      expect(code).toBe(0);
      return files
        .filter((path) => path.startsWith("src/flow/hooks/"))
        .map((path) => path.slice("src/flow/hooks/".length));
    };
    const all = ["command.ts", "hook.ts", "payload.ts", "run-hook.ts"];
    expect((await flow("sessionstart")).sort()).toEqual(all);
    const bash = (command: string) => flow("pretooluse", { tool_name: "Bash", tool_input: { command } });
    expect((await bash("git status")).sort()).toEqual([...all, "pre-tool-use.ts", "tools.ts"].sort());
    const writes = await bash("git status > a");
    expect(writes).toContain("shell/read.ts");
    expect(writes).not.toContain("guard/read.ts");
    mkdirSync(join(project, ".craftflow/state"), { recursive: true });
    const stop = await flow("stop");
    expect(stop).toContain("snapshot.ts");
    expect(stop.filter((path) => path.startsWith("guard/"))).toEqual([]);
  });

  test("a job of this machine loads nothing of the engines", { timeout: 60_000 }, async () => {
    const base = tempDir();
    const env = { HOME: join(base, "home"), JIG_TMP_ROOT: base };
    const start = ["job", "start", "--skill", "s", "--run-id", "r", "--json", "--", "sleep", "60"];
    const id = JSON.parse((await runJig(start, { env })).stdout).job_id;
    const calls = [
      start,
      ["job", "status", "--json", id],
      ["job", "wait", "--max-secs", "0", id],
      ["job", "list"],
      ["job", "logs", id],
      ["job", "logs", "-f", "--max-secs", "0", id],
      ["job", "result", id],
      ["job", "reap", id],
    ];
    for (const words of calls) {
      const { files } = await loaded(words, base, env);
      expect(files.length).toBeGreaterThan(3);
      expect([words, files.filter((path) => path.includes("engine"))]).toEqual([words, []]);
    }
    const { stdout } = await runJig(["job", "list", "--state", "running", "--json"], { env });
    for (const { job_id } of JSON.parse(stdout)) await runJig(["job", "reap", job_id], { env });
  });

  test("the supervisor loads its own loop and nothing of the command line", async () => {
    const found = await loaded(["__supervise", "/nowhere"], tempDir(), {});
    expect(found.code).toBe(2);
    expect(found.rooms).toEqual(["job"]);
    expect(found.packages).toEqual([]);
  });

  test("config without a config file reads no YAML", async () => {
    const cwd = tempDir();
    const found = await loaded(["config", "get", "plan_output"], cwd, {});
    expect(found.stdout).toBe("md\n");
    expect(found.packages).not.toContain("yaml");
  });
});
