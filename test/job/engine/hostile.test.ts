/** The other machine as an enemy: what it says, how it says it, and when (docs/spec/engines.md section 4). */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canMount, smallDisk } from "../../support/disk.ts";
import type { RunOutput } from "../../support/run.ts";
import { contentOf, type Jobs, jobs } from "../support.ts";
import { fakeSlurm } from "./fake-slurm.ts";
import { type FakeSsh, fakeSsh } from "./fake-ssh.ts";

interface HostileJobs extends Jobs {
  ssh: FakeSsh;
  startOn(argv: readonly string[], flags?: readonly string[], dest?: string): Promise<RunOutput>;
  /** Start a worker there that ends at once; wait until it has. */
  ended(argv: readonly string[], flags?: readonly string[]): Promise<string>;
}

function hostileJobs(overrides: Record<string, string | undefined> = {}): HostileJobs {
  const job = jobs(overrides);
  const ssh = fakeSsh(job.work);
  job.env["PATH"] = `${ssh.bin}:${process.env["PATH"]}`;
  const startOn: HostileJobs["startOn"] = (argv, flags = [], dest = "box") =>
    job.jig(["start", "--skill", "s", "--run-id", "r", "--on", `ssh:${dest}`, ...flags, "--", ...argv]);
  return {
    ...job,
    ssh,
    startOn,
    async ended(argv, flags = []) {
      const run = await startOn(argv, flags);
      expect(run).toMatchObject({ code: 0, stderr: "" });
      const id = run.stdout.trim();
      await contentOf(join(ssh.root, "s/r/jobs", id, "status"));
      return id;
    },
  };
}

/** Nothing that a terminal obeys. */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** Case by the verb that jig asks the jig there for; others go to the real one. */
const onVerb = (verb: string, body: string) =>
  `case "$*" in "job ${verb}"*) ${body};; *) exec $REAL "$@";; esac`;

/** A client that answers a question's marks as it likes: `begin` and `end` are the marks. */
const marksIn = (body: string) => `exec python3 -c '
import os, re, sys
script = os.read(0, 1 << 20).decode()
halves = re.findall(r"printf .{1,14} .([0-9a-f]{8}). .([0-9a-f]{24}).", script)
begin, end = "".join(halves[0]), "".join(halves[2])
def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()
${body}
'`;

/** A whole answer to the question for the jig there; both are Python's. */
const replyOf = (path: string, version: string) =>
  `say(f"\\n{begin}\\n" + ${path} + "\\n{\\"version\\":\\"" + ${version} + f"\\"}}\\n{end} 0\\n")`;

