/** Memory, markers and scope decisions: whatever fails, each file is the old or the new, and a rerun brings it to its end. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { templateOf } from "../../src/flow/memory/text/files.ts";
import { readLog, writeWorkflow } from "../flow/written.ts";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { type Ended, faults, type Scene } from "./harness.ts";

const WF = "wf-login-20260706-141203-1a2b3c4d";
const STATE = ".craftflow/state";
const PROJECT = `${STATE}/project`;
const OWN = `${STATE}/workflows/${WF}`;
const PERMIT = `${STATE}/.memory-finalize`;
const MARKER = `[SCOPE-DECISION-PENDING: wf:${WF} reason:why]`;

interface MemoryScene extends Scene {
  root: string;
  rerun(): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** A project with a workflow and these files, and a command that changes them. */
function scene(words: readonly string[], files: Record<string, string>, fields = {}): MemoryScene {
  const root = tempDir();
  writeWorkflow(root, WF, fields);
  mkdirSync(join(root, OWN));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const env = { HOME: join(root, "home") };
  return {
    command: [JIG, "flow", ...words],
    directory: join(root, ".craftflow"),
    cwd: root,
    env,
    root,
    rerun: () => runJig(["flow", ...words], { cwd: root, env }),
  };
}

const read = (root: string, path: string) => readFileSync(join(root, path), "utf8");
const textIn = (root: string, path: string) => (existsSync(join(root, path)) ? read(root, path) : "");
const artifact = (root: string) => JSON.parse(read(root, `${STATE}/workflows/${WF}.json`));

/** No temporary file is left by a run that was not killed. */
function clean(root: string, { killed }: Ended) {
  if (killed) return;
  const names = readdirSync(join(root, ".craftflow"), { recursive: true }) as string[];
  expect(names.filter((name) => name.includes(".tmp-"))).toEqual([]);
}

async function ends({ rerun }: MemoryScene) {
  const run = await rerun();
  expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 0 });
}

const active = (section: string, line: string) =>
  templateOf("activeContext.md").replace(`## ${section}\n`, `## ${section}\n${line}\n`);

