import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hookWorld, reasonIn } from "./world.ts";

const PROJECT = ".craftflow/state/project";

describe("memory files", () => {
  test("flow-48 are written with the permit of their workflow alone; a second denial escalates", async () => {
    const { program, edit, permit, root, state } = hookWorld();
    const patterns = edit(join(root, PROJECT, "patterns.md"));
    const first = await program(["PreToolUse"], patterns);
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain('"permissionDecision": "deny"');
    expect(reasonIn(first.stdout)).toContain("blocked a direct state memory markdown write");
    expect(reasonIn(first.stdout)).not.toContain("ESCALATED");
    expect(reasonIn((await program(["pretooluse"], patterns)).stdout)).toContain(" ESCALATED: ");
    permit("wf-b");
    expect(await program(["pretooluse"], patterns)).toEqual({ code: 0, stdout: "", stderr: "" });
    const own = edit(join(state, "workflows/wf-a/progress.md"));
    expect(reasonIn((await program(["pretooluse"], own)).stdout)).toContain("memory markdown write");
    permit("wf-a");
    expect((await program(["pretooluse"], own)).stdout).toBe("");
  });

  test("are protected in every tier, as is the permit; artifacts and other files are not", async () => {
    const { denied, edit, tool, root, workflow } = hookWorld();
    workflow("wf-a");
    for (const path of [
      ".craftflow/state/activeContext.md",
      ".craftflow/state/project/progress.md",
      ".craftflow/state/workflows/wf-a/patterns.md",
      ".craftflow/state/.memory-finalize",
      "sub/../.craftflow/state/./progress.md",
    ]) {
      for (const name of ["Write", "Edit", "MultiEdit"]) {
        expect(await denied(tool(name, { file_path: path }))).toContain(`memory-write:${join(root, path)}`);
      }
    }
    for (const path of [
      ".craftflow/state/workflows/wf-a.json",
      ".craftflow/state/project/constitution.md",
      ".craftflow/state/workflows/wf-a/deep/patterns.md",
      ".craftflow/state/workspace/patterns.md",
      "activeContext.md",
      "other/.craftflow/state/activeContext.md",
      ".craftflow/activeContext.md",
    ]) {
      expect(await denied(edit(join(root, path)))).toBeUndefined();
    }
    expect(
      await denied(tool("NotebookEdit", { notebook_path: ".craftflow/state/progress.md" })),
    ).toBeDefined();
  });

  test("a permit is a regular file in the project of the target", async () => {
    const { denied, edit, root, state, base } = hookWorld();
    const target = edit(join(root, PROJECT, "patterns.md"));
    mkdirSync(join(state, ".memory-finalize"));
    expect(await denied(target)).toBeDefined();
    const other = join(base, "other");
    mkdirSync(join(other, ".craftflow/state"), { recursive: true });
    writeFileSync(join(other, ".craftflow/state/.memory-finalize"), "wf-a");
    expect(await denied({ ...target, cwd: other }, { env: { CLAUDE_PROJECT_DIR: root } })).toContain(
      "memory-write",
    );
    expect(await denied(edit(join(other, PROJECT, "patterns.md"), { cwd: other }))).toBeUndefined();
  });

  test("are found behind links, of a file, of the state directory and of the project", async () => {
    const { denied, edit, bash, root, base, write, state } = hookWorld();
    write(`${PROJECT}/patterns.md`, "x");
    symlinkSync(join(root, PROJECT, "patterns.md"), join(root, "alias.md"));
    symlinkSync(root, join(base, "L"));
    symlinkSync(join(state, "project"), join(root, "memory"));
    for (const path of [
      join(root, "alias.md"),
      join(base, "L", PROJECT, "new/../progress.md"),
      join(root, "memory/progress.md"),
    ]) {
      expect(await denied(edit(path))).toContain("memory-write");
      expect(await denied(bash(`echo x > ${path}`))).toContain("bash-write-protected-path");
    }
    const linked = hookWorld({ state: false });
    mkdirSync(join(linked.base, "elsewhere/project"), { recursive: true });
    mkdirSync(join(linked.root, ".craftflow"));
    symlinkSync(join(linked.base, "elsewhere"), linked.state);
    expect(await linked.denied(linked.edit(join(linked.root, PROJECT, "patterns.md")))).toContain(
      "memory-write",
    );
    expect(await linked.denied(linked.edit(join(linked.base, "elsewhere/project/patterns.md")))).toContain(
      "memory-write",
    );
    expect(readdirSync(join(linked.base, "elsewhere"))).toEqual(["project"]);
  });

  test("are protected before there is any state, which no hook makes", async () => {
    const { denied, edit, bash, root, program } = hookWorld({ state: false });
    for (let time = 0; time < 2; time++) {
      const text = await denied(edit(join(root, PROJECT, "patterns.md")));
      expect(text).toContain("memory-write");
      expect(text).not.toContain("ESCALATED");
    }
    expect(await denied(bash(`echo x > ${PROJECT}/patterns.md`))).toBeDefined();
    for (const event of [
      "sessionstart",
      "precompact",
      "postcompact",
      "posttooluse",
      "stop",
      "subagentstop",
    ]) {
      expect(await program([event], { cwd: root })).toEqual({ code: 0, stdout: "", stderr: "" });
    }
    expect(existsSync(join(root, ".craftflow"))).toBe(false);
  });
});

