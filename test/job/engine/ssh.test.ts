import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JIG } from "../../support/paths.ts";
import { type RunOutput, until } from "../../support/run.ts";
import { expectNobodyLeft, type Jobs, jobs, processesOf } from "../support.ts";
import { type Sshd, type SshdOptions, sshd, withSshd } from "./sshd.ts";

interface SshJobs extends Jobs {
  server: Sshd;
  on(argv: readonly string[], flags?: readonly string[]): Promise<string>;
  startOn(argv: readonly string[], flags?: readonly string[]): Promise<RunOutput>;
  remote(id: string, name: string): string;
  phase(id: string): Promise<{ state: string; phase: string | null }>;
}

async function sshJobs(options: SshdOptions = {}): Promise<SshJobs> {
  const server = await sshd(options);
  const job = jobs();
  const on = (flags: readonly string[]) => ["--on", "ssh:box", server.arg, ...flags];
  return {
    ...job,
    server,
    on: async (argv, flags = []) => {
      const id = await job.start(argv, on(flags));
      return id;
    },
    startOn: (argv, flags = []) =>
      job.jig(["start", "--skill", "s", "--run-id", "r", ...on(flags), "--", ...argv]),
    remote: (id, name) => readFileSync(join(server.root, "s/r/jobs", id, name), "utf8"),
    async phase(id) {
      return JSON.parse((await job.jig(["status", "--json", id])).stdout)[0];
    },
  };
}

