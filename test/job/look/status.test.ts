import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readState } from "../../../src/job/record/state.ts";
import { tempDir } from "../../support/temp.ts";
import { jobs } from "../support.ts";

const isRoot = process.geteuid?.() === 0;
const SOMEBODY_ELSE = 65_534;

describe("status", () => {
  test("jobs-3 several refs in their order; one that cannot be found prints nothing", async () => {
    const job = jobs();
    const one = await job.start(["true"]);
    const two = await job.start(["false"]);
    await job.settled(one);
    await job.settled(two);
    expect((await job.jig(["status", two, one])).stdout).toBe(`${two}\tfailed\n${one}\tdone\n`);
    const path = job.directory(one);
    expect((await job.jig(["status", "--json", path, two])).stdout).toBe(
      `[{"ref": "${path}", "job_dir": "${path}", "state": "done"}, ` +
        `{"ref": "${two}", "job_dir": "${job.directory(two)}", "state": "failed"}]\n`,
    );
    const missing = await job.jig(["status", one, "nosuch"]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toBe(`jig job: job not found under ${job.root}: nosuch\n`);
  });

  test("jobs-27 a record that is no terminal word, or no plain file, is unreadable", async () => {
    const job = jobs();
    const id = await job.start(["sh", "-c", "echo secret > F"], ["--result-path", "F"]);
    await job.settled(id);
    const status = join(job.directory(id), "status");
    writeFileSync(join(job.work, "fine"), "done\n");
    for (const damage of [
      () => writeFileSync(status, "bogus"),
      () => writeFileSync(status, ""),
      () => writeFileSync(status, "done".padEnd(300)),
      () => {
        rmSync(status);
        symlinkSync(join(job.work, "fine"), status);
      },
      () => {
        rmSync(status);
        mkdirSync(status);
      },
    ]) {
      damage();
      expect(await job.status(id)).toBe("unreadable");
      const line = `jig job: job state unreadable (ownership or corruption): ${job.directory(id)}\n`;
      expect(await job.jig(["result", id])).toMatchObject({ code: 4, stdout: "", stderr: line });
      const reap = await job.reap(id);
      expect(reap).toMatchObject({ code: 4, stdout: "", stderr: `${line}jig job: reap ${id}: exit 4\n` });
    }
  });

  test.skipIf(!isRoot)(
    "jobs-28 what belongs to somebody else is not read, and no byte of it is shown",
    async () => {
      const job = jobs();
      const id = await job.start(["sh", "-c", "echo secret > F; echo secret"], ["--result-path", "F"]);
      await job.settled(id);
      const result = join(job.work, "F");
      const everything = async () => {
        const outputs = [];
        for (const words of [["status"], ["result"], ["logs"], ["reap"]]) {
          const run = await job.jig([...words, id]);
          outputs.push(run.stdout + run.stderr);
        }
        return outputs.join("");
      };

      chownSync(result, SOMEBODY_ELSE, -1);
      const foreign = await job.jig(["result", id]);
      expect(foreign).toMatchObject({ code: 4, stdout: "" });
      expect(foreign.stderr).toContain(`unreadable: ${result}`);
      expect(await job.status(id)).toBe("done");
      chownSync(result, 0, -1);

      chownSync(join(job.directory(id), "status"), SOMEBODY_ELSE, -1);
      expect(await job.status(id)).toBe("unreadable");
      expect((await job.jig(["result", id])).code).toBe(4);
      chownSync(join(job.directory(id), "status"), 0, -1);

      chownSync(join(job.directory(id), "out.log"), SOMEBODY_ELSE, -1);
      expect(await job.jig(["logs", id])).toMatchObject({ code: 4, stdout: "" });

      chownSync(job.directory(id), SOMEBODY_ELSE, -1);
      expect(await job.status(id)).toBe("unreadable");
      expect(await everything()).not.toContain("secret");
      chownSync(job.directory(id), 0, -1);
    },
  );

  test("jobs-45 a FIFO never hangs a call", async () => {
    const job = jobs();
    const id = await job.start(["true"]);
    await job.settled(id);
    const fifo = join(job.work, "fifo");
    spawnSync("mkfifo", [fifo]);
    expect(await job.jig(["result", "--path", fifo])).toMatchObject({
      code: 4,
      stdout: "",
    });
    rmSync(join(job.directory(id), "status"));
    spawnSync("mkfifo", [join(job.directory(id), "status")]);
    expect((await job.jig(["status", id])).stdout).toBe("unreadable\n");
  });

  test("--details adds what a caller would otherwise read from the files, null where it is not known", async () => {
    const job = jobs();
    const id = await job.start(["false"], ["--label", "l", "--result-path", "F", "--result-max-bytes", "77"]);
    await job.settled(id);
    const details = async (ref: string) =>
      JSON.parse((await job.jig(["status", "--json", "--details", ref])).stdout)[0].details;
    expect(await details(id)).toEqual({
      label: "l",
      started_at: job.meta(id).started_at,
      result_path: join(job.work, "F"),
      result_max: 77,
      reason: "worker exited 1",
      worker_pid: job.pid(id).worker_pid,
    });
    rmSync(join(job.directory(id), "pid"));
    writeFileSync(join(job.directory(id), "meta.json"), "{");
    rmSync(join(job.directory(id), "reason"));
    const nothing = { label: null, started_at: null, result_path: null, result_max: null, reason: null };
    const unknown = { ...nothing, worker_pid: null };
    expect(await details(id)).toEqual(unknown);
    writeFileSync(join(job.directory(id), "status"), "bogus");
    expect(await details(id)).toBeNull();
    const without = await job.jig(["status", "--details", id]);
    expect(without).toMatchObject({ code: 2, stdout: "" });
    expect(without.stderr).toContain("--details needs --json");
  });

  test("a state is read from the files alone, in their order", () => {
    const directory = tempDir();
    const host = { uid: process.geteuid?.() };
    expect(readState(host, directory)).toBe("never-started");
    writeFileSync(join(directory, "pid"), "");
    expect(readState(host, directory)).toBe("running");
    for (const word of ["done", "failed", "timeout", "died-without-result"]) {
      writeFileSync(join(directory, "status"), `  ${word}\n\n`);
      expect(readState(host, directory)).toBe(word);
    }
    writeFileSync(join(directory, "status"), "running");
    expect(readState(host, directory)).toBe("unreadable");
    expect(readState(host, join(directory, "nosuch"))).toBe("unreadable");
    expect(readState({ uid: 12_345 }, directory)).toBe("unreadable");
    const link = join(directory, "link");
    symlinkSync(directory, link);
    expect(readState(host, link)).toBe("unreadable");
  });
});