describe("Read", () => {
  test("flow-49 a state file over 50 000 bytes is read through its summary", async () => {
    const { program, denied, read, write, root, permit } = hookWorld();
    const path = write(".craftflow/state/workflows/wf-a.json", "x".repeat(50_001));
    const { stdout, code } = await program(["pretooluse"], read(path));
    expect(code).toBe(0);
    expect(reasonIn(stdout)).toContain(
      "redirected an oversized Read of a .craftflow/state file (over 50000 bytes)",
    );
    expect(reasonIn(stdout)).toMatch(new RegExp(`"/\\S+/jig" flow query "${path}" --mode summary`));
    expect(reasonIn(stdout)).toContain("--mode full");
    expect(reasonIn(stdout)).toContain("craftflow_state_query.py");
    write(".craftflow/state/workflows/wf-a.json", "x".repeat(50_000));
    expect((await program(["pretooluse"], read(path))).stdout).toBe("");
    write("big.txt", "x".repeat(60_000));
    expect(await denied(read(join(root, "big.txt")))).toBeUndefined();
    expect(await denied(read(permit("x".repeat(60_000))))).toBeUndefined();
    expect(await denied(read(join(root, ".craftflow/state/none")))).toBeUndefined();
    expect(await denied(read(join(root, ".craftflow/state/workflows")))).toBeUndefined();
  });

  test("follows its own mode", async () => {
    const { denied, read, write, base, log } = hookWorld();
    const path = write(".craftflow/state/project/patterns.md", "x".repeat(50_001));
    const mode = join(base, "mode.json");
    const env = { JIG_FLOW_HOOK_MODE: mode };
    writeFileSync(mode, '{"stateReadCompaction":"audit"}');
    expect(await denied(read(path), { env })).toBeUndefined();
    expect(log().at(-1)).toMatchObject({ event: "pretool_guard", decision: "audit", state_version: "v10" });
    writeFileSync(mode, "{}");
    expect(await denied(read(path), { env })).toContain("oversized");
  });
});

