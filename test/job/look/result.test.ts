import { closeSync, openSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../../support/paths.ts";
import { runJig } from "../../support/run.ts";
import { jobs } from "../support.ts";

describe("result", () => {
  test("jobs-29 an absent artifact is explained by its job; a symlink is refused", async () => {
    const job = jobs();
    const failed = await job.start(["sh", "-c", "exit 7"]);
    await job.settled(failed);
    const running = await job.start(["sleep", "30"]);
    const none = await job.jig(["result"]);
    expect(none).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "jig job: result needs a job id or --path FILE\n",
    });
    expect((await job.jig(["result", "--path", ""])).code).toBe(2);

    const missing = join(job.work, "missing");
    const line = `jig job: no artifact at ${missing}\n`;
    expect(await job.jig(["result", "--path", "missing"])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: line,
    });
    expect(await job.jig(["result", "--path", missing, running])).toMatchObject({
      code: 2,
      stderr: `${line}jig job: job ${running} is still running\n`,
    });
    expect(await job.jig(["result", "--path", missing, failed])).toMatchObject({
      code: 3,
      stderr: `${line}jig job: job ${failed}: failed (worker exited 7)\n`,
    });
    expect(await job.jig(["result", "--path", missing, "nosuch"])).toMatchObject({
      code: 1,
      stderr: `${line}jig job: job not found under ${job.root}: nosuch\n`,
    });
    writeFileSync(join(job.directory(failed), "status"), "x");
    expect(await job.jig(["result", "--path", missing, failed])).toMatchObject({
      code: 4,
      stderr: `${line}jig job: job state unreadable (ownership or corruption): ${job.directory(failed)}\n`,
    });

    writeFileSync(join(job.work, "own"), "text");
    const link = join(job.work, "link");
    symlinkSync(join(job.work, "own"), link);
    expect(await job.jig(["result", "--path", link])).toMatchObject({
      code: 4,
      stdout: "",
      stderr: `jig job: refused to read ${link}: is a symlink\n`,
    });
    expect((await job.jig(["result", "--path", job.work])).stderr).toBe(
      `jig job: unreadable: ${job.work}: is not a regular file\n`,
    );
    await job.reap(running);
  });

  test("jobs-30 bytes arrive as they are, and all of them", async () => {
    const job = jobs();
    const odd = Buffer.from("a\r\nb\x1ac\n");
    writeFileSync(join(job.work, "odd"), odd);
    expect((await job.jig(["result", "--path", "odd"])).bytes).toEqual(odd);
    const large = Buffer.alloc(3 << 20, "0123456789abcdef\n");
    writeFileSync(join(job.work, "large"), large);
    expect((await job.jig(["result", "--path", "large"])).bytes.equals(large)).toBe(true);
    const capped = await job.jig(["result", "--path", "large"], {
      env: { CE_PEER_RESULT_MAX_BYTES: "1000" },
    });
    expect(capped).toMatchObject({ code: 4, stdout: "" });
  });

  test("a cap larger than memory is no reason to read the file into it", async () => {
    const job = jobs();
    const sparse = join(job.work, "sparse");
    closeSync(openSync(sparse, "w"));
    truncateSync(sparse, 2 ** 40);
    const env = { ...job.env, CE_PEER_RESULT_MAX_BYTES: "99999999999999" };
    // A terabyte by its size: what is wanted of it arrives, in the memory of a small call.
    const id = await job.start(["sh", "-c", "truncate -s 1T F"], ["--result-path", "F"], env);
    expect(await job.settled(id)).toBe("done");
    for (const words of [`--path ${sparse}`, id]) {
      const script = `${JIG} job result ${words} | head -c 50000000 | wc -c`;
      const run = await runJig(["-c", script], { program: "/bin/sh", cwd: job.work, env });
      expect(run).toMatchObject({ code: 0, stdout: "50000000\n", stderr: "" });
    }
    const large = Buffer.alloc(20 << 20, "0123456789abcdef\n");
    writeFileSync(join(job.work, "large"), large);
    expect((await job.jig(["result", "--path", "large"], { env })).bytes.equals(large)).toBe(true);
    const capped = await job.jig(["result", "--path", sparse]);
    expect(capped).toMatchObject({
      code: 4,
      stdout: "",
      stderr: `jig job: unreadable: ${sparse}: is too large (1099511627776 > 5242880 bytes)\n`,
    });
  });

  test("of a job: running, nothing declared, absent, refused, without metadata", async () => {
    const job = jobs();
    const running = await job.start(["sleep", "30"]);
    expect(await job.jig(["result", running])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "jig job: running\n",
    });
    await job.reap(running);

    const plain = await job.start(["true"]);
    await job.settled(plain);
    const nothing = `jig job: job declared no result path; nothing to emit\nhint: jig job logs ${plain} prints what it wrote\n`;
    expect(await job.jig(["result", plain])).toMatchObject({ code: 0, stdout: "", stderr: nothing });

    const id = await job.start(["sh", "-c", "echo x > F"], ["--result-path", "F"]);
    await job.settled(id);
    const result = join(job.work, "F");
    rmSync(result);
    const gone = `jig job: result missing or unreadable: ${result}: no such file or directory\n`;
    expect(await job.jig(["result", id])).toMatchObject({ code: 3, stdout: "", stderr: gone });
    symlinkSync("/etc/passwd", result);
    const link = `jig job: unreadable: ${result}: is a symlink\n`;
    expect(await job.jig(["result", id])).toMatchObject({ code: 4, stdout: "", stderr: link });

    const meta = join(job.directory(id), "meta.json");
    writeFileSync(meta, "[]");
    expect((await job.jig(["result", id])).stderr).toBe(
      `jig job: cannot read job metadata: ${meta}: not a JSON object\n`,
    );
    rmSync(meta);
    expect(await job.jig(["result", id])).toMatchObject({ code: 4, stdout: "" });
    symlinkSync("/etc/passwd", meta);
    expect(await job.jig(["result", id])).toMatchObject({
      code: 4,
      stderr: `jig job: unreadable: ${meta}: is a symlink\n`,
    });
    expect(await job.jig(["result", "--json", id])).toMatchObject({ code: 2, stdout: "" });
  });
});
