/** The names of upstream's memory programs (docs/spec/flow.md 16), as a skill that knows nothing of jig calls them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const as = (cwd: string, name: string, words: readonly string[], stdin = "") =>
  runJig(["--as", name, ...words], { cwd, stdin });

const MERGE = "craftflow_memory_merge.py";
const REPAIR = "craftflow_memory_repair.py";
const WORKSPACE = "craftflow_workspace_init.py";
const COPY = "craftflow_worktree_copy_fallback.py";

describe("upstream's names", () => {
  test("memory merge reads stdin, and prints the merged text alone", async () => {
    const input = { file_text: "# T\n\n## Notes\n- old (conf: 0.8)\n\n## Last Updated\n", section: "Notes" };
    const run = await as(tempDir(), MERGE, [], JSON.stringify({ ...input, notes: ["new"] }));
    expect(run).toMatchObject({
      code: 0,
      // The blank line before a heading goes, and the program ends its output with a newline of its own.
      stdout: "# T\n\n## Notes\n- old (conf: 0.8)\n- new (conf: 0.8)\n## Last Updated\n\n",
    });
    const archive = { dir_rel: "archive", section_slug: "notes", month: "2026-07" };
    const evicting = { ...input, notes: ["ünï"], max_bullets: 1, archive };
    const archived = await as(tempDir(), MERGE, [], JSON.stringify(evicting));
    expect(archived.stdout).toMatch(/^\{"file_text": ".*\\u00fcn\\u00ef.*", "archived_bullets": \[/);
    expect(await as(tempDir(), MERGE, [])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "Error: empty input\n",
    });
  });

  test("memory repair names its missing flag as upstream did, and repairs", async () => {
    const cwd = tempDir();
    const missing = await as(cwd, REPAIR, []);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^usage:[\s\S]*the following arguments are required: --target-dir\n$/);
    const gone = await as(cwd, REPAIR, ["--target-dir", cwd]);
    expect(gone).toMatchObject({ code: 1 });
    expect(gone.stderr).toMatch(/^Error: target file not found: /);
  });

  test("workspace init makes its files; without a text it says what is missing", async () => {
    const cwd = tempDir();
    for (const name of ["a", "b"]) mkdirSync(join(cwd, "w", name, ".git"), { recursive: true });
    writeFileSync(join(cwd, "w/.craftflow-workspace.json"), '{"members":["a","b"]}');
    const missing = await as(cwd, WORKSPACE, ["--north-star", "x"]);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^usage:[\s\S]*the following arguments are required: --workspace-root\n$/);
    const made = await as(cwd, WORKSPACE, ["--workspace-root", join(cwd, "w"), "--north-star", "One goal"]);
    expect(made).toMatchObject({ code: 0 });
    const memory = join(cwd, "w/.craftflow/state/workspace/activeContext.md");
    expect(readFileSync(memory, "utf8")).toContain("## North Star\nOne goal");
    expect(existsSync(join(cwd, "w/.craftflow/state/workspace/patterns.md"))).toBe(true);
  });

  test("the copy fallback takes two places, no flag of ours, and says so", async () => {
    const cwd = tempDir();
    for (const words of [[], ["only-one"], ["a", "b", "c"], ["a", "b", "--json"]]) {
      const run = await as(cwd, COPY, words);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toMatch(/^usage:/);
    }
    const none = await as(cwd, COPY, [cwd, cwd]);
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toContain("git status failed in worktree");
  });
});
