import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MEMORY_FILES } from "../../../src/flow/common/layout.ts";
import { WORKSPACE_CONFIG, WORKSPACE_MEMORY } from "../../../src/flow/common/workspace.ts";
import { MEMORY_FORMS, templateOf } from "../../../src/flow/memory/text/files.ts";
import { runUnprivileged } from "../../support/unprivileged.ts";
import { type MemoryWorld, memoryWorld, PROJECT, WF } from "./world.ts";

/** The text of a file whose sections hold these bodies. */
function file(name: keyof typeof MEMORY_FORMS, bodies: Record<string, string>): string {
  const { sections, title } = MEMORY_FORMS[name];
  return `${title}\n\n${sections.map((one) => `## ${one}\n${bodies[one] ?? ""}\n`).join("")}`;
}

function workspaceAt(world: MemoryWorld): string {
  const workspace = join(world.home, "a");
  mkdirSync(join(workspace, WORKSPACE_MEMORY), { recursive: true });
  return workspace;
}

describe("memory load", () => {
  test("flow-32 in a fresh project the three files are the templates", async () => {
    const world = memoryWorld();
    const run = await world.flow(["memory", "load"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("## Current Focus\n");
    for (const name of MEMORY_FILES) expect(world.read(`${PROJECT}/${name}`)).toBe(templateOf(name));
    const again = await world.json("memory", "load");
    expect(again).toMatchObject({
      project_root: world.root,
      workspace_root: null,
      just_go: false,
      notes: [],
      constitution: { present: false, must: [] },
    });
    expect(again.tiers.project["patterns.md"]).toMatchObject({ status: "ok", healed: [] });
    expect(again.tiers.workspace["patterns.md"]).toMatchObject({ status: "skipped", path: null });
  });

  test("flow-33 what a root-flat file holds is taken over, and healed", async () => {
    const world = memoryWorld();
    const flat = world.write(".craftflow/state/patterns.md", "# P\n## Common Gotchas\n- g\n");
    const { merged, tiers } = await world.json("memory", "load");
    expect(tiers.project["patterns.md"]).toMatchObject({
      status: "from_flat",
      healed: ["User Standards", "Project SKILL_HINTS", "Last Updated"],
    });
    expect(merged["Common Gotchas"]).toEqual({ tier: "project", file: "patterns.md", text: "- g" });
    const text = world.read(`${PROJECT}/patterns.md`);
    for (const section of MEMORY_FORMS["patterns.md"].sections) expect(text).toContain(`## ${section}\n`);
    expect(existsSync(flat)).toBe(true);
  });

  test("a blank project file counts as missing, one with text does not", async () => {
    const world = memoryWorld();
    world.write(`${PROJECT}/patterns.md`, " \n");
    world.write(`${PROJECT}/progress.md`, "mine\n");
    world.write(".craftflow/state/patterns.md", "flat\n");
    world.write(".craftflow/state/progress.md", "flat\n");
    const { tiers } = await world.json("memory", "load");
    expect(tiers.project).toMatchObject({
      "activeContext.md": { status: "created" },
      "patterns.md": { status: "from_flat" },
      "progress.md": { status: "healed" },
    });
    expect(world.read(`${PROJECT}/progress.md`)).toMatch(/^mine\n/);
  });

  test("--no-heal writes nothing and shows what would be", async () => {
    const world = memoryWorld();
    world.write(".craftflow/state/patterns.md", "## Common Gotchas\n- g\n");
    const { merged, tiers } = await world.json("memory", "load", "--no-heal");
    expect(merged["Common Gotchas"].text).toBe("- g");
    expect(tiers.project["patterns.md"]).toMatchObject({ status: "missing", bytes: 0 });
    expect(readdirSync(join(world.root, ".craftflow/state")).sort()).toEqual(["patterns.md", "workflows"]);
  });

  test("the highest tier with content decides focus, next steps and tasks; the project decides the rest", async () => {
    const world = memoryWorld();
    world.workflow();
    const tier = { workspace: workspaceAt(world), workflow: `.craftflow/state/workflows/${WF}` };
    const bodies = (who: string) => ({
      "Current Focus": who === "workflow" ? "  \n" : `focus of ${who}\n`,
      "Next Steps": who === "workspace" ? "next of workspace\n" : "",
      Decisions: `- decided by ${who}\n`,
      Learnings: `- learned by ${who}\n`,
    });
    writeFileSync(
      join(tier.workspace, WORKSPACE_MEMORY, "activeContext.md"),
      `${file("activeContext.md", bodies("workspace"))}\n## North Star\nfar\n`,
    );
    world.write(
      `${PROJECT}/activeContext.md`,
      `${file("activeContext.md", bodies("project"))}\n## Mine\nx\n`,
    );
    world.write(`${tier.workflow}/activeContext.md`, file("activeContext.md", bodies("workflow")));
    world.write(`${tier.workflow}/progress.md`, "## Tasks\n- t\n");
    const { context, merged, workspace_root, tiers } = await world.json("memory", "load", "--wf", WF);
    expect(workspace_root).toBe(tier.workspace);
    expect(merged).toMatchObject({
      "Current Focus": { tier: "project", text: "focus of project" },
      "Next Steps": { tier: "workspace", text: "next of workspace" },
      Decisions: { tier: "project", text: "- decided by project" },
      Learnings: { tier: "project" },
      Tasks: { tier: "workflow", text: "- t" },
      Mine: { tier: "project", text: "x" },
    });
    const said = context.map(({ read_only, section, tier: from }: Record<string, unknown>) => [
      from,
      section,
      read_only,
    ]);
    expect(said).toEqual(
      expect.arrayContaining([
        ["workspace", "Decisions", true],
        ["workspace", "Learnings", false],
        ["workspace", "North Star", false],
        ["workflow", "Learnings", false],
      ]),
    );
    expect(said.map(([, section]: unknown[]) => section)).not.toContain("Current Focus");
    expect(tiers.workflow["patterns.md"]).toMatchObject({ status: "missing" });
    expect(existsSync(join(world.root, tier.workflow, "patterns.md"))).toBe(false);
    const { stdout } = await world.flow(["memory", "load", "--wf", WF]);
    expect(stdout).toContain("# workspace activeContext.md: Decisions (read-only)\n- decided by workspace\n");
  });

  test("a workspace without memory is not set up by reading it", async () => {
    const world = memoryWorld();
    writeFileSync(join(world.home, "a", WORKSPACE_CONFIG), "{}");
    const { notes, workspace_root } = await world.json("memory", "load");
    expect(workspace_root).toBe(join(world.home, "a"));
    expect(notes).toEqual([expect.stringContaining("workspace init")]);
    expect(existsSync(join(world.home, "a", ".craftflow"))).toBe(false);
  });

  test("missing files of a workspace are made, without a north star", async () => {
    const world = memoryWorld();
    const workspace = workspaceAt(world);
    const { tiers } = await world.json("memory", "load");
    expect(tiers.workspace["patterns.md"]).toMatchObject({ status: "created" });
    const { flow } = world;
    expect((await flow(["memory", "heal", "--tier", "workspace", "--check"])).code).toBe(0);
    expect(readdirSync(join(workspace, WORKSPACE_MEMORY)).sort()).toEqual([...MEMORY_FILES].sort());
  });

  test("settings and the constitution's rules are reported", async () => {
    const world = memoryWorld();
    world.write(
      `${PROJECT}/activeContext.md`,
      file("activeContext.md", { "Session Settings": "AUTO_PROCEED: true\nSKILL_DISTILL: skip\n" }),
    );
    world.write(`${PROJECT}/constitution.md`, "# C\n- MUST-1: test first\nMUST: no number\n- MUST-12 x\n");
    const data = await world.json("memory", "load");
    expect(data).toMatchObject({
      just_go: true,
      session_settings: { AUTO_PROCEED: "true", SKILL_DISTILL: "skip" },
      constitution: { present: true, must: ["- MUST-1: test first", "- MUST-12 x"] },
    });
  });

  test("a large file is shown in short, unless --full", async () => {
    const world = memoryWorld();
    const bullets = Array.from({ length: 2_000 }, (_, index) => `- bullet number ${index} and some words`);
    world.write(
      `${PROJECT}/patterns.md`,
      file("patterns.md", { "Common Gotchas": `${bullets.join("\n")}\n` }),
    );
    const short = await world.json("memory", "load");
    expect(short.merged["Common Gotchas"].text).toContain("... (2000 total bullets, 10 most recent shown)");
    expect(short.notes).toEqual([expect.stringContaining("--full")]);
    const full = await world.json("memory", "load", "--full");
    expect(full.merged["Common Gotchas"].text).toBe(bullets.join("\n"));
  });

  test("a project file that is no text is reported and stays; the rest is printed, exit 1", async () => {
    const world = memoryWorld();
    const path = world.write(`${PROJECT}/patterns.md`, "");
    const bytes = Buffer.from([0x23, 0xff, 0x0a]);
    writeFileSync(path, bytes);
    const run = await world.flow(["memory", "load", "--json"]);
    const data = JSON.parse(run.stdout);
    expect(run.code).toBe(1);
    expect(data.tiers.project["patterns.md"].status).toBe("not_utf8");
    expect(data.notes).toEqual([expect.stringContaining("patterns.md: is not valid UTF-8")]);
    expect(data.merged["Current Focus"]).toBeDefined();
    expect(readFileSync(path)).toEqual(bytes);
  });

  test("a link out of the project is neither read nor written; in another tier it is a note", async () => {
    const world = memoryWorld();
    world.workflow();
    const outside = join(world.base, "outside.md");
    writeFileSync(outside, "## Common Gotchas\n- secret\n");
    mkdirSync(join(world.root, PROJECT));
    symlinkSync(outside, join(world.root, PROJECT, "patterns.md"));
    const run = await world.flow(["memory", "load", "--json"]);
    expect(run.code).toBe(1);
    expect(run.stdout).not.toContain("secret");
    const other = memoryWorld();
    other.workflow();
    symlinkSync(outside, join(other.root, `.craftflow/state/workflows/${WF}/patterns.md`));
    const { notes, tiers } = await other.json("memory", "load", "--wf", WF);
    expect(tiers.workflow["patterns.md"].status).toBe("unreadable");
    expect(notes).toEqual([expect.stringContaining("leads out")]);
  });

  test("a workspace that may not be written counts as it was read, with a note", async () => {
    const world = memoryWorld();
    const workspace = workspaceAt(world);
    const memory = join(workspace, WORKSPACE_MEMORY);
    writeFileSync(join(memory, "patterns.md"), "## Common Gotchas\n- shared\n");
    chmodSync(world.base, 0o755);
    for (const one of [memory, join(memory, "..")]) chmodSync(one, 0o555);
    for (const one of [".craftflow", ".craftflow/state"]) chmodSync(join(world.root, one), 0o777);
    const run = await runUnprivileged(["flow", "memory", "load", "--json"], {
      cwd: world.root,
      env: { HOME: world.home },
    });
    const { context, notes, tiers } = JSON.parse(run.stdout);
    expect(run.code).toBe(0);
    expect(tiers.workspace["patterns.md"].status).toBe("ok");
    expect(notes.join("\n")).toContain("workspace patterns.md was not healed");
    expect(context).toEqual([
      {
        tier: "workspace",
        file: "patterns.md",
        section: "Common Gotchas",
        text: "- shared",
        read_only: false,
      },
    ]);
    for (const one of [join(memory, ".."), memory]) chmodSync(one, 0o755);
  });
});
