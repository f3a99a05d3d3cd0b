import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../../support/run.ts";
import { runUnprivileged, unprivilegedUid } from "../../support/unprivileged.ts";
import { jobs, makeDirectory } from "../support.ts";

const uid = process.geteuid?.() ?? 0;
const rootName = `compound-engineering-${uid}`;
const mode = (path: string) => statSync(path).mode & 0o7777;
const START = ["start", "--skill", "s", "--run-id", "r"];

describe("the jobs root", () => {
  test("jobs-33 an own base is repaired, what is below keeps its mode; planted ones are refused", async () => {
    const job = jobs();
    makeDirectory(job.root, 0o755);
    makeDirectory(join(job.root, "s"), 0o755);
    const id = await job.start(["true"]);
    await job.settled(id);
    expect([mode(job.root), mode(join(job.root, "s")), mode(join(job.root, "s/r"))]).toEqual([
      0o700, 0o755, 0o700,
    ]);

    const refused = async (root: string, text: string) => {
      const run = await job.jig([...START, "--", "true"], { env: { CE_PEER_JOBS_ROOT: root } });
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toBe(`jig job: ${text}\n`);
    };
    const link = join(job.work, "link");
    symlinkSync(job.root, link);
    const planted = "not a real directory (symlink or file planted?)";
    await refused(link, `${link}: ${planted}`);
    const file = join(job.work, "file");
    writeFileSync(file, "");
    await refused(file, `${file}: ${planted}`);
    const orphan = join(job.work, "no/parent");
    await refused(orphan, `cannot create ${orphan}: parent directory does not exist`);
    symlinkSync(job.work, join(job.root, "s/linked"));
    const run = await job.jig(["start", "--skill", "s", "--run-id", "linked", "--", "true"]);
    expect(run.stderr).toContain(planted);
  });

  test("jobs-34 a hostile umask changes no mode, and the worker still has it", async () => {
    const job = jobs();
    if (uid === 0) chownSync(job.work, unprivilegedUid!, unprivilegedUid!);
    const words = ["job", "start", "--skill", "s", "--run-id", "r", "--", "sh", "-c", "umask"];
    const start = await runUnprivileged(words, { umask: "0777", cwd: job.work, env: job.env });
    expect(start).toMatchObject({ code: 0, stderr: "" });
    const id = start.stdout.trim();
    const directory = job.directory(id);
    await until("the record", () => existsSync(join(directory, "status")));
    for (const part of ["", "s", "s/r", "s/r/jobs", `s/r/jobs/${id}`]) {
      expect([part, mode(join(job.root, part))]).toEqual([part, 0o700]);
    }
    for (const name of readdirSync(directory))
      expect([name, mode(join(directory, name))]).toEqual([name, 0o600]);
    expect(job.file(id, "out.log")).toBe("0777\n");
  });

  test("jobs-35 an occupied primary root sends jobs to TMPDIR, and both are looked in", async () => {
    const job = jobs({ CE_PEER_JOBS_ROOT: undefined });
    const [primary, temporary] = [makeDirectory(join(job.work, "tmp")), makeDirectory(join(job.work, "T"))];
    const env = { JIG_TMP_ROOT: primary, TMPDIR: temporary };
    writeFileSync(join(primary, rootName), "occupied");
    const start = await job.jig([...START, "--json", "--", "true"], { env });
    const { job_id: id, job_dir: directory } = JSON.parse(start.stdout);
    expect(directory).toBe(join(temporary, rootName, "s/r/jobs", id));
    expect(JSON.parse((await job.jig(["root", "--json"], { env })).stdout)).toEqual({
      root: join(temporary, rootName),
      fallback: true,
      candidates: [join(primary, rootName), join(temporary, rootName)],
    });
    rmSync(join(primary, rootName));
    expect((await job.jig(["root"], { env })).stdout).toBe(`${join(primary, rootName)}\n`);
    expect(existsSync(join(primary, rootName))).toBe(false);
    const other = await job.jig([...START, "--json", "--", "true"], { env });
    expect(JSON.parse(other.stdout).job_dir).toContain(primary);
    for (const words of [["wait"], ["status"], ["status", "--skill", "s"]]) {
      expect((await job.jig([...words, id], { env })).stdout).toBe("done\n");
    }
    await job.jig(["wait", JSON.parse(other.stdout).job_id], { env });
  });

  test.skipIf(uid !== 0)("a root of another user, or a link to one, is no root", async () => {
    const job = jobs({ CE_PEER_JOBS_ROOT: undefined });
    const [primary, temporary] = [makeDirectory(join(job.work, "tmp")), makeDirectory(join(job.work, "T"))];
    const squatted = join(primary, rootName);
    writeFileSync(squatted, "occupied");
    const env = { JIG_TMP_ROOT: primary, TMPDIR: temporary };
    const id = (await job.jig([...START, "--", "true"], { env })).stdout.trim();
    expect((await job.jig(["wait", id], { env })).stdout).toBe("done\n");

    rmSync(squatted);
    const runs = join(squatted, "s/r/jobs");
    for (const planted of [id, "20260101T000000Z-00000000"]) {
      mkdirSync(join(runs, planted), { recursive: true });
      chownSync(join(runs, planted), unprivilegedUid!, unprivilegedUid!);
    }
    // A job of ours that another user moved there by name, to be reaped or read.
    mkdirSync(join(runs, "20260101T000000Z-11111111"));
    chownSync(squatted, unprivilegedUid!, unprivilegedUid!);
    const link = join(job.work, "link");
    const expectNone = async (where: Record<string, string>) => {
      for (const planted of ["20260101T000000Z-00000000", "20260101T000000Z-11111111"]) {
        for (const verb of ["status", "wait", "reap", "result", "logs"]) {
          const run = await job.jig([verb, planted], { env: where });
          expect([verb, run.code, run.stderr]).toEqual([verb, 1, expect.stringContaining("not found")]);
        }
      }
    };
    expect((await job.jig(["status", id], { env })).stdout).toBe("done\n");
    expect((await job.jig(["status", "--skill", "s", id], { env })).stdout).toBe("done\n");
    expect(JSON.parse((await job.jig(["list", "--json"], { env })).stdout)).toHaveLength(1);
    await expectNone(env);
    await expectNone({ CE_PEER_JOBS_ROOT: squatted });
    symlinkSync(squatted, link);
    await expectNone({ CE_PEER_JOBS_ROOT: link });
    const work = { CE_WORK_RUNS_ROOT: join(squatted, "s") };
    chownSync(join(squatted, "s"), unprivilegedUid!, unprivilegedUid!);
    expect((await job.jig(["status", "--skill", "ce-work", id], { env: work })).code).toBe(1);
    expect((await job.jig(["list", "--json", "--skill", "ce-work"], { env: work })).stdout).toBe("[]\n");
  });

  test("jobs-36 the runs of ce-work may live in a root of their own", async () => {
    const job = jobs();
    const work = join(job.work, "W");
    const env = { CE_WORK_RUNS_ROOT: work };
    const start = await job.jig(["start", "--skill", "ce-work", "--run-id", "r", "--json", "--", "true"], {
      env,
    });
    const { job_id: id, job_dir: directory } = JSON.parse(start.stdout);
    expect(directory).toBe(join(work, "r/jobs", id));
    expect((await job.jig(["wait", "--skill", "ce-work", id], { env })).stdout).toBe("done\n");
    expect((await job.jig(["status", id], { env })).code).toBe(1);
    expect((await job.jig(["status", "--skill", "ce-work", id], { env })).stdout).toBe("done\n");
    expect((await job.jig(["status", "--skill", "s", id], { env })).code).toBe(1);
    const elsewhere = await job.start(["true"], [], env);
    expect(existsSync(job.directory(elsewhere))).toBe(true);
    await job.settled(elsewhere);
  });

  test("jobs-40 a project's .env has no say", async () => {
    const job = jobs({ CE_PEER_JOBS_ROOT: undefined });
    const env = { JIG_TMP_ROOT: makeDirectory(join(job.work, "tmp")) };
    const cwd = makeDirectory(join(job.work, "project"));
    writeFileSync(join(cwd, ".env"), `CE_PEER_JOBS_ROOT=${job.work}/elsewhere\nFROM_DOTENV=1\n`);
    const start = await job.jig([...START, "--json", "--", "sh", "-c", 'echo "<$FROM_DOTENV>"'], {
      env,
      cwd,
    });
    const { job_id: id, job_dir: directory } = JSON.parse(start.stdout);
    expect(directory).toBe(join(env.JIG_TMP_ROOT, rootName, "s/r/jobs", id));
    expect((await job.jig(["wait", id], { env, cwd })).stdout).toBe("done\n");
    expect((await job.jig(["logs", id], { env, cwd })).stdout).toBe("<>\n");
    expect(existsSync(join(job.work, "elsewhere"))).toBe(false);
  });

  test("jobs-50 two names of one root do not make an id ambiguous", async () => {
    const job = jobs({ CE_PEER_JOBS_ROOT: undefined });
    const real = makeDirectory(join(job.work, "tmp"));
    symlinkSync(real, join(job.work, "alias"));
    const env = { JIG_TMP_ROOT: real, TMPDIR: join(job.work, "alias") };
    const id = (await job.jig([...START, "--", "true"], { env })).stdout.trim();
    expect(await job.jig(["wait", id], { env })).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
    expect((await job.jig(["list", "--no-header"], { env })).stdout.trim().split("\n")).toHaveLength(1);
  });

  test("looking for a job creates nothing; refs that lead nowhere are said", async () => {
    const job = jobs();
    const why = async (ref: string, ...flags: string[]) => (await job.jig(["status", ...flags, ref])).stderr;
    expect(await why("id")).toBe(`jig job: job not found under ${job.root}: id\n`);
    expect(await why("./x")).toBe("jig job: no such job dir: ./x\n");
    expect(await why("a b")).toBe("jig job: invalid job ref: 'a b'\n");
    expect(await why("..")).toBe("jig job: invalid job ref: '..'\n");
    expect(await why("id", "--skill", "..")).toBe("jig job: invalid skill: '..'\n");
    expect(existsSync(job.root)).toBe(false);
    for (const run of ["r1", "[r2"]) mkdirSync(join(job.root, ".s", run, "jobs/same"), { recursive: true });
    expect(await why("same")).toBe("jig job: ambiguous job id same: 2 matches; pass the job dir path\n");
    rmSync(join(job.root, ".s/r1"), { recursive: true });
    expect((await job.jig(["status", "same"])).stdout).toBe("never-started\n");
    symlinkSync(join(job.root, ".s/[r2/jobs/same"), join(job.work, "link"));
    expect((await job.jig(["status", "./link"])).stdout).toBe("unreadable\n");
  });

  test("root fails where start would", async () => {
    const job = jobs();
    const root = (given: string) => job.jig(["root"], { env: { CE_PEER_JOBS_ROOT: given } });
    expect((await root("relative")).stdout).toBe(`${join(job.work, "relative")}\n`);
    expect((await root(join(job.work, "no/parent"))).code).toBe(1);
    writeFileSync(join(job.work, "file"), "");
    expect((await root(join(job.work, "file"))).stderr).toContain("not a real directory");
    const relative = await job.jig(["root"], { env: { CE_PEER_JOBS_ROOT: undefined, JIG_TMP_ROOT: "tmp" } });
    expect(relative).toMatchObject({ code: 1, stdout: "" });
  });

  test.skipIf(process.platform === "win32")("a root that cannot be written is said", async () => {
    const job = jobs();
    makeDirectory(job.root, 0o500);
    if (uid === 0) {
      for (const path of [job.work, job.root]) chownSync(path, unprivilegedUid!, unprivilegedUid!);
    }
    const run = await runUnprivileged(["job", "root"], { cwd: job.work, env: job.env });
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toContain(job.root);
    chmodSync(job.root, 0o700);
  });
});
