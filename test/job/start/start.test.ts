import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { JobMetaSchema, JobPidSchema } from "../../../src/job/schema.ts";
import { JIG } from "../../support/paths.ts";
import { runJig, until } from "../../support/run.ts";
import { contentOf, jobs } from "../support.ts";

const START = ["start", "--skill", "s", "--run-id", "r", "--"];
const LIMITS = 'echo "$(ulimit -Sn) $(ulimit -Hn)"';
const mode = (path: string) => statSync(path).mode & 0o7777;

describe("start", () => {
  test("jobs-1 jobs-2 a worker's life: start, wait, result, files and modes, states as JSON", async () => {
    const job = jobs();
    const result = join(job.work, "F");
    const stub = job.script("stub", `echo line; printf '{"job_id":"%s"}' "$CE_PEER_JOB_ID" > "$1"`);
    const id = await job.start([stub, result], ["--result-path", result]);
    const wait = await job.jig(["wait", "--max-secs", "10", id]);
    expect(wait).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
    expect(await job.jig(["result", id])).toMatchObject({
      code: 0,
      stdout: `{"job_id":"${id}"}`,
      stderr: "",
    });

    const directory = job.directory(id);
    expect(mode(directory)).toBe(0o700);
    for (const name of readdirSync(directory))
      expect([name, mode(join(directory, name))]).toEqual([name, 0o600]);
    expect(job.file(id, "status")).toBe("done\n");
    expect(job.file(id, "reason")).toBe("worker exited 0\n");
    expect(job.file(id, "out.log")).toBe("line\n");
    expect(readdirSync(directory).sort()).toEqual([
      ".settle",
      "meta.json",
      "out.log",
      "pid",
      "reason",
      "status",
    ]);
    expect(v.is(JobMetaSchema, job.meta(id))).toBe(true);
    expect(v.is(JobPidSchema, job.pid(id))).toBe(true);
    expect(Object.keys(job.meta(id))).toEqual([
      "job_id",
      "skill",
      "run_id",
      "label",
      "input_digest",
      "started_at",
      "worker_argv",
      "result_path",
      "sweep_enabled",
      "supervision",
    ]);

    const states = await job.jig(["status", "--json", id]);
    expect(states.stdout).toBe(`[{"ref": "${id}", "job_dir": "${directory}", "state": "done"}]\n`);
  });

  test("--json prints id and directory; label and digest are recorded; words are verbatim", async () => {
    const job = jobs();
    const run = await job.jig([
      ..."start --skill=s --run-id r --label L.1 --json --input-digest".split(" "),
      "sha256:é x",
      "--",
      "sh",
      "-c",
      'printf "<%s>" "$@"',
      "sh",
      "--help",
      "a  b",
      "--",
    ]);
    const { job_id: id, job_dir: directory } = JSON.parse(run.stdout);
    expect(directory).toBe(job.directory(id));
    expect(run.stdout).toBe(`{"job_id": "${id}", "job_dir": "${directory}"}\n`);
    expect(await job.settled(id)).toBe("done");
    expect(job.file(id, "out.log")).toBe("<--help><a  b><-->");
    expect(job.meta(id)).toMatchObject({
      label: "L.1",
      input_digest: "sha256:é x",
      run_id: "r",
      result_path: null,
    });
    expect(job.meta(id).worker_argv[0]).toMatch(/^\/.*\/sh$/);
  });

  test("jobs-7 jobs-8 the idle window can be switched off for ce-work only; the hard cap still holds", async () => {
    const job = jobs({ CE_PEER_IDLE_SECS: "0", CE_PEER_HARD_SECS: "2" });
    const id = await job.start(["sleep", "60"], ["--skill", "ce-work", "--no-sweep"]);
    const meta = JSON.parse(readFileSync(join(job.directory(id, "ce-work"), "meta.json"), "utf8"));
    expect(meta).toMatchObject({ sweep_enabled: false, supervision: { idle: null, hard: 2 } });
    expect(await job.settled(id)).toBe("timeout");
    expect(readFileSync(join(job.directory(id, "ce-work"), "reason"), "utf8")).toBe("hard cap 2s exceeded\n");

    const other = await job.start(["true"]);
    expect(job.meta(other).supervision.idle).toBe(240);
    await job.settled(other);
  });

  test("jobs-9 the hard cap follows a worker's own cap unless it is given", async () => {
    const job = jobs();
    const hard = async (env: Record<string, string | undefined>) => {
      const id = await job.start(["true"], [], env);
      await job.settled(id);
      return job.meta(id).supervision.hard;
    };
    expect(await hard({ CE_PEER_HARD_SECS: "" })).toBe(1230);
    expect(await hard({ CE_PEER_HARD_SECS: "", CROSS_MODEL_HARD_SECS: "100" })).toBe(1230);
    expect(await hard({ CE_PEER_HARD_SECS: "", CROSS_MODEL_HARD_SECS: "2000" })).toBe(2030);
    expect(await hard({ CE_PEER_HARD_SECS: "7200", CROSS_MODEL_HARD_SECS: "2000" })).toBe(7200);
  });

  test("jobs-16 a worker that cannot be started leaves a never-started job and nothing on stdout", async () => {
    const job = jobs();
    const missing = await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "/nonexistent/w"]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    const [id, ...more] = readdirSync(join(job.root, "s/r/jobs"));
    expect(more).toEqual([]);
    const directory = job.directory(id!);
    expect(missing.stderr).toBe(
      `jig job: preflight failed for job ${id}: worker '/nonexistent/w' does not exist or is not a regular file; ` +
        `nothing was detached (job left never-started at ${directory})\n`,
    );
    expect(readdirSync(directory).sort()).toEqual(["meta.json", "reason"]);
    expect(await job.status(directory)).toBe("never-started");
    const [listed] = JSON.parse((await job.jig(["list", "--run-id", "r", "--json"])).stdout);
    expect(listed).toMatchObject({
      state: "never-started",
      reason: "preflight failed: worker '/nonexistent/w' does not exist or is not a regular file",
    });

    const unknown = await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "no-such-cmd"]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toContain("worker 'no-such-cmd' was not found on PATH");
    writeFileSync(join(job.work, "plain"), "text");
    const plain = await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "./plain"]);
    expect(plain.stderr).toContain("worker './plain' is not executable");
    expect((await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "."])).stderr).toContain(
      "was not found on PATH",
    );
    expect((await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "./"])).stderr).toContain(
      "is not a regular file",
    );
  });

  test("jobs-17 a file the system cannot execute settles at once as failed", async () => {
    const job = jobs();
    const path = join(job.work, "no-header");
    writeFileSync(path, "just text\n");
    chmodSync(path, 0o755);
    const id = await job.start([path]);
    expect(await job.status(id)).toBe("failed");
    expect(job.file(id, "reason")).toBe("could not launch worker: exec format error\n");
    expect(existsSync(join(job.directory(id), "pid"))).toBe(false);
  });

  test("a script whose interpreter is missing says which, not that the script is", async () => {
    const job = jobs();
    const reasonOf = async (name: string, content: string) => {
      const path = join(job.work, name);
      writeFileSync(path, content);
      chmodSync(path, 0o755);
      const id = await job.start([path]);
      expect(await job.status(id)).toBe("failed");
      return job.file(id, "reason").trim();
    };
    const why = "could not launch worker: no such file or directory: the interpreter";
    const line = (name: string) => `that the first line of ${join(job.work, name)} names`;
    expect(await reasonOf("missing", "#!/no/such/interpreter -x\n")).toBe(
      `${why} '/no/such/interpreter' ${line("missing")}`,
    );
    expect(await reasonOf("crlf", "#!/bin/sh\r\necho hi\r\n")).toBe(
      `${why} '/bin/sh\\r' ${line("crlf")}; its line ends in CR LF, save the file with LF alone`,
    );
    expect(await reasonOf("directory", `#!${job.work}\n`)).toBe(
      `could not launch worker: permission denied: the interpreter '${job.work}' ${line("directory")}`,
    );
  });

  test("a worker gets the limit of open files that its caller had, not the runtime's", async () => {
    const job = jobs();
    const start = (soft: number) =>
      runJig(["-c", `ulimit -Sn ${soft}; "$@"; exit $?`, "sh", JIG, "job", ...START, "sh", "-c", LIMITS], {
        program: "/bin/sh",
        env: job.env,
      });
    for (const soft of [256, 64]) {
      const id = (await start(soft)).stdout.trim();
      expect(await job.settled(id)).toBe("done");
      const [softSeen, hardSeen] = job.file(id, "out.log").trim().split(" ").map(Number);
      expect(softSeen).toBe(soft);
      expect(hardSeen).toBeGreaterThan(soft);
    }
  });

  test("jobs-18 bad names and missing words create nothing", async () => {
    const job = jobs();
    const refused = async (code: number, text: string, ...words: string[]) => {
      const run = await job.jig(["start", ...words]);
      expect(run).toMatchObject({ code, stdout: "" });
      expect(run.stderr).toContain(text);
      expect(existsSync(job.root)).toBe(false);
    };
    const shape = "must match [A-Za-z0-9._-]+ and not be all dots";
    await refused(
      1,
      `jig job: --skill ${shape} (got '../evil')`,
      "--skill",
      "../evil",
      "--run-id",
      "r",
      "--",
      "true",
    );
    await refused(1, `--run-id ${shape} (got 'a/b')`, "--skill", "s", "--run-id", "a/b", "--", "true");
    await refused(1, `--run-id ${shape} (got '..')`, "--skill", "s", "--run-id", "..", "--", "true");
    await refused(
      1,
      `--label ${shape} (got 'x y')`,
      "--skill",
      "s",
      "--run-id",
      "r",
      "--label",
      "x y",
      "--",
      "true",
    );
    await refused(
      1,
      `--label ${shape} (got '')`,
      "--skill",
      "s",
      "--run-id",
      "r",
      "--label",
      "",
      "--",
      "true",
    );
    await refused(1, `(got 'a\\n')`, "--skill", "s", "--run-id", "r", "--label", "a\n", "--", "true");
    await refused(1, "no worker argv; place it after `--`", "--skill", "s", "--run-id", "r");
    await refused(1, "no worker argv; place it after `--`", "--skill", "s", "--run-id", "r", "--");
  });

  test("jobs-41 limit flags win over the variables and reach the worker as them", async () => {
    const job = jobs({ CE_PEER_IDLE_SECS: "1", CE_PEER_HARD_SECS: "9" });
    const flags = "--idle-secs 7.5 --hard-secs 60 --log-max-bytes 1000 --result-max-bytes 2000".split(" ");
    const id = await job.start(["sh", "-c", 'echo "$CE_PEER_HARD_SECS $CE_PEER_RESULT_MAX_BYTES"'], flags);
    expect(job.meta(id).supervision).toMatchObject({
      idle: 7.5,
      hard: 60,
      log_max: 1_000,
      result_max: 2_000,
    });
    expect(await job.settled(id)).toBe("done");
    expect(job.file(id, "out.log")).toBe("60 2000\n");
  });

  test("jobs-55 a person needs neither skill nor run; a drop-in name does", async () => {
    const job = jobs();
    const day = new Date().toISOString().slice(0, 10);
    const run = await job.jig(["start", "--json", "--", "true"]);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).job_dir).toMatch(new RegExp(`^${job.root}/adhoc/${day}/jobs/`));
    const { job_id: id } = JSON.parse(run.stdout);
    expect(await job.settled(id)).toBe("done");
    const [meta] = JSON.parse((await job.jig(["list", "--skill", "adhoc", "--json"])).stdout);
    expect(meta).toMatchObject({ job_id: id, run_id: day });
    const own = await job.jig(["start", "--skill", "s", "--", "true"]);
    expect((await job.jig(["list", "--skill", "s", "--run-id", day, "--json"])).stdout).toContain(
      own.stdout.trim(),
    );
    await job.settled(own.stdout.trim());

    const dropIn = (...words: string[]) =>
      runJig(["start", ...words, "--", "true"], { argv0: "peer-job-runner", env: job.env });
    for (const [missing, ...words] of [
      ["--skill S"],
      ["--skill S", "--run-id", "r"],
      ["--run-id R", "--skill", "s"],
    ]) {
      const refused = await dropIn(...words);
      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain(`peer-job-runner: error: missing ${missing}\n`);
      expect(refused.stderr).toContain("usage: jig job start --skill S --run-id R ");
    }
  });

  test.skipIf(!existsSync("/dev/full"))(
    "jobs-56 a job whose id could not be printed is named on stderr",
    async () => {
      const job = jobs();
      const shell = (script: string) =>
        runJig(["-c", script, "sh", JIG, "job", ...START, "true"], { program: "/bin/sh", env: job.env });
      const full = await shell('"$@" >/dev/full');
      const named = String.raw`job (\S+) was started in ${job.root}/s/r/jobs/\1\n$`;
      expect(full).toMatchObject({ code: 1, stdout: "" });
      expect(full.stderr).toMatch(
        new RegExp(`^jig job: cannot write to standard output: no space left on device; ${named}`),
      );
      const unread = await shell('{ sleep 0.3; "$@"; } | true; sleep 0.6');
      expect(unread.stderr).toMatch(new RegExp(`^jig job: nobody read standard output; ${named}`));
      for (const id of readdirSync(job.directory(""))) expect(await job.settled(id)).toBe("done");
    },
  );

  test("jobs-42 a bad limit is a usage error that names the flag, and nothing is created", async () => {
    const job = jobs();
    for (const [flag, value] of [
      ["--idle-secs", "0"],
      ["--hard-secs", "0"],
      ["--hard-secs", "inf"],
      ["--log-max-bytes", "1.5"],
      ["--result-max-bytes", "-1"],
    ] as const) {
      const run = await job.jig(["start", "--skill", "s", "--run-id", "r", flag, value, "--", "true"]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toMatch(/^usage: jig job start .*\njig job: error: .*\n$/);
      expect(run.stderr).toContain(`error: ${flag}`);
    }
    expect(existsSync(job.root)).toBe(false);
    const id = await job.start(["true"], ["--skill", "ce-work", "--idle-secs", "0"]);
    const meta = JSON.parse(readFileSync(join(job.directory(id, "ce-work"), "meta.json"), "utf8"));
    expect(meta.supervision.idle).toBeNull();
    await job.settled(id);
  });

  test("jobs-43 a cap raised for one job counts when it is read", async () => {
    const job = jobs();
    const result = join(job.work, "big");
    const worker = ["sh", "-c", `head -c 5500000 /dev/zero > ${result}`];
    const id = await job.start(worker, ["--result-path", result, "--result-max-bytes", "6000000"]);
    expect(await job.settled(id)).toBe("done");
    const read = await job.jig(["result", id]);
    expect(read.code).toBe(0);
    expect(read.bytes.length).toBe(5_500_000);
    const capped = await job.jig(["result", id], { env: { CE_PEER_RESULT_MAX_BYTES: "1000" } });
    expect(capped).toMatchObject({ code: 4, stdout: "" });
  });

  test("jobs-44 of a repeated option the last counts; abbreviations and stray words are refused", async () => {
    const job = jobs();
    const run = await job.jig("start --skill a --run-id x --skill b --run-id y -- true".split(" "));
    const id = run.stdout.trim();
    expect(existsSync(job.directory(id, "b", "y"))).toBe(true);
    expect(await job.settled(id)).toBe("done");
    const short = await job.jig(["status", "--jso", id]);
    expect(short).toMatchObject({ code: 2, stdout: "" });
    expect(short.stderr).toMatch(/^usage: jig job status .*\njig job: error: .*--jso.*--json.*\n$/);
    expect(await job.jig(["status", id, "--", "x"])).toMatchObject({ code: 2, stdout: "" });
    expect(await job.jig(["start", "stray", "--skill", "s", "--run-id", "r", "--", "true"])).toMatchObject({
      code: 2,
    });
  });

  test("jobs-49 what changes the runtime's start is kept from the supervisor and given back to the worker", async () => {
    const job = jobs();
    const preload = join(job.work, "p.ts");
    const trace = join(job.work, "loaded");
    writeFileSync(
      preload,
      `require("node:fs").appendFileSync(${JSON.stringify(trace)}, process.argv.join(" ") + "\\n");`,
    );
    const env = { BUN_OPTIONS: `--preload=${preload}`, BUN_INSPECT_NOTIFY: "", BUN_JSC_useJIT: "1" };
    const id = await job.start(
      [
        "sh",
        "-c",
        'echo "$BUN_OPTIONS"; env | grep -c "^BUN_INSPECT_NOTIFY="; echo "$BUN_JSC_useJIT"; exec sleep 30',
      ],
      [],
      env,
    );
    expect(
      await until(
        "three lines",
        () => job.file(id, "out.log").split("\n").length > 3 && job.file(id, "out.log"),
      ),
    ).toBe(`--preload=${preload}\n1\n1\n`);
    const names = readFileSync(`/proc/${job.pid(id).supervisor_pid}/environ`, "utf8")
      .split("\0")
      .map((variable) => variable.split("=")[0]);
    expect(names).toContain("JIG_HELD_BUN_OPTIONS");
    expect(names).not.toContain("BUN_OPTIONS");
    expect(names).not.toContain("BUN_INSPECT_NOTIFY");
    expect(readFileSync(trace, "utf8")).not.toContain("__supervise");
    await job.reap(id);
  });

  test("a worker that is jig itself does not get them", async () => {
    const job = jobs();
    const preload = join(job.work, "p.ts");
    const trace = join(job.work, "loaded");
    writeFileSync(
      preload,
      `require("node:fs").appendFileSync(${JSON.stringify(trace)}, process.argv.join(" ") + "\\n");`,
    );
    const { JIG } = await import("../../support/paths.ts");
    const id = await job.start([JIG, "version"], [], { BUN_OPTIONS: `--preload=${preload}` });
    expect(await job.settled(id)).toBe("done");
    // Only `start` itself, which cannot prevent it, obeyed.
    expect(readFileSync(trace, "utf8").match(/\n/g)).toHaveLength(1);
  });

  test("the worker knows its job, and the executable to call back", async () => {
    const job = jobs();
    const id = await job.start([
      "sh",
      "-c",
      'echo "$CE_PEER_JOB_ID $JIG_JOB_DIR"; "$JIG_BIN" version; echo "<$CE_PEER_PYTHON>"',
    ]);
    expect(await job.settled(id)).toBe("done");
    const [first, version, python] = job.file(id, "out.log").split("\n");
    expect(first).toBe(`${id} ${job.directory(id)}`);
    expect(version).toMatch(/^jig /);
    expect(python).toBe("<>");
  });

  test("the worker's session is its own, its input empty, its descriptors three", async () => {
    const job = jobs();
    const id = await job.start([
      "sh",
      "-c",
      "cat; ls /proc/self/fd | wc -l; cut -d' ' -f5,6 /proc/$$/stat; pwd",
    ]);
    expect(await job.settled(id)).toBe("done");
    const { worker_pid: worker } = job.pid(id);
    // `ls` itself has one more open: the directory it lists.
    expect(job.file(id, "out.log")).toBe(`4\n${worker} ${worker}\n${job.work}\n`);
  });

  test("metadata nobody could read back is refused before anything is detached", async () => {
    const job = jobs();
    const run = await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "true", "x".repeat(66_000)]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/job metadata exceeds 65536 bytes; pass long input as a file\n$/);
    expect(readdirSync(join(job.root, "s/r/jobs"))).toEqual([]);
  });

  test("the internal mode refuses a directory that start has not just prepared", async () => {
    const job = jobs();
    const id = await job.start(["sh", "-c", `echo run >> ${job.work}/runs`]);
    expect(await job.settled(id)).toBe("done");
    const { runJig } = await import("../../support/run.ts");
    for (const directory of [job.directory(id), job.work, join(job.work, "nosuch"), ""]) {
      expect(await runJig(["__supervise", directory])).toMatchObject({ code: 2, stdout: "" });
    }
    writeFileSync(join(job.directory(id), ".spawn.json"), JSON.stringify({ argv: ["/bin/true"] }));
    expect((await runJig(["__supervise", job.directory(id)])).code).toBe(2);
    expect(await contentOf(join(job.work, "runs"))).toBe("run");
    expect(job.file(id, "status")).toBe("done\n");
  });

  test("under its upstream name only the prefix differs", async () => {
    const job = jobs();
    const { runJig } = await import("../../support/run.ts");
    const run = (...words: string[]) => runJig(["--as", "peer-job-runner.py", ...words], { env: job.env });
    expect((await run("status", "nosuch")).stderr).toMatch(/^peer-job-runner: job not found under /);
    expect((await run("wait", "--max-secs", "inf", "x")).stderr).toMatch(
      /^usage: .*\npeer-job-runner: error: /,
    );
    expect((await run("reap", "nosuch")).stderr).toMatch(
      /^peer-job-runner: .*\npeer-job-runner: reap nosuch: exit 1\n$/,
    );
  });
});