describe("Bash", () => {
  test("flow-50 a redirection to memory is denied; the permit's own command and other files are not", async () => {
    const { program, bash } = hookWorld();
    const said = async (command: string) => reasonIn((await program(["pretooluse"], bash(command))).stdout);
    expect(await said("echo x > .craftflow/state/project/patterns.md")).toContain(
      "CRAFTFLOW plugin hook blocked a Bash write to a protected path (reason: bash-write-protected-path:",
    );
    expect(await said("printf %s 'wf-1' > ./.craftflow/state/.memory-finalize")).toBeUndefined();
    expect(await said("echo x > /dev/null")).toBeUndefined();
  });

  test("flow-63 outside its own directory a session is told both reasons, then to stop", async () => {
    const { program, workflow, bash, root, base, log } = hookWorld();
    const cwd = join(base, "elsewhere/deep");
    mkdirSync(cwd, { recursive: true });
    const payload = bash("echo x > R/.craftflow/state/activeContext.md".replace("R/", `${root}/`), { cwd });
    const env = { CLAUDE_PROJECT_DIR: root };
    const said = async () => reasonIn((await program(["pretooluse"], payload, { env, cwd })).stdout);
    const first = await said();
    expect(first).toContain("bash-write-protected-path");
    expect(first).toContain("worktree-confinement");
    expect(first).toContain("working directory");
    expect(first).toContain("worktree_path");
    expect(first).toContain("run it manually outside the agent session");
    expect(first).not.toMatch(/skill/i);
    const second = await said();
    expect(second).toContain("ESCALATED");
    expect(second).toContain("STOP");
    expect(log().map(({ decision }) => decision)).toEqual(["deny", "deny-escalated"]);
    expect(readFileSync(join(root, ".craftflow/state/craftflow-hook-events.log"), "utf8")).toContain(
      '"decision": "deny-escalated"',
    );
    const target = join(root, ".craftflow/state/activeContext.md");
    workflow("wf-a", {
      worktree_path: base,
      worktree_mode: "auto_created",
      workspace_writable_paths: [target],
    });
    mkdirSync(join(base, "elsewhere/.craftflow/state/workflows"), { recursive: true });
    // The worktree of this one holds nothing that is written.
    workflow("wf-b", {
      worktree_path: cwd,
      worktree_mode: "auto_created",
      workspace_writable_paths: [target],
    });
    const third = await said();
    expect(third).toContain("bash-write-protected-path");
    expect(third).not.toContain("worktree-confinement");
  });

  test.each([
    "env python3 -c \"open('P','w')\"",
    "python3 - <<'EOF'\nimport sys\nopen('P','w')\nEOF",
    "python3 -c \"import os; os.system(\n 'x > ' + 'P'\n)\"",
    "python3 -c \"from os import system; system('x > P')\"",
    'python3 -c \'from pathlib import Path; Path("P").write_text("x")\'',
    "echo x>P",
    "echo x 2>>P",
    'echo x >| "P"',
    "cat a | tee -a b P",
    "cp a P",
    "cp -t .craftflow/state/project x/patterns.md",
    "cp x/patterns.md .craftflow/state/project",
    "mv --target-directory=.craftflow/state/project x/patterns.md",
    "ln -sf a P",
    "install -m 644 a P",
    "rsync -a a P",
    "dd if=a of=P",
    "sudo tee P < a",
    "(cd x && echo y > P)",
    'echo "$(echo x > P)"',
    "if true; then cp a P; fi",
    "bash -c 'echo x > P'",
    "bash <<EOF\necho x > P\nEOF",
    'echo x > "$PWD/P"',
    "echo x > ~/../R/P",
    "echo x > .craftflow/state/project/pat\0terns.md",
  ])("flow-64 denied: %j", async (command) => {
    const { denied, bash, root } = hookWorld();
    mkdirSync(join(root, PROJECT), { recursive: true });
    const text = await denied(bash(command.replaceAll(/\bP\b/g, `${PROJECT}/patterns.md`)));
    expect(text).toContain(`bash-write-protected-path:${join(root, PROJECT, "patterns.md")}`);
  });

  test.each([
    "python3 -c \"import subprocess; subprocess.run(['ls']); print('P')\"",
    "python3 -c \"import os; f = os.system; f('x > P')\"",
    "cat P",
    "cat P > copy.md",
    "grep install P",
    "cp P copy.md",
    "cp -t copies P",
    "echo '> P'",
    "echo x # > P",
    "cat > notes.md <<'EOF'\n> P is memory\nEOF",
    "jig flow memory add decisions x",
    "git add P",
  ])("flow-64 allowed: %j", async (command) => {
    const { denied, bash } = hookWorld();
    expect(await denied(bash(command.replaceAll(/\bP\b/g, `${PROJECT}/patterns.md`)))).toBeUndefined();
  });

  test("protects the permit and artifacts, the permit written in one form alone", async () => {
    const { denied, bash, root } = hookWorld();
    const permit = ".craftflow/state/.memory-finalize";
    expect(await denied(bash("echo {} > .craftflow/state/workflows/wf-a.json"))).toBeDefined();
    for (const command of [
      `printf %s wf-1 > ${permit}`,
      `cd x && printf '%s' "wf-1" > ${permit}`,
      `printf %s wf-1 > ${root}/x/../${permit}`,
    ]) {
      expect([command, await denied(bash(command))]).toEqual([command, undefined]);
    }
    for (const command of [
      `printf %s "$WF" > ${permit}`,
      `printf %s \`id\` > ${permit}`,
      `printf %s wf-1 >> ${permit}`,
      `printf '%s\\n' wf-1 > ${permit}`,
      `printf %s wf-1 x > ${permit}`,
      `echo wf-1 > ${permit}`,
      `printf %s wf-1 > .craftflow/state/activeContext.md`,
    ]) {
      expect([command, await denied(bash(command))]).toEqual([
        command,
        expect.stringContaining("bash-write-protected-path"),
      ]);
    }
  });

  test("a command without a directory is not checked; one that is no text is none", async () => {
    const { denied, bash, tool } = hookWorld();
    const command = "echo x > .craftflow/state/activeContext.md";
    expect(await denied(bash(command, { cwd: undefined }))).toBeUndefined();
    expect(await denied(tool("Bash", { command: 5 }))).toBeUndefined();
    expect(await denied({ tool_name: "Bash", tool_input: [], cwd: 3 })).toBeUndefined();
  });
});

