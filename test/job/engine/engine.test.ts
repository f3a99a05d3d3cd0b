/** What holds for any engine, with programs that stand for a real one. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../../support/run.ts";
import { type Jobs, jobs, makeDirectory } from "../support.ts";
import { type FakeSlurm, fakeSlurm } from "./fake-slurm.ts";

interface FakeJobs extends Jobs {
  slurm: FakeSlurm;
  on(argv?: readonly string[], flags?: readonly string[]): Promise<string>;
  look(...ids: string[]): Promise<{ state: string; phase: string | null }[]>;
}

function fakeJobs(overrides: Record<string, string | undefined> = {}): FakeJobs {
  const job = jobs(overrides);
  const slurm = fakeSlurm(job.work);
  job.env["PATH"] = `${slurm.bin}:${process.env["PATH"]}`;
  job.env["XDG_STATE_HOME"] = join(job.work, "state");
  return {
    ...job,
    slurm,
    on: (argv = ["true"], flags = []) => job.start(argv, ["--on", "slurm", "--no-sweep", ...flags]),
    look: async (...ids) => JSON.parse((await job.jig(["status", "--json", ...ids])).stdout),
  };
}

const HOURS = 3_600;

function age(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
}

describe("an open job", () => {
  test("two hundred of them are one question", async () => {
    const job = fakeJobs();
    const first = await job.on();
    const parent = join(job.root, "s/r/jobs");
    const ids = Array.from(
      { length: 200 },
      (_, index) => `20260101T000000Z-${String(index).padStart(8, "0")}`,
    );
    for (const [index, id] of ids.entries()) {
      cpSync(join(parent, first), join(parent, id), { recursive: true });
      const file = JSON.parse(readFileSync(join(parent, id, "engine.json"), "utf8"));
      writeFileSync(join(parent, id, "engine.json"), JSON.stringify({ ...file, id: String(index + 100) }));
      appendFileSync(
        job.slurm.queue,
        `${index + 100}|${id}|${index % 2 ? "PENDING" : "RUNNING"}|n|Priority\n`,
      );
    }
    const looked = await job.look(...ids);
    expect(looked.map(({ phase }) => phase)).toEqual(
      ids.map((_, index) => (index % 2 ? "queued" : "running")),
    );
    expect(readFileSync(job.slurm.calls, "utf8")).toBe("call\n");
    const listed = JSON.parse((await job.jig(["list", "--json"])).stdout);
    expect(listed).toHaveLength(201);
    expect(readFileSync(job.slurm.calls, "utf8")).toBe("call\ncall\n");
  });

  test("a silent engine costs ten seconds in all, and settles nothing", async () => {
    const job = fakeJobs();
    const ids = [await job.on(), await job.on()];
    job.slurm.program("squeue", "trap '' TERM; sleep 60 & wait; wait");
    const began = Date.now();
    const run = await job.jig(["status", ...ids]);
    expect(Date.now() - began).toBeLessThan(13_000);
    expect(run).toMatchObject({ code: 0, stderr: "jig job: slurm: no answer within 10 s\n" });
    expect(run.stdout.match(/\trunning/g)).toHaveLength(2);
    expect(existsSync(join(job.directory(ids[0]!), ".ended"))).toBe(false);
  });

  test("a wait is not held up by a silent engine", async () => {
    const job = fakeJobs();
    const id = await job.on();
    job.slurm.program("squeue", "exec sleep 60");
    const began = Date.now();
    const run = await job.jig(["wait", "--max-secs", "1", "--json", id]);
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(JSON.parse(run.stdout)[0]).toMatchObject({ state: "running", phase: "unknown" });
  });

  test("engines-27 a copy outside every root is read as files: nobody is asked, and no program runs", async () => {
    const job = fakeJobs();
    const id = await job.on();
    const marker = join(job.work, "X");
    const copy = join(makeDirectory(join(job.work, "checkout/s/r/jobs")), id);
    cpSync(job.directory(id), copy, { recursive: true });
    const planted = {
      kind: "ssh",
      id,
      args: [`-oProxyCommand=touch ${marker}`],
      dest: "box",
      jig: "/bin/jig",
      result_path: null,
    };
    writeFileSync(join(copy, "engine.json"), JSON.stringify(planted), { mode: 0o600 });
    const status = await job.jig(["status", "--json", copy]);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)[0]).toMatchObject({ state: "running", engine: "ssh", phase: "unknown" });
    expect(status.stderr).toContain("CE_PEER_JOBS_ROOT");
    for (const words of [
      ["wait", "--max-secs", "1"],
      ["result"],
      ["logs"],
      ["logs", "-f", "--max-secs", "1"],
    ]) {
      await job.jig([...words, copy]);
    }
    for (const words of [["reap"], ["reap", "--abandon"]]) {
      const reap = await job.jig([...words, copy]);
      expect(reap).toMatchObject({ code: 1, stdout: "" });
      expect(reap.stderr).toContain("CE_PEER_JOBS_ROOT");
    }
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(join(copy, "status"))).toBe(false);
  });

  test.each([
    ["no JSON", "torn"],
    ["an engine nobody knows", { kind: "kubernetes", id: null, args: [] }],
    ["a kind that every object has", { kind: "constructor", id: null, args: [] }],
    ["a number that is none", { kind: "slurm", id: "1; touch X", args: [] }],
    ["words that are not ours", { kind: "slurm", id: "1", args: ["--states=all", "-o%i"] }],
    ["a cluster that is a flag", { kind: "slurm", id: "1", args: ["-M", "--help"] }],
    ["a destination that is a flag", { kind: "ssh", id: null, args: [], dest: "-oProxyCommand=touch X" }],
    ["a bare word before the destination", { kind: "ssh", id: null, args: ["touch"], dest: "box" }],
    ["a jig that is a flag", { kind: "ssh", id: null, args: [], dest: "box", jig: "-x" }],
    ["another job's id", { kind: "ssh", id: "20260101T000000Z-00000000", args: [], dest: "box", jig: null }],
  ])("an engine.json with %s reaches no program", async (_what, content) => {
    const job = fakeJobs();
    const id = await job.on();
    const trace = join(job.work, "trace");
    for (const name of ["squeue", "scontrol", "scancel", "ssh"])
      job.slurm.program(name, `echo ran >> ${trace}`);
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(job.directory(id), "engine.json"), text, { mode: 0o600 });
    const run = await job.jig(["status", "--json", id]);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)[0]).toMatchObject({ state: "running" });
    expect(run.stderr).toMatch(/^jig job: job \S+: .+\n$/);
    expect((await job.reap(id)).code).toBe(1);
    expect(existsSync(trace)).toBe(false);
    expect((await job.jig(["list"])).code).toBe(0);
  });

  test("that is given up by hand has died, and what may run is named", async () => {
    const job = fakeJobs();
    const id = await job.on();
    const trace = join(job.work, "trace");
    for (const name of ["squeue", "scontrol", "scancel"]) job.slurm.program(name, `echo ran >> ${trace}`);
    const run = await job.jig(["reap", "--abandon", id]);
    expect(run).toMatchObject({ code: 0, stdout: "" });
    expect(run.stderr).toContain("may still run on slurm");
    expect(await job.status(id)).toBe("died-without-result");
    expect(job.file(id, "reason")).toBe("abandoned by hand\n");
    expect(readdirSync(job.directory(id))).not.toContain(".spawn.json");
    expect(existsSync(trace)).toBe(false);
    const again = `jig job: reap ${id}: died-without-result\n`;
    expect(await job.jig(["reap", "--abandon", id])).toMatchObject({ code: 0, stderr: again });
    const local = await job.start(["sleep", "60"]);
    expect((await job.jig(["reap", "--abandon", local])).code).toBe(1);
    await job.reap(local);
  });

  test("that ends as it is reaped was reaped, however scancel says it; a controller that says nothing was not", async () => {
    const job = fakeJobs();
    const taken = async () => {
      const id = await job.on();
      rmSync(join(job.directory(id), ".spawn.json"));
      return id;
    };
    // Ended after it was listed, before it was signalled: the code alone, and the record is on its way.
    for (const code of [225, 229]) {
      const id = await taken();
      const record = `(sleep 0.3; echo timeout > ${job.directory(id)}/status) >/dev/null 2>&1 &`;
      job.slurm.program("scancel", `${record} exit ${code}`);
      expect(await job.reap(id)).toMatchObject({ code: 0, stderr: `jig job: reap ${id}: timeout\n` });
      expect(await job.status(id)).toBe("timeout");
    }
    const seen = await taken();
    const lost = 'echo "scancel: error: Unable to contact slurm controller" >&2; exit 1';
    job.slurm.program("scancel", `echo timeout > ${job.directory(seen)}/status; ${lost}`);
    expect(await job.reap(seen)).toMatchObject({ code: 0, stderr: `jig job: reap ${seen}: timeout\n` });
    const unheard = await taken();
    job.slurm.program("scancel", lost);
    const run = await job.reap(unheard);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("Unable to contact slurm controller");
    expect(existsSync(join(job.directory(unheard), ".reap"))).toBe(true);
    expect(await job.status(unheard)).toBe("running");
  });

  test("of another cluster in the same home is unknown, not gone", async () => {
    const job = fakeJobs();
    const id = await job.on();
    writeFileSync(job.slurm.queue, "");
    job.slurm.program("scontrol", 'echo "ClusterName = other"');
    const run = await job.jig(["status", "--json", id]);
    expect(JSON.parse(run.stdout)[0]).toMatchObject({ state: "running", phase: "unknown" });
    expect(run.stderr).toContain("of cluster jig, and other was asked");
    expect(existsSync(join(job.directory(id), ".ended"))).toBe(false);
  });

  test("on a cluster that sbatch names is asked about there, and accounting tells what memory does not", async () => {
    const job = fakeJobs();
    const words = join(job.work, "words");
    job.slurm.program("sbatch", 'cat >/dev/null; echo "77;far"');
    job.slurm.program("squeue", `echo "squeue $*" >> ${words}`);
    job.slurm.program(
      "scontrol",
      'case "$*" in *config*) echo "ClusterName = far";; *) echo "Invalid job id specified" >&2; exit 1;; esac',
    );
    const start = await job.jig([
      "start",
      "--on",
      "slurm",
      "--skill",
      "s",
      "--run-id",
      "r",
      "--json",
      "--",
      "true",
    ]);
    expect(start.code).toBe(0);
    const { job_id: id, engine_id } = JSON.parse(start.stdout);
    expect(engine_id).toBe("77");
    expect(JSON.parse(job.file(id, "engine.json"))).toMatchObject({
      id: "77",
      cluster: "far",
      args: ["-M", "far"],
    });
    job.slurm.program("sacct", `echo "sacct $*" >> ${words}; echo "OUT_OF_MEMORY by x|0:125|far1|${id}"`);
    expect(await job.look(id)).toMatchObject([{ state: "running", phase: "ended" }]);
    age(join(job.directory(id), ".ended"), 31);
    expect(await job.status(id)).toBe("failed");
    expect(job.file(id, "reason")).toBe("slurm: OUT_OF_MEMORY, exit 0:125, before the worker started\n");
    expect(readFileSync(words, "utf8")).toMatch(/^squeue -M far --user=\d+ .*\nsacct -M far -X /);
  });

  test("that the engine shows again was not ended: the half minute begins anew", async () => {
    const job = fakeJobs();
    const id = await job.on();
    const line = readFileSync(job.slurm.queue, "utf8");
    writeFileSync(job.slurm.queue, "");
    expect(await job.look(id)).toMatchObject([{ state: "running", phase: "ended" }]);
    age(join(job.directory(id), ".ended"), 31);
    writeFileSync(job.slurm.queue, line);
    expect(await job.look(id)).toMatchObject([{ state: "running", phase: "queued" }]);
    writeFileSync(job.slurm.queue, "");
    expect(await job.look(id)).toMatchObject([{ state: "running", phase: "ended" }]);
  });

  test("a reader killed while it settles leaves one record to the next", async () => {
    const job = fakeJobs();
    const id = await job.on();
    writeFileSync(job.slurm.queue, "");
    await job.look(id);
    age(join(job.directory(id), ".ended"), 31);
    // Of another machine, and two minutes old: judged by its age alone.
    writeFileSync(join(job.directory(id), ".settle"), JSON.stringify({ pid: 1, identity: "another-boot 1" }));
    expect(await job.status(id)).toBe("running");
    age(join(job.directory(id), ".settle"), 121);
    expect(await job.status(id)).toBe("failed");
  });
});

describe("roots and repositories", () => {
  test("engines-24 a repository's configuration names no engine", async () => {
    const job = fakeJobs();
    const repository = makeDirectory(join(job.work, "repo/.compound-engineering"));
    for (const key of ["on: slurm", "engine: slurm", "jobs:\n  on: slurm\n  engine: slurm"]) {
      writeFileSync(join(repository, "config.yaml"), `${key}\n`);
      const env = { JIG_ON: "slurm", CE_PEER_ENGINE: "slurm", JIG_JOB_ENGINE: "slurm" };
      const start = await job.jig(["start", "--skill", "s", "--run-id", "r", "--", "true"], {
        cwd: join(job.work, "repo"),
        env,
      });
      const id = start.stdout.trim();
      expect(await job.settled(id)).toBe("done");
      expect(job.meta(id)).not.toHaveProperty("engine");
    }
    expect(readFileSync(job.slurm.queue, "utf8")).toBe("");
  });

  test("engines-30 old runs with an open job stay; in the engines' root a day is a week", async () => {
    const job = fakeJobs();
    const start = (root: string | undefined, run: string, ...words: string[]) =>
      job.jig(["start", "--skill", "s", "--run-id", run, ...words, "--", "true"], {
        env: { CE_PEER_JOBS_ROOT: root },
      });
    expect((await start(job.root, "open", "--on", "slurm")).code).toBe(0);
    age(join(job.root, "s/open"), 25 * HOURS);
    writeFileSync(job.slurm.calls, "");
    const local = (await start(job.root, "new")).stdout.trim();
    await until("its end", async () => (await job.status(local)) === "done");
    expect(existsSync(join(job.root, "s/open"))).toBe(true);
    expect(readFileSync(job.slurm.calls, "utf8")).toBe("");

    const engines = join(job.work, "state/jig/jobs");
    const { stdout } = await start(undefined, "settled", "--on", "slurm");
    const directory = join(engines, "s/settled/jobs", stdout.trim());
    writeFileSync(join(directory, "status"), "done\n", { mode: 0o600 });
    age(join(engines, "s/settled"), 25 * HOURS);
    await start(undefined, "other", "--on", "slurm");
    expect(existsSync(directory)).toBe(true);
    age(join(engines, "s/settled"), 8 * 24 * HOURS);
    await start(undefined, "another", "--on", "slurm");
    expect(existsSync(directory)).toBe(false);
  });

  test("the engines' root is found by every verb, and a squatted one is none", async () => {
    const job = fakeJobs({ CE_PEER_JOBS_ROOT: undefined });
    const run = await job.jig(["start", "--on", "slurm", "--", "true"]);
    const id = run.stdout.trim();
    expect(await job.status(id)).toBe("running");
    expect(JSON.parse((await job.jig(["list", "--json"])).stdout)).toHaveLength(1);
    mkdirSync(join(job.work, "other"));
    expect((await job.jig(["status", id], { env: { XDG_STATE_HOME: join(job.work, "other") } })).code).toBe(
      1,
    );
    // A relative directory is none (the base directory specification).
    expect((await job.jig(["status", id], { env: { XDG_STATE_HOME: "state" } })).code).toBe(1);
  });
});

describe("start", () => {
  test("the hidden --job-id claims that directory, or fails", async () => {
    const job = jobs();
    const id = "20260101T000000Z-0123abcd";
    expect(await job.start(["true"], ["--job-id", id])).toBe(id);
    const again = await job.jig(["start", "--skill", "s", "--run-id", "r", "--job-id", id, "--", "true"]);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toContain("file exists");
    for (const bad of ["x", "../20260101T000000Z-0123abcd", `${id}x`]) {
      expect((await job.jig(["start", "--job-id", bad, "--", "true"])).code).toBe(2);
    }
    expect(await job.settled(id)).toBe("done");
  });

  test("a controller that does not answer is no place to submit to: nothing is made", async () => {
    const job = fakeJobs();
    job.slurm.program(
      "scontrol",
      'echo "slurm_load_ctl_conf error: Unable to contact slurm controller" >&2; exit 1',
    );
    const run = await job.jig(["start", "--on", "slurm", "--", "true"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("Unable to contact slurm controller");
    expect(existsSync(job.root)).toBe(false);
  });

  test("an answer that names no job is none", async () => {
    const job = fakeJobs();
    job.slurm.program("sbatch", 'cat >/dev/null; echo "Submitted batch job 5"');
    const run = await job.jig(["start", "--on", "slurm", "--skill", "s", "--run-id", "r", "--", "true"]);
    expect(run).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "jig job: slurm refused the job: sbatch named no job\n",
    });
    const [id] = readdirSync(join(job.root, "s/r/jobs"));
    expect(await job.status(id!)).toBe("never-started");
  });
});
