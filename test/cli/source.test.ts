import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DENO, ROOT } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

describe("run from source by Deno", () => {
  test("cli-26 base-dir and job give the same results as the binary", { timeout: 60_000 }, async () => {
    const base = tempDir();
    const cwd = join(base, "project");
    mkdirSync(cwd);
    const env = {
      HOME: join(base, "home"),
      JIG_TMP_ROOT: base,
      DENO_DIR: join(base, "deno"),
      DENO_NO_UPDATE_CHECK: "1",
    };
    const deno = (...words: string[]) =>
      runJig(["run", "-A", "--quiet", join(ROOT, "src/main.ts"), ...words], { program: DENO, cwd, env });
    const binary = (...words: string[]) => runJig(words, { cwd, env });

    const first = await deno("base-dir", "resolve", "--json");
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(JSON.parse(first.stdout)).toMatchObject({
      status: "resolved",
      base: cwd,
      source: "cwd-inference",
    });
    expect((await deno("base-dir", "resolve", "--json")).stdout).toBe(
      (await binary("base-dir", "resolve", "--json")).stdout,
    );

    const result = join(base, "result.txt");
    const worker = ["sh", "-c", 'echo made > "$1"', "sh", result];
    const start = await deno(
      "job",
      "start",
      "--skill",
      "s",
      "--run-id",
      "r",
      "--result-path",
      result,
      "--",
      ...worker,
    );
    expect([start.code, start.stderr]).toEqual([0, ""]);
    const id = start.stdout.trim();
    expect((await binary("job", "wait", "--max-secs", "10", id)).stdout).toBe("done\n");
    for (const words of [
      ["job", "status", "--json", id],
      ["job", "result", id],
      ["job", "root"],
    ]) {
      const [a, b] = [await deno(...words), await binary(...words)];
      expect([words, a.code, a.stdout]).toEqual([words, b.code, b.stdout]);
    }
  });
});