describe("skills in flight", () => {
  const ledger = (candidates: unknown) => JSON.stringify({ candidates });

  test("flow-65 a proposed skill's file is not written; without a ledger all are, with a damaged one none", async () => {
    const { program, bash, edit, write, root } = hookWorld();
    const said = async (payload: object) =>
      reasonIn((await program(["pretooluse"], payload as never)).stdout);
    const foo = join(root, ".claude/skills/foo/SKILL.md");
    const bar = join(root, ".claude/skills/bar/SKILL.md");
    expect(await said(edit(foo))).toBeUndefined();
    expect(await said(bash(`echo x > ${foo}`))).toBeUndefined();
    write(`${PROJECT}/skill-candidates.json`, ledger([{ id: "c1", status: "candidate" }]));
    write(`${PROJECT}/skill-proposals/c1/SKILL.md`, "---\nname: foo\n---\n# Foo\n");
    const edited = await said(edit(foo));
    expect(edited).toContain(`blocked an Edit/Write target (reason: skill-promotion-path:${foo})`);
    expect(edited).toContain("craftflow_skill_promote.py");
    expect(edited).toContain("craftflow_skill_propose.py");
    expect(edited).not.toContain("Bash redirect");
    expect(await said(bash(`echo x > ${foo}`))).toContain("Bash redirect");
    expect(await said(edit(bar))).toBeUndefined();
    expect(await said(bash(`cp x ${bar}`))).toBeUndefined();
    write(`${PROJECT}/skill-candidates.json`, "{bad");
    for (const path of [foo, bar]) {
      expect(await said(edit(path))).toContain("skill-promotion-path");
      expect(await said(bash(`echo x > ${path}`))).toContain("skill-promotion-path");
    }
  });

  test("what a ledger can say", async () => {
    const { denied, edit, write, root } = hookWorld();
    const skill = edit(join(root, ".cursor/skills/foo/SKILL.md"));
    const worktree = edit(join(root, ".claude/worktrees/w/.claude/skills/foo/SKILL.md"));
    const other = edit(join(root, ".claude/skills/foo/notes.md"));
    write(`${PROJECT}/skill-proposals/c1/SKILL.md`, "---\ndescription: x\nname: 'foo' # it\n---\n");
    for (const [said, expected] of [
      [ledger([{ id: "c1", status: "proposed" }]), true],
      [ledger([{ id: "c1", status: "promoted" }]), false],
      [ledger([{ id: "c2", status: "candidate" }]), false],
      [ledger([{ id: "c2", status: "candidate" }, {}]), true],
      [ledger([{ id: "../c1", status: "candidate" }]), true],
      [ledger({}), true],
      ["[]", true],
    ] as const) {
      write(`${PROJECT}/skill-candidates.json`, said);
      expect([said, (await denied(skill)) !== undefined]).toEqual([said, expected]);
      expect([said, (await denied(worktree)) !== undefined]).toEqual([said, expected]);
      expect(await denied(other)).toBeUndefined();
    }
  });

  test("a patch names the file it changes", async () => {
    const { denied, edit, write, root } = hookWorld();
    write(`${PROJECT}/skill-candidates.json`, ledger([{ id: "c1", status: "proposed" }]));
    write(
      `${PROJECT}/skill-proposals/c1/SKILL.patch`,
      "--- a/.claude/skills/foo/SKILL.md\n+++ b/.claude/skills/foo/SKILL.md\n@@\n",
    );
    expect(await denied(edit(join(root, ".claude/skills/foo/SKILL.md")))).toBeDefined();
    expect(await denied(edit(join(root, ".cursor/skills/foo/SKILL.md")))).toBeUndefined();
    expect(await denied(edit(join(root, ".claude/skills/oo/SKILL.md")))).toBeUndefined();
  });

  test("the ledger, the proposals and the reliability gates are their own tools'", async () => {
    const { denied, edit, bash, permit, root } = hookWorld();
    permit("wf-a");
    for (const [path, name, word] of [
      ["skill-candidates.json", "skill-ledger-write", "skill-candidate ledger"],
      ["skill-proposals/x/SKILL.md", "skill-ledger-write", "skill-candidate ledger"],
      ["reliability-gates.json", "reliability-gates-write", "reliability gates"],
    ] as const) {
      for (const text of [
        await denied(edit(join(root, PROJECT, path))),
        await denied(bash(`echo x > ${PROJECT}/${path}`)),
      ]) {
        expect(text).toContain(`(reason: ${name}:${join(root, PROJECT, path)})`);
        expect(text).toContain(word);
        expect(text).not.toContain("run it manually");
      }
    }
  });
});

