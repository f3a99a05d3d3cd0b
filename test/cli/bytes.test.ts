import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { type RunOptions, type RunOutput, runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

interface World {
  base: string;
  work: string;
  /** Run jig by a shell line, in which `jig` is the program and `$E9` a byte that is no UTF-8. */
  shell(line: string, options?: RunOptions): Promise<RunOutput>;
  /** Every path there is, as Latin-1. */
  everything(): string[];
}

function world(): World {
  const base = tempDir();
  const work = join(base, "work");
  mkdirSync(work);
  mkdirSync(join(base, "T"));
  const env = {
    HOME: base,
    JIG_TMP_ROOT: base,
    TMPDIR: join(base, "T"),
    CE_PEER_JOBS_ROOT: join(base, "jobs"),
  };
  return {
    base,
    work,
    shell: (line, options = {}) =>
      runJig(["-c", `E9=$(printf 'caf\\351.txt'); jig() { "$0" "$@"; }; ${line}`, JIG], {
        program: "/bin/sh",
        cwd: work,
        ...options,
        env: { ...env, ...options.env },
      }),
    everything: () => execFileSync("find", [base], { encoding: "latin1" }).split("\n").sort(),
  };
}

const WORDS: readonly (readonly [line: string, position: number])[] = [
  [`jig job start --skill s --run-id r -- wc -c "$E9"`, 10],
  [`jig job start --skill s --run-id r --result-path "$E9" -- true`, 8],
  [`jig job start --skill s --run-id r --label="$E9" -- true`, 7],
  [`jig job status "$E9"`, 3],
  [`jig job reap "./$E9"`, 3],
  [`jig web start --root "$E9"`, 4],
  [`jig web stop --root "$E9"`, 4],
  [`jig base-dir resolve "$E9"`, 3],
  [`jig base-dir record --base "$E9" --source cwd-inference`, 4],
  [`jig scratch s "$E9"`, 3],
  [`jig config docs-root "$E9" --create`, 3],
  [`jig packs show "$E9"`, 3],
  [`jig plan check "$E9"`, 3],
  [`jig plan reserve --type feat --topic "$E9"`, 6],
  [`jig elevate opus "$E9" out.json`, 3],
  [`jig skills install --dir "$E9"`, 4],
  [`jig skills export jig-jobs "$E9"`, 4],
  [`jig link "$E9"`, 2],
  [`jig craft manifest-lint "$E9"`, 3],
  [`jig "$E9"`, 1],
  [`jig --as peer-job-runner.py start --skill s --run-id r -- true "$E9"`, 10],
];

// Other systems have no such names.
describe.runIf(process.platform === "linux")("bytes that are not UTF-8", () => {
  test.each(WORDS)("cli-37 refused before anything is done: %s", async (line, position) => {
    const { shell, everything } = world();
    const before = everything();
    const run = await shell(line);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      new RegExp(`argument ${position}, '.*caf\\\\xe9\\.txt', is not valid UTF-8\n`),
    );
    expect(everything()).toEqual(before);
  });

  test("the replacement character itself is a character like another", async () => {
    const { shell, base } = world();
    const start = await shell(
      `V=\ufffd jig job start --skill s --run-id r -- sh -c 'printf "%s %s" "$1" "$V"' x \ufffdé`,
    );
    expect(start).toMatchObject({ code: 0, stderr: "" });
    const id = start.stdout.trim();
    expect((await shell(`jig job wait ${id}`)).stdout).toBe("done\n");
    expect(readFileSync(join(base, "jobs/s/r/jobs", id, "out.log"), "utf8")).toBe("\ufffdé \ufffd");
  });

  test("cli-38 a variable of a worker's is carried or its name is said, nothing started", async () => {
    const { shell, everything } = world();
    const before = everything();
    for (const line of [
      'V="$E9" jig job start --skill s --run-id r -- sh -c true',
      'V="$E9" jig --as peer-job-runner.py start --skill s --run-id r -- true',
      'V="$E9" JIG_LAUNCHER_PID=1 jig job start --skill s --run-id r -- true',
    ]) {
      const run = await shell(line);
      expect([run.code, run.stdout, run.stderr]).toEqual([
        1,
        "",
        expect.stringContaining("environment variable V is not valid UTF-8"),
      ]);
      expect(everything()).toEqual(before);
    }
    const name = await shell(`exec env "$E9=1" "$0" job start --skill s --run-id r -- true`);
    expect([name.code, name.stderr]).toEqual([1, expect.stringContaining("is not valid UTF-8")]);
    expect(everything()).toEqual(before);
  });

  test("a variable nobody asks for keeps nobody from anything", async () => {
    const { shell } = world();
    for (const line of [
      "version",
      "job list",
      "scratch s r",
      "base-dir resolve",
      "skills list",
      "config list",
      "doctor",
    ]) {
      const run = await shell(`V="$E9" jig ${line}`);
      expect([line, run.stderr]).not.toEqual([line, expect.stringContaining("UTF-8")]);
    }
    expect((await shell('V="$E9" jig doctor')).stdout).toContain("V is not valid UTF-8");
    expect((await shell('TMPDIR="/$E9" CE_PEER_JOBS_ROOT= jig job list')).code).toBe(0);
  });

  test.each([
    ["HOME", "jig config list"],
    ["JIG_TMP_ROOT", "jig scratch s r"],
    ["CE_PEER_JOBS_ROOT", "jig job root"],
    ["PATH", "jig config list"],
    ["GIT_SSH_COMMAND", "jig config list"],
    ["CE_WORK_RUNS_ROOT", "jig job list"],
  ])("a variable that jig or its git obeys is refused by name: %s", async (name, line) => {
    const { shell, everything } = world();
    const before = everything();
    const run = await shell(`${name}="/$E9" ${line}`);
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringContaining(`environment variable ${name} is not valid UTF-8`),
    ]);
    expect(everything()).toEqual(before);
  });

  test.each([
    "job start --skill s --run-id r -- true",
    "job start --skill s --run-id r --result-path out -- sh -c 'touch out'",
    "web start --root .",
    "web stop --root .",
    "base-dir resolve",
    "base-dir resolve task",
    "config check",
    "config docs-root --create",
    "packs resolve",
    "plan reserve --type feat --topic x",
    "skills install --dir .",
    "link .",
    "craft manifest-lint",
  ])("cli-39 a working directory of such a name: %s", async (line) => {
    const { shell, everything } = world();
    await shell('mkdir "$E9" && git init -q "$E9"');
    const before = everything();
    const run = await shell(`cd "$E9" && jig ${line}`);
    const said = run.stderr + run.stdout;
    expect([line, run.code === 0 && line !== "packs resolve", said]).toEqual([
      line,
      false,
      expect.stringContaining("is not valid UTF-8"),
    ]);
    expect(everything()).toEqual(before);
  });

  test("what needs no working directory works in one of such a name", async () => {
    const { shell } = world();
    await shell('mkdir "$E9"');
    const id = (await shell("jig job start --skill s --run-id r -- sleep 30")).stdout.trim();
    expect((await shell(`cd "$E9" && CE_PEER_GRACE_SECS=1 jig job reap ${id}`)).code).toBe(0);
    expect((await shell(`cd "$E9" && jig job wait ${id}`)).code).toBe(0);
    expect((await shell('cd "$E9" && jig version')).code).toBe(0);
  });
});
