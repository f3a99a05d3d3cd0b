import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { runJig, testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** What bash offers for a line being typed. */
async function complete(line: string, env: Record<string, string> = {}): Promise<string[]> {
  const script = (await runJig(["completions", "bash"])).stdout;
  const file = join(tempDir(), "jig.bash");
  writeFileSync(file, script);
  const words = line.split(" ");
  const array = words.map((word) => `'${word}'`).join(" ");
  const program = `source '${file}'; COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _jig; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const path = `${JIG.slice(0, JIG.lastIndexOf("/"))}:${process.env["PATH"]}`;
  const run = spawnSync("bash", ["--norc", "-c", program], {
    env: testEnv({ PATH: path, ...env }),
    encoding: "utf8",
  });
  expect(run.stderr).toBe("");
  return run.stdout.split("\n").filter(Boolean);
}

describe("jig completions", () => {
  test("cli-20 each script passes its shell's own syntax check", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const script = await runJig(["completions", shell]);
      expect([shell, script.code, script.stderr]).toEqual([shell, 0, ""]);
      if (!has(shell)) continue;
      const file = join(tempDir(), `jig.${shell}`);
      writeFileSync(file, script.stdout);
      const check = spawnSync(shell, [shell === "fish" ? "--no-execute" : "-n", file], { encoding: "utf8" });
      expect([shell, check.status, check.stderr]).toEqual([shell, 0, ""]);
    }
    expect((await runJig(["completions", "powershell"])).stdout).toContain("Register-ArgumentCompleter");
    expect((await runJig(["completions", "tcsh"])).code).toBe(2);
  });

  test("bash completes commands, verbs, flags and values", async () => {
    expect(await complete("jig jo")).toEqual(["job"]);
    expect(await complete("jig job st")).toEqual(["start", "status"]);
    expect((await complete("jig job start --resu")).sort()).toEqual(["--result-max-bytes", "--result-path"]);
    expect(await complete("jig completions z")).toEqual(["zsh"]);
    // bash breaks words at an equals sign.
    expect(await complete("jig skills install --host = cl")).toEqual(["claude"]);
    expect(await complete("jig skills install --scope =")).toEqual(["user", "project"]);
  });

  test("bash completes the ids of real jobs", async () => {
    const env = { CE_PEER_JOBS_ROOT: join(tempDir(), "jobs") };
    const id = (
      await runJig(["job", "start", "--skill", "s", "--run-id", "r", "--", "true"], { env })
    ).stdout.trim();
    await runJig(["job", "wait", id], { env });
    expect(await complete(`jig job status ${id.slice(0, 4)}`, env)).toEqual([id]);
  });
});