describe("confinement", () => {
  test("to the session's directory, the worktree of the live workflow, and what is named", async () => {
    const { denied, edit, workflow, root, base } = hookWorld();
    const [tree, other, contracts] = [join(base, "tree"), join(base, "other"), join(base, "CONTRACTS.md")];
    for (const directory of [tree, other]) mkdirSync(directory);
    const inTree = edit(join(tree, "a.ts"));
    const inOther = edit(join(other, "a.ts"));
    expect(await denied(edit(join(root, "a.ts")))).toBeUndefined();
    expect(await denied(edit("sub/a.ts"))).toBeUndefined();
    expect(await denied(inTree)).toContain(
      `blocked an Edit/Write target (reason: worktree-confinement:${join(tree, "a.ts")})`,
    );
    expect(await denied(edit("../R2/a.ts"))).toContain("worktree-confinement");
    expect(await denied(edit(join(tree, "a.ts"), { cwd: undefined }))).toBeUndefined();
    workflow("wf-a", {
      worktree_path: tree,
      worktree_mode: "auto_created",
      workspace_writable_paths: [contracts],
      session_id: "s-1",
    });
    expect(await denied(inTree)).toBeUndefined();
    expect(await denied(edit(contracts))).toBeUndefined();
    expect(await denied(edit(`${contracts}/x`))).toContain("worktree-confinement");
    expect(await denied(edit(join(base, "OTHER.md")))).toContain("worktree-confinement");
    // The newest live one counts, unless another is the session's own.
    workflow("wf-b", { worktree_path: other, worktree_mode: "auto_created" });
    expect(await denied(inTree)).toContain("worktree-confinement");
    expect(await denied(inOther)).toBeUndefined();
    expect(await denied({ ...inTree, session_id: "s-1" })).toBeUndefined();
    expect(await denied({ ...inOther, session_id: "s-1" })).toContain("worktree-confinement");
    for (const dead of [
      { worktree_mode: "merged_and_removed" },
      { worktree_path: join(base, "gone") },
      { worktree_path: "" },
    ]) {
      workflow("wf-b", { worktree_path: other, worktree_mode: "auto_created", ...dead });
      expect(await denied(inTree)).toBeUndefined();
    }
  });

  test("the host's own memory directory of this session is left to it", async () => {
    const { denied, edit, root, home } = hookWorld();
    const own = join(home, ".claude/projects", root.replaceAll(/[/.]/g, "-"));
    for (const path of ["MEMORY.md", "memory/a/b.md", "agent/MEMORY.md", "agent/memory/x.md"]) {
      expect([path, await denied(edit(join(own, path)))]).toEqual([path, undefined]);
    }
    for (const path of ["x.md", "memory", "a/b/MEMORY.md", "../other/MEMORY.md", "../../settings.json"]) {
      expect([path, await denied(edit(join(own, path)))]).toEqual([
        path,
        expect.stringContaining("worktree-confinement"),
      ]);
    }
  });

  test("workspace memory is written while memory is finalized, by a member that may", async () => {
    const { denied, edit, permit, base } = hookWorld();
    const workspace = join(base, ".craftflow/state/workspace");
    const target = edit(join(workspace, "patterns.md"));
    const grant = (config: unknown) =>
      writeFileSync(join(base, ".craftflow-workspace.json"), JSON.stringify(config));
    mkdirSync(workspace, { recursive: true });
    grant({ members: ["R"], memory_writable: true });
    expect(await denied(target)).toContain("worktree-confinement");
    permit("wf-a");
    expect(await denied(target)).toBeUndefined();
    expect(await denied(edit(join(workspace, "other.md")))).toContain("worktree-confinement");
    writeFileSync(join(base, "outside.md"), "");
    symlinkSync("/etc/hostname", join(workspace, "progress.md"));
    expect(await denied(edit(join(workspace, "progress.md")))).toContain("worktree-confinement");
    for (const config of [
      { members: ["R"] },
      { members: ["S"], memory_writable: true },
      { memory_writable: true },
    ]) {
      grant(config);
      expect(await denied(target)).toContain("worktree-confinement");
    }
  });

  test("a session in a worktree belongs to the main tree's state", async () => {
    const { denied, edit, bash, root, permit } = hookWorld();
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@t", ...words]);
    git("commit", "-q", "--allow-empty", "-m", "x");
    const tree = join(root, ".claude/worktrees/w");
    git("worktree", "add", "-q", tree);
    const patterns = join(root, PROJECT, "patterns.md");
    const text = await denied(edit(patterns, { cwd: tree }));
    expect(text).toContain("worktree-confinement");
    expect(text).toContain("direct state memory markdown write");
    permit("wf-a");
    expect(
      await denied(
        bash(`printf %s wf-a > ${join(root, ".craftflow/state/.memory-finalize")}`, { cwd: tree }),
      ),
    ).toBeUndefined();
    expect(await denied(edit(patterns, { cwd: tree }))).toContain("worktree-confinement");
  });
});

