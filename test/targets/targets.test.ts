import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunOptions, until } from "../support/run.ts";
import { makeTempDir, removeDir } from "../support/temp.ts";
import { built, isForeign, runTarget, type Target, whyNot } from "./support/target.ts";

/** What the other tests do not run anyway. The Windows build has its own (test/windows). */
const ASSETS = [
  ...(process.platform === "linux" && process.arch === "x64"
    ? []
    : [`jig-${process.platform}-${process.arch}`]),
  "jig-linux-x64-baseline",
  "jig-linux-x64-musl",
  "jig-linux-arm64",
  "jig-linux-arm64-musl",
];

for (const asset of new Set(ASSETS)) {
  const problem = whyNot(asset);
  const title = problem === undefined ? asset : `${asset} (${problem})`;
  describe.skipIf(problem !== undefined)(title, () => {
    const target: Target = { asset, isEmulated: isForeign(asset) };
    let directory: string;
    let program: string;

    beforeAll(async () => {
      directory = makeTempDir("jig-target-");
      program = await built(target, directory);
    });
    afterAll(() => removeDir(directory));

    const jig = (words: readonly string[], options: RunOptions = {}) =>
      runTarget(target, program, words, {
        cwd: directory,
        timeout: 60_000,
        ...options,
        env: { JIG_TMP_ROOT: directory, ...options.env },
      });
    const start = async (words: readonly string[], flags: readonly string[] = []) => {
      const started = await jig(["job", "start", "--skill", "s", "--run-id", "r", ...flags, "--", ...words]);
      expect(started).toMatchObject({ code: 0, stderr: "" });
      return started.stdout.trim();
    };

    test("says what it is", async () => {
      const [system, processor] = asset.replace("jig-", "").split("-");
      const version = await jig(["version"]);
      expect(version).toMatchObject({ code: 0, stderr: "" });
      expect(version.stdout).toContain(`(${system}-${processor}`);
    });

    test("a job outlives its start, ends with its result, or is reaped with all that it started", async () => {
      const result = join(directory, "result");
      const done = await start(
        ["/bin/sh", "-c", `sleep 1; echo '{"a":1}' > '${result}'`],
        ["--result-path", result],
      );
      const failed = await start(["/bin/sh", "-c", "echo no >&2; exit 3"]);
      const note = join(directory, "pids");
      const hung = await start(["/bin/sh", "-c", `sleep 60 & echo $$ $! > '${note}'; wait`]);
      const waited = await jig(["job", "wait", done, failed]);
      expect(waited.stdout).toBe(`${done}\tdone\n${failed}\tfailed\n`);
      expect(await jig(["job", "result", done])).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
      expect((await jig(["job", "logs", failed])).stdout).toBe("no\n");
      await until("the worker", () => existsSync(note) && readFileSync(note, "utf8").endsWith("\n"));
      expect(await jig(["job", "status", hung])).toMatchObject({ stdout: "running\n" });
      expect(await jig(["job", "reap", hung])).toMatchObject({ code: 0 });
      // qemu tells the program it runs a start time of its own, a little off: then the supervisor is not known again, and
      // reap ends the job itself.
      const ends = ["timeout\n", ...(target.isEmulated ? ["died-without-result\n"] : [])];
      expect(ends).toContain((await jig(["job", "status", hung])).stdout);
      for (const pid of readFileSync(note, "utf8").trim().split(" "))
        await until(`the end of ${pid}`, () => !isAlive(Number(pid)));
    });

    test("a screen is served, and no longer once it is stopped", async () => {
      const root = join(directory, "web");
      mkdirSync(join(root, "screens"), { recursive: true });
      writeFileSync(join(root, "screens/a.html"), "<h1>here</h1>");
      const started = JSON.parse((await jig(["web", "start", "--root", root, "--owner-pid", "none"])).stdout);
      try {
        expect(started).toMatchObject({ status: "started" });
        const page = await fetch(`http://127.0.0.1:${started.port}/`);
        expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<h1>here</h1>")]);
        // As above: under qemu it may be taken for another process of that number, which is left alone.
        if (!target.isEmulated)
          expect(JSON.parse((await jig(["web", "stop", "--root", root])).stdout).status).toBe("stopped");
      } finally {
        if (isAlive(started.pid)) process.kill(started.pid);
      }
      await until("the server's end", () => !isAlive(started.pid));
    });

    test("skills are installed, known again and taken away", async () => {
      const skills = (verb: string, ...words: string[]) =>
        jig(["skills", verb, ...words, "--dir", join(directory, "skills")], { env: { HOME: directory } });
      expect((await skills("install", "jig-jobs")).stdout).toMatch(/^installed\tjig-jobs\t/);
      expect((await skills("list", "--installed")).stdout).toMatch(/^current\tjig-jobs\t/);
      expect((await skills("uninstall", "jig-jobs")).stdout).toMatch(/^removed\tjig-jobs\t/);
      expect(existsSync(join(directory, "skills/jig-jobs"))).toBe(false);
    });

    // It is this processor, and all but the runtime is the same: the other tests have run the demo.
    test.skipIf(asset.endsWith("-baseline"))("the demo goes through", { timeout: 180_000 }, async () => {
      const demo = await jig(["demo", "--no-open"], { timeout: 170_000, env: { HOME: directory } });
      expect([demo.code, demo.stdout]).toEqual([0, expect.stringMatching(/^7 of 7 steps in /m)]);
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