faults({
  what: "flow memory load, which makes files",
  least: 6,
  most: 3,
  prepare: () => scene(["memory", "load"], { [`${STATE}/patterns.md`]: "## Common Gotchas\n- g\n" }),
  async holds(at, ended) {
    for (const file of ["activeContext.md", "progress.md"] as const) {
      expect(["", templateOf(file)]).toContain(textIn(at.root, `${PROJECT}/${file}`));
    }
    expect(textIn(at.root, `${PROJECT}/patterns.md`)).toMatch(/^$|- g\n(?:.*\n)*## Last Updated/);
    clean(at.root, ended);
    await ends(at);
    expect(read(at.root, `${PROJECT}/patterns.md`)).toContain("- g\n");
  },
});

faults({
  what: "flow memory heal",
  least: 2,
  most: 3,
  prepare: () => scene(["memory", "heal"], { [`${PROJECT}/progress.md`]: "mine\n## Tasks\n" }),
  async holds(at, ended) {
    expect(read(at.root, `${PROJECT}/progress.md`)).toMatch(
      /^mine\n## Tasks\n(?:$|(?:.*\n)*## Last Updated\n)/,
    );
    clean(at.root, ended);
    await ends(at);
    expect(read(at.root, `${PROJECT}/progress.md`)).toContain("## Last Updated");
  },
});

faults({
  what: "flow memory add",
  least: 2,
  most: 3,
  prepare: () =>
    scene(["memory", "add", "decisions", "new"], {
      [`${PROJECT}/activeContext.md`]: active("Decisions", "- old"),
    }),
  async holds(at, ended) {
    const [before, after] = [active("Decisions", "- old"), active("Decisions", "- old\n- new")];
    expect([before, after]).toContain(read(at.root, `${PROJECT}/activeContext.md`));
    if (ended.code === 0) expect(read(at.root, `${PROJECT}/activeContext.md`)).toBe(after);
    clean(at.root, ended);
    await ends(at);
    expect(read(at.root, `${PROJECT}/activeContext.md`)).toBe(after);
  },
});

faults({
  what: "flow memory permit set",
  least: 1,
  most: 3,
  prepare: () => scene(["memory", "permit", "set", WF], {}),
  async holds(at, ended) {
    expect(["", WF]).toContain(textIn(at.root, PERMIT));
    clean(at.root, ended);
    await ends(at);
    expect(read(at.root, PERMIT)).toBe(WF);
  },
});

const GOTCHAS = Array.from({ length: 60 }, (_, index) => `- gotcha ${index}`);
const PATTERNS = templateOf("patterns.md").replace(
  "## Common Gotchas\n",
  `## Common Gotchas\n${GOTCHAS.join("\n")}\n`,
);

/** Every bullet there was is in the file, or was put into an archive. */
function nothingLost(root: string, archive: string) {
  const there = `${textIn(root, `${PROJECT}/patterns.md`)}\n${textIn(root, archive)}`.split("\n");
  expect(GOTCHAS.filter((line) => !there.includes(line))).toEqual([]);
}

const MERGE = JSON.stringify({
  section: "Common Gotchas",
  notes: ["new"],
  max_bullets: 60,
  archive: { dir_rel: `${PROJECT}/archive`, section_slug: "common-gotchas", month: "2026-07" },
});

faults({
  what: "flow memory merge --apply with an archive",
  least: 4,
  most: 3,
  prepare: () =>
    scene(["memory", "merge", "--from", "merge.json", "--apply", `${PROJECT}/patterns.md`], {
      [`${PROJECT}/patterns.md`]: PATTERNS,
      [PERMIT]: WF,
      "merge.json": MERGE,
    }),
  async holds(at, ended) {
    const archive = `${PROJECT}/archive/common-gotchas-2026-07.md`;
    nothingLost(at.root, archive);
    clean(at.root, ended);
    await ends(at);
    nothingLost(at.root, archive);
    expect(read(at.root, archive)).toBe("- gotcha 0\n");
    expect(read(at.root, `${PROJECT}/patterns.md`)).toContain("- new (conf: 0.8)\n");
  },
});

faults({
  what: "flow memory finalize",
  least: 10,
  most: 3,
  prepare: () =>
    scene(["memory", "finalize", WF, "--from", "in.json"], {
      [`${PROJECT}/patterns.md`]: PATTERNS,
      "in.json": JSON.stringify({ patterns: ["p"], learnings: ["l"], tasks: ["t"], summary: "s" }),
    }),
  async holds(at, ended) {
    const [archive] = existsSync(join(at.root, PROJECT, "archive"))
      ? readdirSync(join(at.root, PROJECT, "archive"))
      : [];
    nothingLost(at.root, `${PROJECT}/archive/${archive ?? "none"}`);
    clean(at.root, ended);
    // A call that fails may be the one that takes the permit away.
    if (!ended.killed && !ended.call.name.startsWith("unlink"))
      expect(existsSync(join(at.root, PERMIT))).toBe(false);
    const said = readLog(at.root, WF).some(({ event }) => event === "memory_finalized");
    if (ended.code !== 0 && !said) expect(ended.stdout).toBe("");
    if (said) expect(artifact(at.root).status_history.at(-1)).toMatchObject({ event: "memory_finalized" });
    await ends(at);
    expect(existsSync(join(at.root, PERMIT))).toBe(false);
    expect(readLog(at.root, WF).filter(({ event }) => event === "memory_finalized")).toHaveLength(1);
    expect(read(at.root, `${PROJECT}/patterns.md`).match(/^- p \(conf: 0\.8\)$/gm)).toHaveLength(1);
    expect(read(at.root, `${OWN}/activeContext.md`).match(/^- l \(conf: 0\.8\)$/gm)).toHaveLength(1);
    expect(read(at.root, `${PROJECT}/progress.md`).match(/^- s$/gm)).toHaveLength(1);
  },
});

faults({
  what: "flow memory repair --apply",
  least: 8,
  most: 3,
  prepare: () =>
    scene(["memory", "repair", "--target-dir", PROJECT, "--apply"], {
      [`${PROJECT}/patterns.md`]: `${PATTERNS}- stranded\n`,
      [`${PROJECT}/progress.md`]: "## Completed\n## Last Updated\n- done\n",
      [`${PROJECT}/activeContext.md`]: active("References", "- [cc10x-internal] memory_task_id: 1"),
    }),
  async holds(at, ended) {
    const files = ["patterns.md", "progress.md", "activeContext.md"];
    const isRepaired = (file: string) => !/Updated\n- done|cc10x/.test(read(at.root, `${PROJECT}/${file}`));
    // What was written was backed up first, whole.
    if (files.slice(1).some(isRepaired)) {
      const backup = readdirSync(join(at.root, STATE)).find((name) => name.includes("backup"))!;
      for (const file of files) expect(existsSync(join(at.root, STATE, backup, file))).toBe(true);
    }
    clean(at.root, ended);
    await ends(at);
    expect(read(at.root, `${PROJECT}/progress.md`)).toBe("## Completed\n- done\n## Last Updated\n");
    expect(read(at.root, `${PROJECT}/patterns.md`)).toContain("- stranded\n");
  },
});

faults({
  what: "flow scope request",
  least: 4,
  most: 3,
  prepare: () =>
    scene(["scope", "request", WF, "--reason", "why"], {
      [`${PROJECT}/activeContext.md`]: templateOf("activeContext.md"),
    }),
  async holds(at, ended) {
    // No marker without its gate: a reply would have nothing to end.
    if (read(at.root, `${PROJECT}/activeContext.md`).includes(MARKER)) {
      expect(artifact(at.root).pending_gate).toBe("scope_decision");
    }
    clean(at.root, ended);
    await ends(at);
    expect(read(at.root, `${PROJECT}/activeContext.md`)).toBe(active("Decisions", MARKER));
    expect(artifact(at.root).pending_gate).toBe("scope_decision");
  },
});

faults({
  what: "flow scope answer",
  least: 4,
  most: 3,
  prepare: () =>
    scene(
      ["scope", "answer", WF, "all issues"],
      { [`${PROJECT}/activeContext.md`]: active("Decisions", MARKER) },
      { pending_gate: "scope_decision" },
    ),
  async holds(at, ended) {
    clean(at.root, ended);
    const text = () => read(at.root, `${PROJECT}/activeContext.md`);
    // The marker is the last to go, so until then the reply can be given again.
    if (text().includes(MARKER)) await ends(at);
    else if (ended.code === 0) expect(ended.stdout).toBe("ALL_ISSUES\n");
    expect(text()).toBe(active("Decisions", `- Scope decision [${WF}]: "all issues" (ALL_ISSUES)`));
    expect(artifact(at.root).pending_gate).toBeNull();
  },
});

faults({
  what: "flow marker",
  least: 2,
  most: 3,
  prepare: () => scene(["marker", WF, "build-start"], {}),
  async holds(at, ended) {
    clean(at.root, ended);
    await ends(at);
    expect(read(at.root, `${OWN}/activeContext.md`)).toBe(
      active("Recent Changes", `[BUILD-START: wf:${WF}]`),
    );
  },
});

faults({
  what: "flow workspace init",
  least: 6,
  most: 3,
  prepare: () => scene(["workspace", "init", "--workspace-root", ".", "--north-star", "far"], {}),
  async holds(at, ended) {
    clean(at.root, ended);
    for (const file of ["activeContext.md", "patterns.md", "progress.md"]) {
      expect(textIn(at.root, `${STATE}/workspace/${file}`)).toMatch(/^$|## Last Updated\n\n$/);
    }
    await ends(at);
    expect(read(at.root, `${STATE}/workspace/activeContext.md`)).toContain("## North Star\nfar\n");
  },
});