withSshd("jobs over ssh", () => {
  test("engines-17 runs there under the same id, and its files come here", async () => {
    const job = await sshJobs();
    const start = await job.startOn(["sh", "-c", "echo hi; pwd"], ["--json"]);
    expect(start).toMatchObject({ code: 0, stderr: "" });
    const { job_id: id, engine, engine_id } = JSON.parse(start.stdout);
    expect([engine, engine_id]).toEqual(["ssh", id]);
    expect((await job.jig(["wait", id])).stdout).toBe("done\n");
    expect((await job.jig(["logs", id])).stdout).toMatch(/^hi\n\//);
    expect(readdirSync(join(job.server.root, "s/r/jobs"))).toEqual([id]);
    const env = { CE_PEER_JOBS_ROOT: job.server.root };
    expect(JSON.parse((await job.jig(["list", "--json"], { env })).stdout)[0]).toMatchObject({
      job_id: id,
      state: "done",
    });
    const [listed] = JSON.parse((await job.jig(["list", "--json"])).stdout);
    expect(listed).toMatchObject({ job_id: id, state: "done", engine: "ssh", node: "box", phase: null });
    expect(Math.abs(Date.parse(listed.ended_at) - Date.now())).toBeLessThan(30_000);
  });

  test("engines-13 words arrive unchanged, past a foreign login shell and a profile that prints", async () => {
    const words = ["a b", "it's", '"$HOME"', "two\nlines", "back\\slash", "-dash", "", "*", "`id`", "é"];
    const print = 'for word; do printf "<%s>" "$word"; done';
    const fish = existsSync("/usr/bin/fish") ? "/usr/bin/fish" : "/bin/sh";
    const noise = join((await sshd()).directory, "noise.sh");
    writeFileSync(
      noise,
      `#!/bin/sh\necho welcome; echo to the box >&2; exec ${fish} -c "$SSH_ORIGINAL_COMMAND"\n`,
    );
    chmodSync(noise, 0o755);
    const job = await sshJobs({ shell: noise });
    const id = await job.on(["sh", "-c", print, "sh", ...words]);
    expect(await job.settled(id)).toBe("done");
    expect((await job.jig(["logs", id])).stdout).toBe(words.map((word) => `<${word}>`).join(""));
  });

  test("engines-18 a host that is away is no end; what was brought stays", async () => {
    const job = await sshJobs();
    const result = join(job.work, "there");
    const worker = `until [ -e ${job.work}/go ]; do sleep 0.1; done; echo said; printf result > ${result}`;
    const id = await job.on(["sh", "-c", worker], ["--result-path", result]);
    await job.server.stop();
    const began = Date.now();
    const away = await job.jig(["status", "--json", id]);
    expect(Date.now() - began).toBeLessThan(12_000);
    expect(away.code).toBe(0);
    expect(JSON.parse(away.stdout)[0]).toMatchObject({ state: "running", phase: "unknown" });
    expect(away.stderr).toMatch(/^jig job: box: .*refused/m);
    expect(away.stderr.trim().split("\n")).toHaveLength(1);
    writeFileSync(join(job.work, "go"), "");
    await until("the job to end", () => existsSync(join(job.server.root, "s/r/jobs", id, "status")));
    await job.server.start();
    expect(await job.status(id)).toBe("done");
    await job.server.stop();
    rmSync(result);
    expect((await job.jig(["logs", id])).stdout).toBe("said\n");
    expect((await job.jig(["result", id])).stdout).toBe("result");
  });

  test("engines-19 a connection that breaks after the job was sent: it runs once; before: it does not run", async () => {
    const breaks = async (verb: string, times: number) => {
      const job = await sshJobs({ jig: false });
      const path = join(job.server.home, "jig");
      const count = join(job.server.home, "count");
      // Runs the real one, then ends the server's half of this connection before the answer is out.
      writeFileSync(
        path,
        `#!/bin/sh
case "$*" in *${verb}*) ;; *) [ -e ${count} ] || exec ${JIG} "$@";; esac
echo x >> ${count}
[ "$(wc -l < ${count})" -gt ${times} ] && exec ${JIG} "$@"
${JIG} "$@" >/dev/null
p=$$
while ! tr '\\0' ' ' < /proc/$p/cmdline | grep -q '^sshd: '; do p=$(awk '{print $4}' /proc/$p/stat); done
kill -9 $p
`,
      );
      chmodSync(path, 0o755);
      const run = await job.startOn(["sleep", "60"], ["--remote-jig", path]);
      const remote = join(job.server.root, "s/r/jobs");
      return { job, run, remote: () => (existsSync(remote) ? readdirSync(remote) : []) };
    };

    const after = await breaks("start", 1);
    expect(after.run).toMatchObject({ code: 0, stderr: "" });
    expect(after.remote()).toEqual([after.run.stdout.trim()]);

    // The question that follows is not answered either.
    const twice = await breaks("start", 2);
    const id = twice.run.stdout.trim();
    expect(twice.run.code).toBe(0);
    expect(twice.run.stderr).toBe(`jig job: the job may run on box; jig job status ${id} will tell\n`);
    expect(twice.job.file(id, "engine.json")).toContain('"id":null');
    expect(await twice.job.phase(id)).toMatchObject({ state: "running", phase: "running", engine_id: id });
    expect(twice.remote()).toEqual([id]);

    const before = await breaks("version", 1);
    expect(before.run).toMatchObject({ code: 1, stdout: "" });
    expect(before.run.stderr).toMatch(/^jig job: box did not answer: .+\n$/);
    expect(before.remote()).toEqual([]);
    const [local] = readdirSync(join(before.job.root, "s/r/jobs"));
    expect(await before.job.status(local!)).toBe("never-started");

    for (const { job, run } of [after, twice]) {
      expect((await job.reap(run.stdout.trim())).code).toBe(0);
      expect(await job.settled(run.stdout.trim())).toBe("timeout");
    }
  });

  test("engines-20 no jig there: the message says how to get it; another host key: ssh's own words", async () => {
    const job = await sshJobs({ jig: false });
    const none = await job.startOn(["true"]);
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toContain("there is no jig on box");
    expect(none.stderr).toContain("install.sh | sh");
    const [id] = readdirSync(join(job.root, "s/r/jobs"));
    expect(await job.status(id!)).toBe("never-started");
    expect((await job.startOn(["true"], ["--remote-jig", JIG])).code).toBe(0);
    await job.server.stop();
    job.server.changeKey();
    await job.server.start();
    const changed = await job.startOn(["true"], ["--remote-jig", JIG]);
    expect(changed).toMatchObject({ code: 1, stdout: "" });
    expect(changed.stderr).toMatch(/Host key verification failed/);
  });

  test("a jig of another first number is refused; the one in ~/.local/bin is found", async () => {
    const job = await sshJobs({ jig: false });
    const place = join(job.server.home, ".local/bin");
    mkdirSync(place, { recursive: true });
    const path = join(place, "jig");
    writeFileSync(path, '#!/bin/sh\necho \'{"version":"99.1.0"}\'\n');
    chmodSync(path, 0o755);
    job.server.env["HOME"] = job.server.home;
    const other = await job.startOn(["true"]);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain("99.1.0");
    copyFileSync(JIG, path);
    const id = await job.on(["true"]);
    expect(await job.settled(id)).toBe("done");
    expect(JSON.parse(job.file(id, "engine.json")).jig).toBe(path);
  });

  test("engines-21 reap ends the tree there, and the record is here", async () => {
    const job = await sshJobs();
    const worker = "sleep 300 & sh -c 'sleep 300 & wait' & setsid sleep 300 & echo up; wait";
    const id = await job.on(["sh", "-c", worker]);
    await until("the worker", () => job.remote(id, "out.log") === "up\n");
    expect((await job.reap(id)).code).toBe(0);
    expect(await job.settled(id)).toBe("timeout");
    expect(job.file(id, "reason")).toBe("reaped on request before completion\n");
    await expectNobodyLeft(job.server.root);
  });

  test("engines-22 twenty jobs on one host are one connection to a status", async () => {
    const job = await sshJobs();
    const four = () => Promise.all([1, 2, 3, 4].map(() => job.on(["sleep", "60"], ["--no-sweep"])));
    const ids = [
      ...(await four()),
      ...(await four()),
      ...(await four()),
      ...(await four()),
      ...(await four()),
    ];
    const before = job.server.connections();
    const run = await job.jig(["status", ...ids]);
    expect(run.stdout.match(/\trunning/g)).toHaveLength(20);
    expect(job.server.connections() - before).toBe(1);
    await job.jig(["reap", ...ids], { env: { CE_PEER_JOBS_ROOT: job.server.root } });
    const between = job.server.connections();
    expect((await job.jig(["wait", ...ids])).stdout.match(/\ttimeout/g)).toHaveLength(20);
    expect(job.server.connections() - between).toBe(1);
  });

  test("engines-23 a result over the cap is refused there, and the record says so here", async () => {
    const job = await sshJobs();
    const result = join(job.work, "big");
    const id = await job.on(
      ["sh", "-c", `head -c 2000 /dev/zero > ${result}`],
      ["--result-path", result, "--result-max-bytes", "1000"],
    );
    expect(await job.settled(id)).toBe("failed");
    expect(job.file(id, "reason")).toBe("result exceeded byte cap (2000 > 1000 bytes)\n");
  });

  test("a result that went there stays away with a note, and the job is settled", async () => {
    const job = await sshJobs();
    const result = join(job.work, "gone");
    const id = await job.on(["sh", "-c", `echo x > ${result}`], ["--result-path", result]);
    await until("its end", () => existsSync(join(job.server.root, "s/r/jobs", id, "status")));
    rmSync(result);
    const status = await job.jig(["status", id]);
    expect(status.stdout).toBe("done\n");
    expect(status.stderr).toContain("its result stayed on box");
    expect((await job.jig(["result", id])).code).toBe(3);
  });

  test("the log of a running job is read there, and followed to its end", async () => {
    const job = await sshJobs();
    const id = await job.on(["sh", "-c", "for i in 1 2 3 4; do echo line $i; sleep 0.4; done"]);
    await until("a line", () => job.remote(id, "out.log").startsWith("line 1\n"));
    const first = await job.jig(["logs", "--all", id]);
    expect(first.stdout).toMatch(/^line 1\n/);
    const followed = await job.jig(["logs", "-f", id]);
    expect(followed).toMatchObject({ code: 0, stdout: "line 1\nline 2\nline 3\nline 4\n" });
    expect(followed.stderr).toContain(`job ${id}: done (worker exited 0)`);
    expect(await job.status(id)).toBe("done");
  });

  test("the limits of here hold there, and no variable of ours goes along", async () => {
    const job = await sshJobs();
    job.env["JIG_TEST_SECRET"] = "x";
    const id = await job.on(
      ["sh", "-c", "env"],
      ["--hard-secs", "77", "--label", "l", "--remote-cwd", "/usr"],
    );
    expect(await job.settled(id)).toBe("done");
    const log = (await job.jig(["logs", id])).stdout;
    expect(log).toContain("CE_PEER_HARD_SECS=77\n");
    expect(log).toContain("PWD=/usr\n");
    expect(log).not.toContain("JIG_TEST_SECRET");
    expect(JSON.parse(job.remote(id, "meta.json"))).toMatchObject({
      label: "l",
      supervision: { hard: 77, idle: 1800, poll: 0.2 },
      sweep_enabled: false,
    });
    expect(processesOf(job.server.root)).toEqual([]);
  });
});
