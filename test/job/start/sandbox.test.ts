import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canMount } from "../../support/disk.ts";
import { makeReadOnly } from "../../support/read-only.ts";
import { runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { jobs } from "../support.ts";

const rootName = `compound-engineering-${process.geteuid?.()}`;
const HINT = "hint: set TMPDIR to a directory you can write\n";

describe.runIf(process.platform !== "win32")("under a sandbox", () => {
  test.runIf(canMount)("jobs-57 a /tmp that is read-only: why, and the way round", async () => {
    for (const isThere of [false, true]) {
      const tmp = tempDir();
      if (isThere) mkdirSync(join(tmp, rootName), { mode: 0o700 });
      makeReadOnly(tmp);
      const env = { JIG_TMP_ROOT: tmp };
      for (const words of [
        ["job", "start", "--", "true"],
        ["scratch", "s", "r"],
      ]) {
        const run = await runJig(words, { env });
        expect([run.code, run.stdout]).toEqual([1, ""]);
        const why = isThere ? "cannot write in" : "cannot create";
        const said = `jig ${words[0]}: ${why} ${join(tmp, rootName)}: read-only file system\n${HINT}`;
        expect(run.stderr).toBe(said);
      }
      expect((await runJig(["job", "root"], { env })).stderr).toContain(HINT);
      // The way round works.
      const TMPDIR = tempDir();
      const round = await runJig(["scratch", "s", "r"], { env: { ...env, TMPDIR } });
      expect([round.code, round.stdout]).toEqual([0, `${join(TMPDIR, rootName, "s/r")}\n`]);
    }
  });

  test("a parent that takes no directory, without a mount", async () => {
    const tmp = join(tempDir(), "absent");
    const run = await runJig(["job", "start", "--", "true"], { env: { JIG_TMP_ROOT: tmp } });
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toBe(
      `jig job: cannot create ${join(tmp, rootName)}: parent directory does not exist\n${HINT}`,
    );
  });

  test("what was planted at the last choice is not gone round", async () => {
    const tmp = tempDir();
    writeFileSync(join(tmp, rootName), "");
    const run = await runJig(["job", "start", "--", "true"], { env: { JIG_TMP_ROOT: tmp } });
    expect(run.stderr).toContain("not a real directory (symlink or file planted?)");
    expect(run.stderr).not.toContain("hint:");
  });

  test("jobs-58 a job below another's TMPDIR: start says its directory, who does not find it says what was left out", async () => {
    const job = jobs({ CE_PEER_JOBS_ROOT: undefined });
    const [tmp, aside] = [join(job.work, "tmp"), join(job.work, "aside")];
    for (const path of [tmp, aside]) mkdirSync(path);
    const inside = { JIG_TMP_ROOT: tmp, TMPDIR: aside };
    const outside = { JIG_TMP_ROOT: tmp, TMPDIR: undefined };
    // What a sandbox does to a first choice; root would pass a mode.
    writeFileSync(join(tmp, rootName), "occupied");
    const start = await job.jig(["start", "--", "true"], { env: inside });
    const id = start.stdout.trim();
    const directory = /another TMPDIR names the job by its directory, (.*)\n$/.exec(start.stderr)?.[1];
    expect(start.stderr).toMatch(`note: ${join(tmp, rootName)} takes no job here; `);
    expect(directory).toContain(join(aside, rootName));
    await job.jig(["wait", id], { env: inside });

    const lost = await job.jig(["status", id], { env: outside });
    expect([lost.code, lost.stdout]).toEqual([1, ""]);
    const left =
      "jobs started with another TMPDIR are below that one: call with the same, or name the job by its directory";
    expect(lost.stderr).toBe(`jig job: job not found under ${join(tmp, rootName)}: ${id}\nhint: ${left}\n`);
    expect((await job.jig(["status", directory!], { env: outside })).stdout).toBe("done\n");
    const list = await job.jig(["list", "--json"], { env: outside });
    expect([list.code, list.stdout]).toEqual([0, "[]\n"]);
    expect(list.stderr).toBe(`jig job: no such job under ${join(tmp, rootName)}; ${left}\n`);
    // Nothing is said where nothing was left out: one is found, or the root was given.
    expect((await job.jig(["list", "--json"], { env: inside })).stderr).toBe("");
    const given = join(job.work, "given");
    mkdirSync(given);
    chmodSync(given, 0o700);
    expect((await job.jig(["list"], { env: { ...outside, CE_PEER_JOBS_ROOT: given } })).stderr).toBe("");
    // Upstream's callers get upstream's words.
    const upstream = await runJig(["--as", "peer-job-runner.py", "status", id], {
      env: { ...job.env, ...outside },
    });
    expect(upstream.stderr).toBe(`peer-job-runner: job not found under ${join(tmp, rootName)}: ${id}\n`);
  });
});