describe("modes", () => {
  test("what is denied by mode, and what always is", async () => {
    const { denied, edit, bash, base, root, log } = hookWorld();
    const mode = join(base, "mode.json");
    const env = { JIG_FLOW_HOOK_MODE: mode };
    const memory = edit(join(root, PROJECT, "patterns.md"));
    const command = bash(`echo x > ${PROJECT}/patterns.md`);
    writeFileSync(mode, '{"memoryWrites":"audit","protectedWrites":"audit"}');
    expect(await denied(memory, { env })).toBeUndefined();
    expect(log().at(-1)).toMatchObject({ event: "pretool_guard", tool_name: "Write", decision: "audit" });
    expect(await denied(command, { env })).toBeUndefined();
    expect(log().at(-1)).toMatchObject({
      tool_name: "Bash",
      decision: "audit",
      reason: expect.stringContaining("bash-write-protected-path"),
    });
    expect(await denied(edit(join(base, "x")), { env })).toContain("worktree-confinement");
    expect(await denied(bash(`echo x > ${PROJECT}/skill-candidates.json`), { env })).toContain(
      "skill-ledger-write",
    );
    writeFileSync(mode, '{"memoryWrites":"maybe"}');
    expect(await denied(memory, { env })).toBeUndefined();
    expect(log().at(-1)).toMatchObject({ decision: "audit-unrecognized-config-value" });
    expect(await denied(command, { env })).toContain("bash-write-protected-path");
  });

  test("where the file is looked for, and what its absence means", async () => {
    const { denied, edit, bash, base, root, write } = hookWorld();
    const memory = edit(join(root, PROJECT, "patterns.md"));
    const command = bash(`echo x > ${PROJECT}/patterns.md`);
    const verdicts = async (env: Record<string, string>) => [
      (await denied(memory, { env })) !== undefined,
      (await denied(command, { env })) !== undefined,
    ];
    const plugin = join(base, "plugin");
    mkdirSync(join(plugin, "config"), { recursive: true });
    expect(await verdicts({})).toEqual([true, true]);
    expect(await verdicts({ CLAUDE_PLUGIN_ROOT: plugin })).toEqual([false, true]);
    writeFileSync(join(plugin, "config/hook-mode.json"), "{bad");
    expect(await verdicts({ CLAUDE_PLUGIN_ROOT: plugin })).toEqual([false, true]);
    writeFileSync(
      join(plugin, "config/hook-mode.json"),
      '{"memoryWrites":"block","protectedWrites":"audit"}',
    );
    expect(await verdicts({ CLAUDE_PLUGIN_ROOT: plugin })).toEqual([true, false]);
    const own = write("mode.json", '{"memoryWrites":"audit","protectedWrites":"audit"}');
    expect(await verdicts({ JIG_FLOW_HOOK_MODE: own })).toEqual([true, true]);
    expect(await verdicts({ JIG_FLOW_HOOK_MODE: "mode.json" })).toEqual([true, true]);
    expect(
      await verdicts({ JIG_FLOW_HOOK_MODE: join(base, "none.json"), CLAUDE_PLUGIN_ROOT: plugin }),
    ).toEqual([false, true]);
  });
});

