import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adapterArgv, grantedDirectory } from "../../../src/elevate/call/adapter.ts";
import { testHost } from "../../support/host.ts";
import { tempDir } from "../../support/temp.ts";
import { event, say, world } from "../fixture.ts";

const NUL = "\u0000";

test("elevate-1 the adapter's words, each ended by NUL, without claude installed", async () => {
  const w = world();
  const run = await w.run(["elevate", "--emit-adapter", "fable", "/x/y"]);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  const words = run.stdout.split(NUL);
  expect(words.pop()).toBe("");
  expect(words).toEqual([
    ..."claude -p --model fable --effort high --output-format stream-json --verbose --safe-mode".split(" "),
    ..."--no-session-persistence --disable-slash-commands --strict-mcp-config".split(" "),
    ..."--permission-mode dontAsk --add-dir /x/y --tools Read,Glob,Grep,WebSearch,WebFetch".split(" "),
    ..."--allowedTools Read Glob Grep WebSearch WebFetch --max-turns 30".split(" "),
  ]);
  expect(words).toHaveLength(27);
});

test("elevate-2 without a directory, other turns, no model", async () => {
  const w = world();
  const emit = (words: string[], env = {}) => w.run(["elevate", "--emit-adapter", ...words], { env });
  const plain = (await emit(["opus"])).stdout.split(NUL).slice(0, -1);
  expect(plain).toHaveLength(25);
  expect(plain).not.toContain("--add-dir");
  expect((await emit(["opus"], { ELEVATION_MAX_TURNS: "7" })).stdout.split(NUL).at(-2)).toBe("7");
  for (const bad of ["abc", "0", "-3", "", "1.5"]) {
    expect((await emit(["opus"], { ELEVATION_MAX_TURNS: bad })).stdout.split(NUL).at(-2)).toBe("30");
  }
  for (const words of [[], [""]]) {
    const missing = await emit(words);
    expect([missing.code, missing.stdout]).toEqual([2, ""]);
    expect(missing.stderr).toBe("[elevation] --emit-adapter requires <model>\n");
  }
  expect((await emit(["opus", "/x", "more"])).code).toBe(2);
});

test("no word ever asks for more than reading", () => {
  const argv = adapterArgv("opus", "/x", {}).join(" ");
  for (const forbidden of [
    "skip-permissions",
    "yolo",
    "force",
    "disallowed",
    "Edit",
    "Write",
    "Bash",
    "Task",
  ]) {
    expect(argv).not.toContain(forbidden);
  }
});

test("elevate-5 the call gets the prompt on stdin and its directory once, however it is named", async () => {
  const w = world();
  w.stub(
    `for word in "$@"; do printf '%s\\n' "$word"; done > "$NOTES/argv"; cat > "$NOTES/stdin"; ${say(event("x"))}`,
  );
  for (const cwd of [w.root, w.handOff]) {
    const brief = cwd === w.handOff ? "brief.md" : w.brief;
    expect((await w.run(["elevate", "fable", brief, w.result], { cwd })).code).toBe(0);
    const argv = w.note("argv").split("\n");
    expect(argv.filter((word) => word === "--add-dir")).toHaveLength(1);
    expect(argv[argv.indexOf("--add-dir") + 1]).toBe(w.handOff);
    expect(argv).not.toContain("/tmp");
    expect(argv.join(" ")).not.toContain("the brief");
    expect(w.note("stdin")).toBe("the brief\n");
  }
});

test("elevate-28 a temp root, the home directory or the root is never granted", async () => {
  const w = world();
  w.stub(`for word in "$@"; do printf '%s\\n' "$word"; done > "$NOTES/argv"; ${say(event("x"))}`);
  const env = { TMPDIR: w.handOff };
  const run = await w.run(["elevate", "fable", w.brief, w.result], { env });
  expect(run.code).toBe(0);
  expect(w.note("argv")).not.toContain("--add-dir");
  expect(run.stderr).toMatch(/^\[elevation\] .*cannot be read$/m);
  expect(w.envelope()).toMatchObject({ status: "ok" });
});

