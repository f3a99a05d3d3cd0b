import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STEPS } from "../../src/demo/steps.ts";
import { JIG } from "../support/paths.ts";
import { runJig, testEnv, until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

/** Command lines of live processes that name a directory. */
function processesNaming(directory: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.includes(directory) ? [line] : [];
      } catch {
        return [];
      }
    });
}

describe("jig demo", () => {
  test("cli-15 every step has a line, and nothing is left", { timeout: 60_000 }, async () => {
    const base = tempDir();
    const [cwd, temp] = [join(base, "here"), join(base, "tmp")];
    mkdirSync(cwd);
    mkdirSync(temp);
    const run = await runJig(["demo", "--no-open"], { cwd, env: { TMPDIR: temp }, timeout: 55_000 });
    expect([run.code, run.stderr]).toEqual([0, ""]);
    for (const step of STEPS) expect(run.stdout).toMatch(new RegExp(`^ok +[\\d.]+ s  ${step.title}$`, "m"));
    expect(readdirSync(cwd)).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
    await until(
      "the demo's processes to end",
      () => process.platform !== "linux" || processesNaming(temp).length === 0,
    );
  });

  test("cli-16 without git it says so, skips what needs it, and exits 1", { timeout: 60_000 }, async () => {
    const base = tempDir();
    const bin = join(base, "bin");
    mkdirSync(bin);
    for (const program of ["sh", "ps"]) {
      const found = ["/bin", "/usr/bin"]
        .map((place) => join(place, program))
        .find((path) => existsSync(path));
      if (found !== undefined) symlinkSync(found, join(bin, program));
    }
    const run = await runJig(["demo", "--no-open", "--json"], {
      env: { PATH: bin, TMPDIR: base },
      timeout: 55_000,
    });
    expect(run.code).toBe(1);
    const { steps } = JSON.parse(run.stdout) as { steps: { step: string; status: string; result: string }[] };
    for (const step of STEPS) {
      const report = steps.find((candidate) => candidate.step === step.id);
      expect([step.id, report?.status]).toEqual([step.id, step.needsGit ? "skipped" : "done"]);
      if (step.needsGit) expect(report?.result).toContain("git is missing");
    }
    const text = await runJig(["demo", "--no-open"], { env: { PATH: bin, TMPDIR: base }, timeout: 55_000 });
    expect(text.stdout).toContain("git is missing");
    expect(text.stdout).toContain(STEPS.find((step) => step.needsGit)!.title);
  });

  test("cli-17 --keep holds the screen until SIGINT, then leaves nothing", { timeout: 60_000 }, async () => {
    const temp = tempDir();
    const child = spawn(JIG, ["demo", "--keep", "--no-open"], {
      env: testEnv({ TMPDIR: temp }),
      stdio: "pipe",
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    await until("the kept screen", () => out.includes("Press Ctrl-C"), 50_000);
    const address = /The screen: (\S+)/.exec(out)![1]!;
    expect((await fetch(address)).status).toBe(200);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(readdirSync(temp)).toEqual([]);
    await expect(fetch(address)).rejects.toThrow();
  });
});

test("neither the user's git settings nor a proxy of the environment gets into the demo", {
  timeout: 60_000,
}, async () => {
  const base = tempDir();
  const [home, temp] = [join(base, "home"), join(base, "tmp")];
  mkdirSync(join(home, "hooks"), { recursive: true });
  mkdirSync(temp);
  writeFileSync(join(home, "hooks", "pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const settings = [
    `[core]\nhooksPath = ${join(home, "hooks")}`,
    "[commit]\ngpgsign = true",
    "[gpg]\nprogram = false",
  ];
  writeFileSync(join(home, ".gitconfig"), settings.join("\n"));
  const proxy = "http://127.0.0.1:9";
  const env = { HOME: home, TMPDIR: temp, HTTP_PROXY: proxy, http_proxy: proxy };
  const run = await runJig(["demo", "--no-open"], { env, timeout: 55_000 });
  expect([run.code, run.stdout]).toEqual([0, expect.not.stringContaining("FAIL")]);
});

describe("a demo that is ended from outside", () => {
  async function interrupted(signal: NodeJS.Signals) {
    const temp = join(tempDir(), "it's a place");
    mkdirSync(temp);
    const env = { TMPDIR: temp, HOME: temp, JIG_TMP_ROOT: temp };
    const child = spawn(JIG, ["demo", "--no-open"], { env: testEnv(env), stdio: "pipe" });
    child.stdout.resume();
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const made = () => readdirSync(temp).filter((name) => name.startsWith("jig-demo-"));
    await until("its jobs", () => made().some((name) => existsSync(join(temp, name, "jobs"))), 30_000);
    child.kill(signal);
    return { temp, env, code: await ended, left: made() };
  }

  test("a closed terminal leaves nothing", { timeout: 60_000 }, async () => {
    const { temp, code, left } = await interrupted("SIGHUP");
    expect([code, left]).toEqual([129, []]);
    await until("its processes to end", () => processesNaming(temp).length === 0);
  });

  test("what a killed one left is a finding, and its remedy works as it stands", {
    timeout: 80_000,
  }, async () => {
    const { temp, env, left } = await interrupted("SIGKILL");
    expect(left).toHaveLength(1);
    await until("its job to end", () => processesNaming(temp).length === 0, 50_000);
    const sick = await runJig(["doctor", "--json"], { env });
    const { checks } = JSON.parse(sick.stdout) as { checks: { check: string; mend: string | null }[] };
    const mend = checks.find((check) => check.check === "demo")?.mend;
    expect([sick.code, mend]).toEqual([1, expect.stringContaining("rm -rf ")]);
    expect((await runJig(["-c", mend!], { program: "sh", env })).code).toBe(0);
    expect((await runJig(["doctor"], { env })).stdout).not.toContain("jig-demo-");
  });

  test("a demo that runs is no finding", { timeout: 60_000 }, async () => {
    const temp = tempDir();
    const env = { TMPDIR: temp, HOME: temp, JIG_TMP_ROOT: temp };
    const child = spawn(JIG, ["demo", "--no-open", "--keep"], { env: testEnv(env), stdio: "pipe" });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await until("the kept screen", () => out.includes("Press Ctrl-C"), 50_000);
    expect((await runJig(["doctor"], { env })).stdout).not.toContain("a demo that was killed");
    child.kill("SIGTERM");
    await ended;
  });
});

describe("jig doctor", () => {
  /** A machine with nothing on it: an empty home, private temp roots, a PATH with git alone. */
  function cleanMachine() {
    const base = tempDir();
    chmodSync(base, 0o700);
    const home = join(base, "home");
    mkdirSync(home);
    return { base, env: { HOME: home, JIG_TMP_ROOT: base, TMPDIR: base } };
  }

  test("cli-18 nothing is wrong on a clean machine; a job without supervisor is a finding with its remedy", async () => {
    const { env } = cleanMachine();
    const clean = await runJig(["doctor"], { env });
    expect([clean.code, clean.stdout]).toEqual([0, expect.stringContaining("nothing is wrong")]);

    const start = await runJig(
      ["job", "start", "--skill", "s", "--run-id", "r", "--json", "--", "sleep", "60"],
      { env },
    );
    const { job_id, job_dir } = JSON.parse(start.stdout);
    const { supervisor_pid } = JSON.parse(readFileSync(join(job_dir, "pid"), "utf8"));
    process.kill(supervisor_pid, "SIGKILL");
    await until("the supervisor to be gone", () => !existsSync(`/proc/${supervisor_pid}/exe`) || undefined);
    const sick = await runJig(["doctor"], { env });
    expect(sick.code).toBe(1);
    expect(sick.stdout).toContain(`jig job reap ${job_id}`);
    expect((await runJig(["job", "reap", job_id], { env })).code).toBe(0);
    expect((await runJig(["doctor"], { env })).code).toBe(0);
  });

  test("the remedy for an out-of-date skill mends that copy, in a project and below an odd path", async () => {
    const { base, env } = cleanMachine();
    const cwd = join(base, "it's a repo");
    mkdirSync(join(cwd, ".git"), { recursive: true });
    const where = ["--scope", "project", "--host", "agents"];
    expect((await runJig(["skills", "install", ...where, "packs"], { cwd, env })).code).toBe(0);
    rmSync(join(cwd, ".agents/skills/jig-packs/SKILL.md"));
    const mends = async (extra: Record<string, string> = {}) => {
      const run = await runJig(["doctor", "--json"], { cwd, env: { ...env, ...extra } });
      const { checks } = JSON.parse(run.stdout) as { checks: { check: string; mend: string | null }[] };
      return checks.filter((check) => check.check === "skills").map((check) => check.mend);
    };
    // The text says a bare jig: while none is on PATH, an update alone would not help.
    const [place, update] = await mends();
    expect(place).toMatch(/^put it there: ln -s \/.*jig /);
    expect(update).toContain("jig skills update ");
    const bin = join(base, "bin");
    mkdirSync(bin);
    symlinkSync(JIG, join(bin, "jig"));
    const PATH = `${bin}:${process.env["PATH"]}`;
    expect(await mends({ PATH })).toEqual([update]);
    const run = await runJig(["-c", update!], { program: "sh", cwd: base, env: { ...env, PATH } });
    expect(run.code).toBe(0);
    expect(await mends({ PATH })).toEqual([null]);
  });

  test("variables that change how the runtime starts are findings", async () => {
    const { env } = cleanMachine();
    const run = await runJig(["doctor", "--json"], { env: { ...env, BUN_INSPECT_NOTIFY: "unix:/nowhere" } });
    expect(run.code).toBe(1);
    const { checks } = JSON.parse(run.stdout) as { checks: { level: string; mend: string }[] };
    expect(checks).toContainEqual(
      expect.objectContaining({ level: "finding", mend: "unset BUN_INSPECT_NOTIFY" }),
    );
  });

  test("a drop-in name whose jig is gone, and a server that left its pid file, are findings", async () => {
    const { base, env } = cleanMachine();
    const bin = join(base, "bin");
    mkdirSync(bin);
    symlinkSync("/nowhere/jig", join(bin, "cafleet"));
    const root = join(base, `compound-engineering-${process.geteuid!()}`, "show", "run1");
    const words = ["web", "start", "--root", root];
    await runJig(["scratch", "show", "run1"], { env });
    const { pid } = JSON.parse((await runJig(words, { env })).stdout);
    process.kill(pid, "SIGKILL");
    await until("the server to be gone", () => !existsSync(`/proc/${pid}/exe`) || undefined);
    const run = await runJig(["doctor"], { env: { ...env, PATH: `${bin}:${process.env["PATH"]}` } });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain(`jig link ${bin} cafleet`);
    expect(run.stdout).toContain(`jig web stop --root ${root}`);
  });
});