describe("repeated denials", () => {
  test("count for a session and a target, for half an hour, until the target is written", async () => {
    const { denied, edit, root, pass, permit, state, log } = hookWorld();
    const patterns = edit(join(root, PROJECT, "patterns.md"), { session_id: "s-1" });
    const escalated = async (payload: object) => (await denied(payload as never))?.includes("ESCALATED");
    expect(await escalated(patterns)).toBe(false);
    expect(await escalated({ ...patterns, session_id: "s-2" })).toBe(false);
    expect(await escalated(edit(join(root, PROJECT, "progress.md"), { session_id: "s-1" }))).toBe(false);
    expect(await escalated(patterns)).toBe(true);
    pass(30 * 60_000 + 1_000);
    expect(await escalated(patterns)).toBe(false);
    const tracker = JSON.parse(readFileSync(join(state, ".denial-tracker.json"), "utf8"));
    expect(tracker).toEqual({
      [`s-1::${join(root, PROJECT, "patterns.md").toLowerCase()}`]: { count: 1, last_ts: expect.any(Number) },
    });
    permit("wf-a");
    expect(await escalated(patterns)).toBeUndefined();
    expect(log().at(-1)).toMatchObject({ decision: "permit" });
    expect(readFileSync(join(state, ".denial-tracker.json"), "utf8")).toBe("{}\n");
  });

  test("a tracker that is none is left alone, and the denial stands", async () => {
    const { denied, edit, root, write, log } = hookWorld();
    const tracker = write(".craftflow/state/.denial-tracker.json", "[1]");
    const target = edit(join(root, PROJECT, "patterns.md"));
    for (let time = 0; time < 2; time++) expect(await denied(target)).not.toContain("ESCALATED");
    expect(readFileSync(tracker, "utf8")).toBe("[1]");
    expect(log().map(({ event }) => event)).toContain("pretool_guard_parse_error");
  });

  test("every denial of eight at once is counted", async () => {
    const { program, edit, root, state } = hookWorld();
    const target = edit(join(root, PROJECT, "patterns.md"));
    const said = await Promise.all(Array.from({ length: 8 }, () => program(["pretooluse"], target)));
    expect(said.filter(({ stdout }) => !stdout.includes("ESCALATED"))).toHaveLength(1);
    const [denial] = Object.values(JSON.parse(readFileSync(join(state, ".denial-tracker.json"), "utf8")));
    expect(denial).toMatchObject({ count: 8 });
  });
});

describe("texts", () => {
  test("each reason has its own explanation, and no other's", async () => {
    const { denialText } = await import("../../../src/flow/hooks/guard/texts.ts");
    const own = {
      "worktree-confinement": "run it manually outside the agent session",
      "skill-ledger-write": "skill-candidate ledger",
      "skill-promotion-path": "craftflow_skill_promote.py",
      "reliability-gates-write": "reliability gates are",
      "memory-write": "memory markdown write",
    } as const;
    for (const name of Object.keys(own) as (keyof typeof own)[]) {
      const text = denialText("edit", [{ name, path: "/p" }], false);
      const there = Object.keys(own).filter((other) => text.includes(own[other as keyof typeof own]));
      expect(there).toEqual([name]);
    }
  });
});