test("the exceptions are compared by real path", () => {
  const directory = tempDir();
  mkdirSync(join(directory, "real"));
  symlinkSync("real", join(directory, "link"));
  const host = testHost({ cwd: directory, env: { TMPDIR: join(directory, "link") }, home: "/home/x" });
  expect(grantedDirectory(host, "real/brief.md")).toBeUndefined();
  expect(grantedDirectory(host, "/brief.md")).toBeUndefined();
  expect(grantedDirectory(host, "/tmp/brief.md")).toBeUndefined();
  expect(grantedDirectory(host, "/home/x/brief.md")).toBeUndefined();
  expect(grantedDirectory(host, "/home/x/y/brief.md")).toBe("/home/x/y");
  // A home or a temp root that cannot be looked at keeps nobody from running.
  symlinkSync("loop", join(directory, "loop"));
  const closed = testHost({ cwd: directory, env: { TMPDIR: "loop" }, home: join(directory, "loop/x") });
  expect(grantedDirectory(closed, "real/brief.md")).toBe(join(directory, "real"));
});

test("elevate-3 what is wrong with the words, before anything is touched", async () => {
  const w = world();
  w.stub(say(event("x")));
  const fail = async (words: string[], code: number, text: string) => {
    const run = await w.run(["elevate", ...words]);
    expect([words, run.code, run.stdout]).toEqual([words, code, ""]);
    expect(run.stderr).toContain(text);
    for (const line of run.stderr.trimEnd().split("\n")) expect(line).toMatch(/^\[elevation\] /);
    expect(w.hasEnvelope()).toBe(false);
  };
  await fail([], 1, "model required");
  await fail(["", w.brief, w.result], 1, "model required");
  await fail(["fable"], 1, "prompt-file required");
  await fail(["fable", w.brief, ""], 1, "result-path required");
  await fail(["fable", join(w.handOff, "no.md"), w.result], 2, "prompt file not found: ");
  await fail(["fable", w.handOff, w.result], 2, "prompt file not found: ");
  await fail(["-x", w.brief, w.result], 2, "invalid model: '-x'");
  await fail(["--", "-x", w.brief, w.result], 2, "invalid model: '-x'");
  for (const model of ["a b", "a\tb", "a\u0007", "m".repeat(201)]) {
    await fail([model, w.brief, w.result], 2, "invalid model: '");
  }
  await fail(["fable", w.brief, w.result, "more"], 2, "more");
  await fail(["fable", w.brief, w.result, "--retried"], 2, "--retried");
  await fail(["--start", "--verdict", "x"], 2, "cannot be combined");
  await fail(["fable", "--emit-adapter"], 2, "--emit-adapter must be the first argument");
  await fail([w.brief, "--verdict"], 2, "--verdict must be the first argument");
});

test("elevate-14 no call is made whose result cannot be kept", async () => {
  const w = world();
  w.stub(`touch "$NOTES/called"; ${say(event("x"))}`);
  const file = join(w.root, "file");
  writeFileSync(file, "");
  const fifo = join(w.root, "fifo");
  execFileSync("mkfifo", [fifo]);
  const refused = [join(w.root, "missing/r.json"), join(file, "r.json"), w.handOff, fifo, w.brief];
  for (const result of refused) {
    const run = await w.run(["elevate", "fable", w.brief, result]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`[elevation] cannot write result to ${result}: `);
  }
  expect(existsSync(join(w.root, "called"))).toBe(false);
  expect(lstatSync(fifo).isFIFO()).toBe(true);
  expect(readFileSync(w.brief, "utf8")).toBe("the brief\n");
  rmSync(file);
});

test("help goes to stdout", async () => {
  const w = world();
  for (const flag of ["--help", "-h"]) {
    const run = await w.run(["elevate", flag]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("--emit-adapter");
  }
});
