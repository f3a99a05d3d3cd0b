import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { templateOf } from "../../../src/flow/memory/text/files.ts";
import { memoryWorld, PERMIT, PROJECT, WF } from "./world.ts";

const ACTIVE = `${PROJECT}/activeContext.md`;

describe("memory heal", () => {
  test("flow-34 a missing section is inserted directly before Last Updated, once", async () => {
    const world = memoryWorld();
    const before = templateOf("activeContext.md").replace(/## References\n(?:- .*\n)*\n/, "");
    world.write(ACTIVE, before);
    for (const file of ["patterns.md", "progress.md"] as const)
      world.write(`${PROJECT}/${file}`, templateOf(file));
    expect(await world.flow(["memory", "heal", "--check"])).toMatchObject({
      code: 1,
      stdout: "activeContext.md: References\n",
    });
    expect(world.read(ACTIVE)).toBe(before);
    const run = await world.flow(["memory", "heal"]);
    expect(run).toEqual({ code: 0, stdout: "activeContext.md: References\n", stderr: "" });
    const after = world.read(ACTIVE);
    expect(after).toContain("## References\n\n## Last Updated");
    expect(after.replace("## References\n\n", "")).toBe(before);
    expect(await world.flow(["memory", "heal"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(world.read(ACTIVE)).toBe(after);
    expect((await world.flow(["memory", "heal", "--check"])).code).toBe(0);
  });

  test("a workflow's files are made when they are asked for", async () => {
    const world = memoryWorld();
    world.workflow();
    const { directory, files } = await world.json("memory", "heal", "--wf", "1a2b3c4d");
    expect(directory).toBe(world.layout.memory(WF));
    expect(files).toHaveLength(3);
    expect(readdirSync(directory)).toHaveLength(3);
  });

  test.each([
    [["--tier", "workflow"], 2],
    [["--tier", "project", "--wf", WF], 2],
    [["--tier", "workspace"], 1],
    [["--tier", "nonsense"], 2],
    [["--wf", "wf-unknown"], 1],
  ])("%j: exit %i, nothing written", async (words, code) => {
    const world = memoryWorld();
    expect(await world.flow(["memory", "heal", ...words])).toMatchObject({ code, stdout: "" });
    expect(readdirSync(join(world.root, ".craftflow/state"))).toEqual(["workflows"]);
  });
});

describe("memory add", () => {
  test("flow-61 the exact text is the last bullet, once; an unknown section is a usage error", async () => {
    const world = memoryWorld();
    world.workflow();
    const from = world.write("F", 'Build clarification [db]: use "pg"\n');
    expect(await world.flow(["memory", "add", "decisions", "--from", from])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const once = world.read(ACTIVE);
    expect(once).toContain('## Decisions\n- Build clarification [db]: use "pg"\n\n## Learnings');
    await world.flow(["memory", "add", "Decisions", 'Build clarification [db]: use "pg"']);
    expect(world.read(ACTIVE)).toBe(once);
    expect(await world.flow(["memory", "add", "nonsense", "x"])).toMatchObject({ code: 2, stdout: "" });
    const words = ["memory", "add", "recent-changes", "[DEBUG-1]: x", "--tier", "workflow", "--wf", WF];
    expect((await world.flow(words)).code).toBe(0);
    expect(world.read(`.craftflow/state/workflows/${WF}/activeContext.md`)).toContain(
      "## Recent Changes\n- [DEBUG-1]: x\n",
    );
    expect(world.read(ACTIVE)).toBe(once);
  });

  test("a setting replaces its earlier lines, in every section of that name; comments and other settings stay", async () => {
    const world = memoryWorld();
    const add = (text: string) =>
      world.json("memory", "add", "session-settings", "--from", world.write("F", text));
    const proceed = async () => (await world.flow(["just-go"])).stdout;
    await add("AUTO_PROCEED: true");
    await add("DIFF_DRIVEN_DOCS: skip");
    await add("AUTO_PROCEED: false");
    expect(await proceed()).toBe("false\n");
    expect(await add("- AUTO_PROCEED: true")).toMatchObject({ added: true });
    expect(await world.flow(["just-go"])).toEqual({ code: 0, stdout: "true\n", stderr: "" });
    expect(world.read(ACTIVE)).toContain(
      "## Session Settings\n# AUTO_PROCEED: false\n- DIFF_DRIVEN_DOCS: skip\n- AUTO_PROCEED: true\n\n",
    );
    expect(await add("AUTO_PROCEED: true")).toMatchObject({ added: false });
    const fenced = "```\nAUTO_PROCEED: false\n```\n";
    const second = "## Session Settings\nAUTO_PROCEED: false\nas it is";
    world.write(ACTIVE, `## Session Settings\nauto: on\nAUTO_PROCEED: true\n${fenced}${second}`);
    await add("AUTO_PROCEED: true");
    await add("no setting");
    expect(world.read(ACTIVE)).toContain(`auto: on\n${fenced}- AUTO_PROCEED: true\n- no setting\n`);
    expect(world.read(ACTIVE)).toContain("## Session Settings\nas it is");
    expect(await proceed()).toBe("true\n");
  });

  test("a bullet follows what is there; newlines become blanks; other bytes stay", async () => {
    const world = memoryWorld();
    const before = "# T\r\n## Decisions\r\n- one\r\ntext \r\n\r\n## Last Updated\r\nx";
    world.write(ACTIVE, before);
    await world.flow(["memory", "add", "decisions", "a\nb"]);
    const after = world.read(ACTIVE);
    expect(after).toContain("- one\r\ntext \r\n- a b\n\r\n");
    const { added, path } = await world.json("memory", "add", "decisions", "a b");
    expect({ added, path }).toEqual({ added: false, path: join(world.root, ACTIVE) });
  });

  test.each([
    [["decisions"]],
    [["decisions", " "]],
    [["decisions", "x", "--from", "y"]],
    [["decisions", "x", "--tier", "workflow"]],
    [["decisions", "x", "--wf", WF]],
    [["last-updated", "x"]],
    [["decisions", "x", "--tier", "workspace"]],
  ])("%j is a usage error, nothing written", async (words) => {
    const world = memoryWorld();
    expect((await world.flow(["memory", "add", ...words])).code).toBe(2);
    expect(existsSync(join(world.root, PROJECT))).toBe(false);
  });

  test("a file at its limit takes no more, and stays", async () => {
    const world = memoryWorld();
    const text = templateOf("activeContext.md");
    const path = world.write(ACTIVE, text + "x".repeat((8 << 20) - text.length));
    const run = await world.flow(["memory", "add", "decisions", "one more"]);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("8388608 are the limit") });
    expect(readFileSync(path).length).toBe(8 << 20);
    writeFileSync(path, `${text}${"x".repeat(8 << 20)}`);
    const over = await world.flow(["memory", "add", "decisions", "one more"]);
    expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining("too large") });
    expect(readdirSync(join(world.root, PROJECT))).toEqual(["activeContext.md"]);
  });
});

describe("memory permit", () => {
  test("set, show, clear", async () => {
    const world = memoryWorld();
    world.workflow();
    expect(await world.flow(["memory", "permit", "show"])).toMatchObject({ code: 1, stdout: "" });
    expect(await world.flow(["memory", "permit", "clear"])).toMatchObject({ code: 0, stdout: "" });
    expect(await world.flow(["memory", "permit", "set", "1a2b3c4d"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(world.read(PERMIT)).toBe(WF);
    expect(await world.flow(["memory", "permit", "show"])).toMatchObject({ code: 0, stdout: `${WF}\n` });
    await world.flow(["memory", "permit", "clear"]);
    expect(existsSync(join(world.root, PERMIT))).toBe(false);
  });

  test("one older than an hour is shown as stale", async () => {
    const world = memoryWorld();
    world.workflow();
    await world.flow(["memory", "permit", "set", WF]);
    const old = Date.now() / 1000 - 3_700;
    utimesSync(join(world.root, PERMIT), old, old);
    expect((await world.flow(["memory", "permit", "show"])).stdout).toMatch(/^wf-login\S+\tstale/);
    expect(await world.json("memory", "permit", "show")).toMatchObject({ workflow_uuid: WF, stale: true });
  });

  test.each([[["set"]], [["set", "wf-unknown"]], [["clear", WF]], [["show", WF]], [["grant"]]])(
    "%j is refused",
    async (words) => {
      const world = memoryWorld();
      world.workflow();
      expect((await world.flow(["memory", "permit", ...words])).code).toBeGreaterThan(0);
      expect(existsSync(join(world.root, PERMIT))).toBe(false);
    },
  );
});

describe("memory merge --apply", () => {
  const FILE = `${PROJECT}/patterns.md`;
  const TEXT = "# P\n## Common Gotchas\n- 1\n- 2\n\n## Last Updated\n";
  const payload = JSON.stringify({
    section: "Common Gotchas",
    notes: ["3"],
    max_bullets: 2,
    archive: { dir_rel: `${PROJECT}/archive`, section_slug: "common-gotchas", month: "2026-07" },
  });

  async function applied(world = memoryWorld(), stdin = payload, file = FILE) {
    world.workflow();
    const run = await world.flow(["memory", "merge", "--apply", file], { stdin });
    return { world, run };
  }

  test("without the permit nothing is written", async () => {
    const world = memoryWorld();
    world.write(FILE, TEXT);
    const { run } = await applied(world);
    expect(run).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^Error: .*permit/) });
    expect(world.read(FILE)).toBe(TEXT);
    expect(existsSync(join(world.root, PROJECT, "archive"))).toBe(false);
  });

  test("with it what is evicted reaches the archive and the file is replaced, without an extra newline", async () => {
    const world = memoryWorld();
    world.write(FILE, TEXT);
    world.write(PERMIT, WF);
    const { run } = await applied(world);
    expect(run).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^merged into .*patterns\.md, 1 evicted\n$/),
    });
    expect(world.read(FILE)).toBe(
      "# P\n## Common Gotchas\n- 2\n- 3 (conf: 0.8)\n" +
        `- Older entries archived: see ${PROJECT}/archive/common-gotchas-2026-07.md (conf: 1.0, organic)\n## Last Updated\n`,
    );
    expect(world.read(`${PROJECT}/archive/common-gotchas-2026-07.md`)).toBe("- 1\n");
    await applied(world);
    expect(world.read(`${PROJECT}/archive/common-gotchas-2026-07.md`)).toBe("- 1\n");
  });

  test("a workflow's own file needs its own permit", async () => {
    const world = memoryWorld();
    const file = `.craftflow/state/workflows/${WF}/progress.md`;
    world.workflow();
    world.write(file, "## Completed\n");
    const stdin = JSON.stringify({ section: "Completed", notes: ["done"] });
    world.write(PERMIT, "wf-other");
    expect((await applied(world, stdin, file)).run).toMatchObject({ code: 1 });
    expect(world.read(file)).toBe("## Completed\n");
    world.write(PERMIT, WF);
    expect((await applied(world, stdin, file)).run).toMatchObject({ code: 0 });
    expect(world.read(file)).toBe("## Completed\n- done (conf: 0.8)\n");
  });

  test("an archive outside the project is refused", async () => {
    const world = memoryWorld();
    world.write(FILE, TEXT);
    world.write(PERMIT, WF);
    for (const archive of [
      { dir_rel: "../out", section_slug: "s", month: "m" },
      { dir_rel: "a", section_slug: "../s", month: "m" },
    ]) {
      const stdin = JSON.stringify({ section: "Common Gotchas", max_bullets: 0, archive });
      expect((await applied(world, stdin)).run).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^Error: /),
      });
    }
    expect(world.read(FILE)).toBe(TEXT);
  });

  test("a result that is no memory file replaces none", async () => {
    const world = memoryWorld();
    world.write(FILE, '{"a":\n## S\n');
    world.write(PERMIT, WF);
    const { run } = await applied(world, JSON.stringify({ section: "S", notes: ["x"] }));
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(world.read(FILE)).toBe('{"a":\n## S\n');
  });
});
