import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WORKSPACE_CONFIG, WORKSPACE_MEMORY } from "../../../src/flow/common/workspace.ts";
import { type MemoryWorld, memoryWorld } from "./world.ts";

function init(world: MemoryWorld, directory: string, star = "One login for all") {
  return world.flow(["workspace", "init", "--workspace-root", directory, "--north-star", star]);
}

const text = (workspace: string, file: string) =>
  readFileSync(join(workspace, WORKSPACE_MEMORY, file), "utf8");

describe("workspace init", () => {
  test("flow-53 the home directory is refused; elsewhere three files, whose text stays", async () => {
    const world = memoryWorld();
    const before = readdirSync(world.home);
    expect(await init(world, world.home)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("refusing to initialize"),
    });
    expect(readdirSync(world.home)).toEqual(before);
    const W = join(world.home, "a");
    const first = await init(world, W);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toBe(
      ["activeContext.md", "patterns.md", "progress.md"]
        .map((file) => `created\t${join(W, WORKSPACE_MEMORY, file)}\n`)
        .join(""),
    );
    const made = text(W, "activeContext.md");
    expect(made).toMatch(
      /^# Workspace Active Context\n\n## Current Focus\n\n## North Star\nOne login for all\n\n## Recent/,
    );
    expect(text(W, "patterns.md")).toMatch(/^# Workspace Patterns\n\n## User Standards\n/);
    expect(text(W, "progress.md")).toMatch(/^# Workspace Progress Tracking\n\n## Current Workflow\n/);
    const again = await init(world, W, "Something else");
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("was kept") });
    expect(again.stdout.match(/^unchanged\t/gm)).toHaveLength(3);
    expect(text(W, "activeContext.md")).toBe(made);
    expect(existsSync(join(W, WORKSPACE_CONFIG))).toBe(false);
  });

  test("a north star that is missing or blank is written, missing sections are inserted, nothing else changes", async () => {
    const world = memoryWorld();
    const W = join(world.home, "a");
    mkdirSync(join(W, WORKSPACE_MEMORY), { recursive: true });
    const path = join(W, WORKSPACE_MEMORY, "activeContext.md");
    writeFileSync(path, "mine\n## North Star\n \n## Last Updated\nyesterday\n");
    expect((await init(world, W, "far\naway")).code).toBe(0);
    const healed = text(W, "activeContext.md");
    expect(healed).toMatch(/^mine\n## North Star\nfar\naway\n \n## Current Focus\n/);
    expect(healed).toMatch(/## Session Settings\n\n## Last Updated\nyesterday\n$/);
    writeFileSync(path, "## Last Updated\n");
    await init(world, W);
    expect(text(W, "activeContext.md")).toContain(
      "## Current Focus\n\n## North Star\nOne login for all\n\n## Recent",
    );
  });

  test.each(["/", "missing", ""])("%j is refused, nothing made", async (directory) => {
    const world = memoryWorld();
    expect(await init(world, directory)).toMatchObject({ code: 1, stdout: "" });
    expect(existsSync(join(world.root, "missing"))).toBe(false);
  });

  test("a link to the home directory is the home directory", async () => {
    const world = memoryWorld();
    symlinkSync(world.home, join(world.base, "link"));
    expect((await init(world, join(world.base, "link"))).code).toBe(1);
  });

  test("a north star is needed", async () => {
    const world = memoryWorld();
    const words = ["workspace", "init", "--workspace-root", join(world.home, "a")];
    expect((await world.flow(words)).code).toBe(2);
    expect((await world.flow([...words, "--north-star", " "])).code).toBe(2);
    expect(existsSync(join(world.home, "a", ".craftflow"))).toBe(false);
  });

  test("a file that is no file: exit 1, said as it is", async () => {
    const world = memoryWorld();
    const W = join(world.home, "a");
    mkdirSync(join(W, WORKSPACE_MEMORY, "patterns.md"), { recursive: true });
    expect(await init(world, W)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("failed to write workspace-tier memory: "),
    });
  });
});

describe("workspace show", () => {
  test("none, then one that grants nothing, then one that does", async () => {
    const world = memoryWorld();
    expect(await world.flow(["workspace", "show"])).toMatchObject({ code: 1, stdout: "no workspace\n" });
    const W = join(world.home, "a");
    await init(world, W);
    expect(await world.json("workspace", "show")).toMatchObject({
      project_root: world.root,
      workspace_root: W,
      config: { state: "absent", memory_writable: false },
      may_write: false,
    });
    writeFileSync(
      join(W, WORKSPACE_CONFIG),
      JSON.stringify({ members: ["r", "../x"], memory_writable: true }),
    );
    const shown = await world.json("workspace", "show", "--cwd", world.root);
    expect(shown).toMatchObject({ config: { state: "read", members: ["r"] }, may_write: true });
    expect(shown.files.map(({ exists }: { exists: boolean }) => exists)).toEqual([true, true, true]);
    expect((await world.flow(["workspace", "show"])).stdout).toContain("may write\tyes");
    expect((await world.flow(["workspace", "show", "--cwd", "missing"])).code).toBe(2);
  });
});
