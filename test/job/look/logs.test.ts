import { appendFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jobLogs, tailStart } from "../../../src/job/look/logs.ts";
import { testHost } from "../../support/host.ts";
import { JIG } from "../../support/paths.ts";
import { catches, runJig, startJig, until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { jobs, killSupervisor, makeDirectory } from "../support.ts";

const FLAGS = {
  skill: undefined,
  follow: false,
  tail: undefined,
  all: false,
  "max-secs": undefined,
  raw: false,
};

/** `job logs` on a settled job made of files, with a given log; what it wrote, said and returned. */
async function logs(
  log: string | Uint8Array,
  flags: Partial<typeof FLAGS> | Record<string, unknown> = {},
  isTerminal = false,
) {
  const directory = makeDirectory(join(tempDir(), "jobs", "id"));
  writeFileSync(join(directory, "out.log"), log);
  writeFileSync(join(directory, "status"), "done\n");
  const host = testHost({ prefix: "jig job: " });
  const parts: Buffer[] = [];
  const code = await jobLogs(
    host,
    { positionals: [directory], flags: { ...FLAGS, ...flags } as typeof FLAGS },
    {
      write: (chunk) => void parts.push(Buffer.from(chunk as string)),
      terminal: { isTerminal, width: 80, colour: false },
    },
  );
  return {
    code,
    out: Buffer.concat(parts).toString(),
    pieces: parts.map((part) => part.length),
    said: host.errors.join(""),
  };
}

describe("logs", () => {
  test("jobs-39 the last lines; following to the end; a planted link; no log", async () => {
    const job = jobs();
    const worker = "for i in 1 2 3; do echo line $i; done; until [ -e go ]; do sleep 0.05; done; echo line 4";
    const id = await job.start(["sh", "-c", worker]);
    const follow = startJig(["job", "logs", "-f", "--max-secs", "20", id], { env: job.env });
    let [out, said] = ["", ""];
    follow.stdout!.on("data", (chunk) => {
      out += chunk;
    });
    follow.stderr!.on("data", (chunk) => {
      said += chunk;
    });
    await until("what is there, while the job runs", () => out === "line 1\nline 2\nline 3\n");
    writeFileSync(join(job.work, "go"), "");
    const code = await new Promise((resolve) => follow.on("close", resolve));
    expect({ code, said }).toEqual({ code: 0, said: `jig job: job ${id}: done (worker exited 0)\n` });
    expect(out).toBe("line 1\nline 2\nline 3\nline 4\n");
    expect(await job.jig(["logs", "--tail", "2", id])).toMatchObject({
      code: 0,
      stdout: "line 3\nline 4\n",
      stderr: "",
    });

    rmSync(join(job.directory(id), "out.log"));
    symlinkSync("/etc/passwd", join(job.directory(id), "out.log"));
    expect(await job.jig(["logs", id])).toMatchObject({ code: 4, stdout: "" });
    expect(await job.jig(["logs", "-f", id])).toMatchObject({ code: 4, stdout: "" });

    await job.jig(["start", "--skill", "s", "--run-id", "never", "--", "/nonexistent"]);
    const [never] = JSON.parse((await job.jig(["list", "--run-id", "never", "--json"])).stdout);
    expect(await job.jig(["logs", never.job_id])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: `jig job: job ${never.job_id} has no log (never-started)\n`,
    });
  });

  test("following ends at its time; an interrupt and a closed pipe leave the job alone", async () => {
    const job = jobs();
    const id = await job.start(["sh", "-c", "while :; do echo tick; sleep 0.05; done"]);
    const once = await job.jig(["logs", "-f", "--max-secs", "0", "--tail", "0", id]);
    expect(once).toMatchObject({ code: 0, stderr: `jig job: job ${id} is still running\n` });

    const follow = startJig(["job", "logs", "-f", id], { env: job.env });
    let said = "";
    follow.stderr!.on("data", (chunk) => {
      said += chunk;
    });
    await new Promise((resolve) => follow.stdout!.once("data", resolve));
    await catches(follow.pid!, "SIGINT");
    follow.kill("SIGINT");
    expect(await new Promise((resolve) => follow.on("close", resolve))).toBe(130);
    expect(said).toBe(`jig job: stopped following; job ${id} continues\n`);

    const piped = await runJig(["-c", `'${JIG}' job logs -f --all ${id} | head -1`], {
      program: "bash",
      env: job.env,
    });
    expect(piped).toMatchObject({ code: 0, stdout: "tick\n", stderr: "" });
    expect(await job.status(id)).toBe("running");
    await job.reap(id);
  });

  test("a job without a supervisor is said once while following", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "30"]);
    await killSupervisor(job, id);
    const run = await job.jig(["logs", "-f", "--max-secs", "0.6", id]);
    expect(run.stderr).toBe(
      `jig job: job ${id}: supervisor is gone; reap it to settle it\njig job: job ${id} is still running\n`,
    );
    await job.reap(id);
  });

  test("a log that shrinks is followed from its new end", async () => {
    const job = jobs();
    const id = await job.start(["sleep", "30"]);
    const log = join(job.directory(id), "out.log");
    appendFileSync(log, "old old old\n");
    const follow = startJig(["job", "logs", "-f", "--max-secs", "20", id], { env: job.env });
    const closed = new Promise((resolve) => follow.on("close", resolve));
    let out = "";
    follow.stdout!.on("data", (chunk) => {
      out += chunk;
    });
    await until("the first bytes", () => out !== "");
    truncateSync(log, 0);
    // What is written before it looks again lies before the new end.
    await until("the new line", () => {
      appendFileSync(log, "new\n");
      return out.endsWith("new\n");
    });
    await job.reap(id);
    expect(await closed).toBe(0);
    expect(out).toMatch(/^old old old\n(new\n)+$/);
  });

  test("200 lines unless said otherwise; all; none", async () => {
    const text = Array.from({ length: 300 }, (_, index) => `${index}\n`).join("");
    expect((await logs(text)).out.split("\n").length - 1).toBe(200);
    expect((await logs(text, { all: true })).out).toBe(text);
    expect((await logs(text, { tail: 0 })).out).toBe("");
    expect(await logs(text, { tail: 0, follow: true })).toMatchObject({
      out: "",
      said: /* settled */ expect.stringContaining(": done"),
    });
    expect((await logs("no newline at the end", { tail: 1 })).out).toBe("no newline at the end");
  });

  test("a large log goes out in small pieces", async () => {
    const { pieces } = await logs(new Uint8Array(3_000_000).fill(0x61), { all: true });
    expect(Math.max(...pieces)).toBeLessThanOrEqual(65_536);
    expect(pieces.reduce((sum, size) => sum + size, 0)).toBe(3_000_000);
  });

  test("a window too small for the lines asked for is said", async () => {
    const line = `${"x".repeat(99)}\n`;
    const run = await logs(line.repeat(20_000), { tail: 15000 });
    const bytes = Math.floor((1 << 20) / 100) * 100;
    expect(run.said).toBe(`jig job: log truncated: showing the last ${bytes} bytes\n`);
    expect(run.out.length).toBe(bytes);
    const giant = await logs("y".repeat(2_000_000), { tail: 1 });
    expect(giant.out.length).toBe(1 << 20);
    expect(giant.said).toContain("the last 1048576 bytes");
  });

  test("escape sequences reach a terminal only when asked for", async () => {
    const text = "a\u001b[31mb\u0007\n";
    expect((await logs(text, {}, true)).out).toBe("ab\n");
    expect((await logs(text, { raw: true }, true)).out).toBe(text);
    expect((await logs(text)).out).toBe(text);
  });

  test("flags that do not go together are usage errors", async () => {
    for (const flags of [{ all: true, tail: 1 }, { "max-secs": 1 }]) {
      await expect(logs("", flags)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/^usage: jig job logs/),
      });
    }
  });

  test("the tail of a window is its last lines", () => {
    const text = fc.array(fc.constantFrom("a", "\n", "bc"), { maxLength: 40 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.nat(8), (log, lines) => {
        const bytes = new TextEncoder().encode(log);
        const all = log.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const { offset, complete } = tailStart(bytes, lines, true);
        expect(complete).toBe(true);
        expect(new TextDecoder().decode(bytes.subarray(offset))).toBe(
          lines === 0 ? "" : all.slice(-lines).join(""),
        );
      }),
    );
  });
});
