import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { FinalizeReport } from "../../../src/flow/worktree/run/schema.ts";
import { type RunOptions, runJig } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

const GIT = [
  "-c",
  "user.name=t",
  "-c",
  "user.email=t@example.org",
  "-c",
  "commit.gpgsign=false",
  "-c",
  "protocol.file.allow=always",
];

/** git in a directory, with an author and nothing of the developer's own configuration. */
export function gitIn(cwd: string, home: string) {
  const env = { PATH: process.env["PATH"]!, HOME: home, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
  return (...words: string[]) =>
    execFileSync("git", [...GIT, ...words], {
      cwd,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
}

/** Put a file, its directories made; `mode` where it is to be executable. */
export function put(top: string, path: string, text: string | Uint8Array = `${path}\n`, mode = 0o644): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
  chmodSync(join(top, path), mode);
}

/** A repository with one commit on main, and an empty home. */
export function repositoryWorld(base = tempDir()) {
  const root = join(base, "R");
  const home = join(base, "home");
  mkdirSync(root);
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = t\n\temail = t@example.org\n");
  const git = gitIn(root, home);
  git("init", "-q", "-b", "main");
  put(root, "README.md", "one\n");
  git("add", "README.md");
  git("commit", "-q", "-m", "one");
  const env: Record<string, string | undefined> = { HOME: home, GIT_CONFIG_NOSYSTEM: "1", TMPDIR: base };
  const jig = (words: readonly string[], options: RunOptions = {}) =>
    runJig(words, { cwd: root, timeout: 120_000, ...options, env: { ...env, ...options.env } });
  return { base, root, home, git, env, jig };
}

export const WF = "wf-login-20260706-141203-1a2b3c4d";

/** A BUILD workflow's artifact, with what finalize reads and a key nobody knows. */
export function putArtifact(root: string, wf: string, fields: Record<string, unknown> = {}): void {
  const artifact = {
    workflow_uuid: wf,
    workflow_id: wf,
    workflow_type: "BUILD",
    state_root: ".craftflow/state",
    pending_gate: null,
    status_history: [{ event: "workflow_started", ts: "2026-07-06T14:12:03Z", phase: "build" }],
    of_a_newer_version: { "1": 1.0 },
    updated_at: "2026-07-06T14:12:03Z",
    ...fields,
  };
  put(root, `.craftflow/state/workflows/${wf}.json`, `${JSON.stringify(artifact)}\n`);
}

/** What a test needs of one workflow: its worktree `T`, its branch `B`, its artifact `A`. */
export function worktreeWorld(options: { wf?: string; exclude?: boolean } = {}, made = repositoryWorld()) {
  const { root, home, git, jig } = made;
  const wf = options.wf ?? WF;
  const tree = join(root, ".claude/worktrees", `login-${wf.slice(-8)}`);
  const branch = `wf-login-${wf.slice(-8)}`;
  mkdirSync(dirname(tree), { recursive: true });
  if (options.exclude !== false) put(root, ".git/info/exclude", "/.claude/worktrees/\n/.craftflow/\n");
  git("worktree", "add", "-q", "--no-track", "-b", branch, tree);
  const base = {
    branch: git("branch", "--show-current").trim() || null,
    commit: git("rev-parse", "HEAD").trim(),
  };
  putArtifact(root, wf, {
    worktree_mode: "auto_created",
    worktree_path: tree,
    worktree_branch: branch,
    worktree_base: base,
  });
  const artifact = () =>
    JSON.parse(readFileSync(join(root, `.craftflow/state/workflows/${wf}.json`), "utf8"));
  const events = () =>
    readFileSync(join(root, `.craftflow/state/workflows/${wf}.events.jsonl`), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  const finalize = async (...words: string[]) => {
    const run = await jig(["flow", "worktree", "finalize", wf, "--json", ...words]);
    return {
      ...run,
      ...(run.stdout === "" ? {} : { report: JSON.parse(run.stdout) as FinalizeReport }),
    } as typeof run & {
      report: FinalizeReport;
    };
  };
  const memory = join(root, `.craftflow/state/workflows/${wf}`);
  return { ...made, wf, tree, branch, treeGit: gitIn(tree, home), artifact, events, finalize, memory };
}

export type WorktreeWorld = ReturnType<typeof worktreeWorld>;

/** Everything that a gate must keep: both trees, both heads, and no lock or trash beside them. */
export function stateOf({
  root,
  tree,
  branch,
  git,
}: Pick<WorktreeWorld, "root" | "tree" | "branch" | "git">) {
  return {
    head: git("rev-parse", "HEAD"),
    branch: git("for-each-ref", "refs/heads", "--format=%(refname) %(objectname)"),
    status: git("status", "--porcelain=1", "-z", "--untracked-files=all"),
    main: filesIn(root, (path) => !/^\.(?:git|craftflow|claude)(?:\/|$)/.test(path)),
    tree: existsSync(tree) ? filesIn(tree, (path) => path !== ".git") : null,
    registered: git("worktree", "list", "--porcelain").includes(`branch refs/heads/${branch}`),
    beside: readdirSync(join(root, ".claude/worktrees")).filter((name) => name.startsWith(".")),
  };
}

/** Paths of files and links below a directory with their content, byte for byte. */
export function filesIn(
  top: string,
  isWanted: (path: string) => boolean = () => true,
): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (directory: string) => {
    for (const name of readdirSync(placeIn(top, directory), { encoding: "buffer" })) {
      const bytes = name.toString("latin1");
      const path = directory === "" ? bytes : `${directory}/${bytes}`;
      if (!isWanted(path)) continue;
      const place = placeIn(top, path);
      const stat = lstatSync(place);
      if (stat.isDirectory()) visit(path);
      else if (stat.isSymbolicLink())
        found[path] = `-> ${readlinkSync(place, { encoding: "buffer" }).toString("latin1")}`;
      else if (stat.isFile())
        found[path] = `${(stat.mode & 0o111) === 0 ? "" : "x "}${readFileSync(place).toString("latin1")}`;
    }
  };
  visit("");
  return found;
}

/** A place whose name is given with one character for each byte. */
const placeIn = (top: string, path: string) =>
  Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);

/** Commit one new file. */
export function commitIn(git: ReturnType<typeof gitIn>, top: string, path: string, text = `${path}\n`): void {
  put(top, path, text);
  git("add", "-f", "--", path);
  git("commit", "-qm", path);
}