describe("another machine that answers", () => {
  test("with what is no list of jobs: one short note each, nothing settled", async () => {
    const job = hostileJobs();
    const id = await job.ended(["true"]);
    const answers = {
      "no JSON": "echo hello",
      "an object": "echo {}",
      "a list of something else": "echo '[1]'",
      "half a list": "printf '[{\"job_id\":'",
      nothing: "exit 0",
      "a hundred thousand brackets": "head -c 100000 /dev/zero | tr '\\0' '['",
      "more than is read": "head -c 20000000 /dev/zero | tr '\\0' ' '",
      "a terminal's commands": "printf '\\033[2J\\033]0;owned\\007\\r\\033[1Aall is well\\n' >&2; exit 1",
      "a megabyte on stderr": "head -c 1000000 /dev/zero | tr '\\0' 'x' >&2; exit 1",
      "an exit code alone": "exit 9",
    };
    for (const [what, body] of Object.entries(answers)) {
      job.ssh.jig(onVerb("list", body));
      const run = await job.jig(["status", "--json", id]);
      expect([what, run.code]).toEqual([what, 0]);
      expect(JSON.parse(run.stdout)[0]).toMatchObject({ state: "running", phase: "unknown" });
      expect(run.stderr).toMatch(/^jig job: box: .{1,520}\n$/);
      expect(run.stderr).toMatch(PLAIN);
      expect(existsSync(join(job.directory(id), ".ended"))).toBe(false);
    }
    job.ssh.jig('exec $REAL "$@"');
    expect(await job.status(id)).toBe("done");
  });

  test.each([
    ["an end without a limit", 'say(f"\\n{begin}\\nx\\n{end} ")\nwhile True: say("0" * 65536)'],
    ["no number as exit code", 'say(f"\\n{begin}\\n/bin/jig\\n{{}}\\n{end} 0x0\\n")'],
    ["a path of a megabyte", replyOf('"/" + "a" * 1000000', '"0.1.0"')],
    ["a version of a megabyte", replyOf('"/bin/jig"', '"1" * 1000000')],
  ])("to the first question with %s: no job, and told at once", async (_what, body) => {
    const job = hostileJobs();
    job.ssh.client(marksIn(body));
    const run = await job.startOn(["true"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(PLAIN);
    expect(run.stderr).toMatch(/no answer\n|there is no jig/);
    const [id] = readdirSync(join(job.root, "s/r/jobs"));
    expect(await job.status(id!)).toBe("never-started");
  });

  test("with a record of its own making: one line, in printable characters, dated between start and now", async () => {
    for (const at of ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"]) {
      const job = hostileJobs();
      const id = await job.ended(["true"]);
      const began = Date.parse(job.meta(id).started_at);
      job.ssh.jig(
        `case "$*" in
"job list"*) printf '[{"job_id":"${id}","state":"failed","ended_at":"${at}","reason":"\\\\u001b[2J\\\\n'
  head -c 1000000 /dev/zero | tr '\\0' x; printf '"}]';;
"job logs"*) printf '\\033[2Jlog';;
esac`,
      );
      expect(await job.jig(["status", id])).toMatchObject({ stdout: "failed\n", stderr: "" });
      expect(job.file(id, "reason").length).toBeLessThanOrEqual(1_000);
      const { mtimeMs } = statSync(join(job.directory(id), "status"));
      expect(mtimeMs).toBeGreaterThanOrEqual(began);
      expect(mtimeMs).toBeLessThanOrEqual(Date.now());
      const list = await job.jig(["list"]);
      expect(list.code).toBe(0);
      expect(list.stdout).toMatch(PLAIN);
    }
  });

  test("with more than the cap, with refusals, or with nothing where the files should be", async () => {
    const job = hostileJobs();
    const there = join(job.ssh.home, "result");
    const flags = ["--result-path", there, "--result-max-bytes", "1000"];
    const id = await job.ended(["sh", "-c", `echo x > ${there}`], flags);
    job.ssh.jig(onVerb("result", "head -c 50000000 /dev/zero"));
    const run = await job.jig(["status", id]);
    expect(run.stdout).toBe("done\n");
    expect(run.stderr).toBe(`jig job: job ${id}: its result stayed on box: it is larger than 1000 bytes\n`);
    expect(readdirSync(job.directory(id)).filter((name) => /^(result|\.tmp-)/.test(name))).toEqual([]);
  });

  test("a start that was ended there, perhaps behind its last step, is not said to have failed", async () => {
    const job = hostileJobs();
    job.ssh.jig('case "$*" in "job start"*) "$REAL" "$@"; kill -9 $$;; *) exec $REAL "$@";; esac');
    const run = await job.startOn(["true"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(job.ssh.jobs()).toEqual([run.stdout.trim()]);
    job.ssh.jig(onVerb("start", "kill -9 $$"));
    const none = await job.startOn(["true"]);
    expect(none.code).toBe(0);
    expect(none.stderr).toContain("the job may run on box");
    expect(await job.settled(run.stdout.trim())).toBe("done");
  });

  test("never, byte by byte, or with noise for ever: all of them side by side cost ten seconds", async () => {
    const job = hostileJobs();
    const slurm = fakeSlurm(job.work);
    job.env["PATH"] = `${slurm.bin}:${job.env["PATH"]}`;
    const ids = [await job.start(["true"], ["--on", "slurm", "--no-sweep"])];
    for (const dest of ["one", "two", "three"]) {
      ids.push((await job.startOn(["true"], ["--no-sweep"], dest)).stdout.trim());
    }
    slurm.program("squeue", "exec sleep 60");
    job.ssh.client(`case "$*" in
*"-- one "*) trap "" TERM; while :; do printf .; printf . >&2; sleep 0.2; done;;
*"-- two "*) exec yes;;
*) exec sleep 60;;
esac`);
    const began = Date.now();
    const run = await job.jig(["status", ...ids]);
    expect(Date.now() - began).toBeLessThan(14_000);
    expect(run.stdout.match(/\trunning/g)).toHaveLength(4);
    expect(run.stderr.trim().split("\n").sort()).toEqual([
      expect.stringMatching(/^jig job: one: \.+$/),
      "jig job: slurm: no answer within 10 s",
      "jig job: three: no answer within 10 s",
      "jig job: two: no answer within 10 s",
    ]);
    job.ssh.client("exit 255");
  });
});

describe("words that reach another machine", () => {
  test("no program gets a destination that is more than one", async () => {
    const job = hostileJobs();
    const id = (await job.startOn(["true"])).stdout.trim();
    const file = JSON.parse(job.file(id, "engine.json"));
    const before = job.ssh.calls();
    for (const dest of [
      "-oProxyCommand=touch X",
      "user@-oProxyCommand=x",
      "ssh://-oProxyCommand=x",
      "ssh://u@-x:22",
      "a b",
      "a\nb",
      "a'b",
      "`touch X`",
      "$(touch X)",
      "a;b",
      "a|b",
      "a\\b",
      "a\u001b[2J",
      "",
      "x".repeat(2_000),
    ]) {
      const run = await job.startOn(["true"], [], dest);
      expect([dest, run.code, run.stdout]).toEqual([dest, 2, ""]);
      expect(run.stderr).toMatch(PLAIN);
      // Nor from a file that says it.
      writeFileSync(join(job.directory(id), "engine.json"), JSON.stringify({ ...file, dest }), {
        mode: 0o600,
      });
      const status = await job.jig(["status", id]);
      expect(status.stdout).toBe("running\n");
      expect(status.stderr).toMatch(PLAIN);
    }
    expect(job.ssh.calls()).toEqual(before);
    expect(readdirSync(join(job.root, "s/r/jobs"))).toEqual([id]);
  });

  test("destinations as ssh takes them go there as they are, behind all options", async () => {
    const job = hostileJobs();
    for (const dest of ["user@host", "ssh://u@h:22", "u@[::1]", "DOM\\u@h", "fe80::1%eth0", "büro"]) {
      expect((await job.startOn(["true"], ["--engine-arg=-F/x y"], dest)).code).toBe(0);
      expect(job.ssh.calls().at(-1)).toMatch(/^-T .* -F\/x y -- \S+ \/bin\/sh$/);
      expect(job.ssh.calls().at(-1)).toContain(` -- ${dest} /bin/sh`);
    }
  });

  test("directories and paths there are one word each, whatever is in them", async () => {
    const job = hostileJobs();
    const trap = join(job.work, "X");
    for (const name of [`a b's "q" $(touch X) ; two\nlines \\ \`id\` *`, "-P"]) {
      const directory = join(job.ssh.home, name);
      mkdirSync(directory);
      const result = join(directory, "result");
      const flags = ["--remote-cwd", name === "-P" ? name : directory, "--result-path", result];
      const id = await job.ended(["sh", "-c", "pwd; printf x > result"], flags);
      expect(await job.status(id)).toBe("done");
      expect((await job.jig(["logs", id])).stdout).toBe(`${directory}\n`);
      expect((await job.jig(["result", id])).stdout).toBe("x");
    }
    for (const name of [`$(touch ${trap})`, `'; touch ${trap}; '`, `x\ntouch ${trap}`]) {
      expect((await job.startOn(["true"], ["--remote-jig", name])).code).toBe(1);
      expect((await job.startOn(["true"], ["--remote-cwd", name])).code).toBe(1);
    }
    expect(existsSync(trap)).toBe(false);
    expect(existsSync(join(job.ssh.home, "X"))).toBe(false);
  });

  test("more of them than its file may hold is refused before anything is made", async () => {
    const job = hostileJobs();
    const run = await job.startOn(["true"], [`--engine-arg=-F${"x".repeat(60_000)}`]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("--engine-arg");
    expect(existsSync(job.root)).toBe(false);
  });
});

describe("what breaks on the way", () => {
  test("a connection dropped in the middle of a result: nothing half is here, and the next look brings it whole", async () => {
    const job = hostileJobs();
    const there = join(job.ssh.home, "result");
    const id = await job.ended(
      ["sh", "-c", `head -c 3000000 /dev/urandom > ${there}`],
      ["--result-path", there],
    );
    job.ssh.jig(onVerb("result", "head -c 1500000 " + there + "; kill -9 $PPID"));
    const cut = await job.jig(["status", id]);
    expect(cut).toMatchObject({ code: 0, stdout: "running\n" });
    expect(readdirSync(job.directory(id)).filter((name) => /^(result|status|\.tmp-)/.test(name))).toEqual([]);
    job.ssh.jig(onVerb("logs", "echo half; kill -9 $PPID"));
    expect((await job.jig(["status", id])).stdout).toBe("running\n");
    expect(existsSync(join(job.directory(id), "status"))).toBe(false);
    job.ssh.jig('exec $REAL "$@"');
    expect(await job.status(id)).toBe("done");
    expect(readFileSync(join(job.directory(id), "result")).equals(readFileSync(there))).toBe(true);
  });

  test.skipIf(!canMount)(
    "a full disk there refuses the job; a full disk here leaves it open until there is space",
    async () => {
      const fill = (disk: string) => {
        const filler = join(disk, "filler");
        try {
          for (;;) writeFileSync(filler, new Uint8Array(512), { flag: "a" });
        } catch {
          return () => rmSync(filler);
        }
      };
      const [there, here] = [smallDisk("256k"), smallDisk("256k")];
      const job = hostileJobs({ CE_PEER_JOBS_ROOT: join(here, "root") });
      const root = join(there, "root");
      const full = `export CE_PEER_JOBS_ROOT=${root}\nexec $REAL "$@"`;
      job.ssh.jig(full);
      const free = fill(there);
      const refused = await job.startOn(["true"]);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(/^jig job: box: .*no space left/i);
      free();
      const started = await job.startOn(["sh", "-c", "head -c 50000 /dev/zero"]);
      expect(started).toMatchObject({ code: 0, stderr: "" });
      const id = started.stdout.trim();
      await contentOf(join(root, "s/r/jobs", id, "status"));
      const clear = fill(here);
      const open = await job.jig(["status", id]);
      expect(open).toMatchObject({ code: 0, stdout: "running\n" });
      expect(open.stderr).toMatch(/^jig job: job \S+: cannot be brought here: no space left/i);
      clear();
      expect(await job.status(id)).toBe("done");
    },
  );

  test("a supervisor killed there is said here, and a reap settles the job on both sides", async () => {
    const job = hostileJobs();
    const id = (await job.startOn(["sh", "-c", "echo up; exec sleep 300"])).stdout.trim();
    await contentOf(join(job.ssh.root, "s/r/jobs", id, "out.log"));
    process.kill(JSON.parse(job.ssh.file(id, "pid")).supervisor_pid, "SIGKILL");
    const run = await job.jig(["status", id]);
    expect(run.stdout).toBe("running\n");
    expect(run.stderr).toContain(id);
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.status(id)).toBe("timeout");
    expect(job.ssh.file(id, "status")).toBe("timeout\n");
  });
});
