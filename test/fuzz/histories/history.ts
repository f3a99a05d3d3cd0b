/** One generated history: a main tree, a workflow's worktree, and what happened in both before finalize (issue of the merge). */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runJig } from "../../support/run.ts";
import { type Random, randomFrom } from "../random.ts";
import { edit } from "./edits.ts";
import { copyTemplate, gitAt, gitEnv, gitTries, put } from "./template.ts";

export interface History {
  seed: number;
  root: string;
  home: string;
  tree: string;
  branch: string;
  wf: string;
  /** What was done, in order. */
  log: string[];
  /** Something stands in the way on purpose: a gate is the only right end. */
  obstacle: string | undefined;
  random: Random;
  /** jig in the project. */
  jig(...words: string[]): ReturnType<typeof runJig>;
}

/** Make the history of a seed in a fresh directory, from a template. */
export async function makeHistory(seed: number, template: string, base: string): Promise<History> {
  const random = randomFrom(seed);
  const { root, home } = copyTemplate(template, base);
  const jig = (...words: string[]) => runJig(words, { cwd: root, env: gitEnv(home), timeout: 120_000 });
  const log: string[] = [];
  if (random.oneIn(6)) sparse(root, home, log);
  const made = JSON.parse((await jig("flow", "new", "--type", "BUILD", "--request", "x y", "--json")).stdout);
  const wf = made.workflow_uuid as string;
  const created = JSON.parse((await jig("flow", "worktree", "create", wf, "--json")).stdout);
  if (created.outcome !== "created") throw new Error(`seed ${seed}: create: ${JSON.stringify(created)}`);
  const [tree, branch] = [created.worktree_path as string, created.worktree_branch as string];
  const history: History = { seed, root, home, tree, branch, wf, log, obstacle: undefined, random, jig };
  work(history, "main", root, random.below(3), false);
  work(history, "tree", tree, random.below(4), true);
  history.obstacle = obstruct(history);
  return history;
}

/** Commits of random edits, and, where the tree may be left so, edits that are not committed. */
function work({ random, home, log }: History, name: string, top: string, commits: number, loose: boolean) {
  const some = (most: number) => {
    for (let count = 1 + random.below(most); count > 0; count--) log.push(`${name}: ${edit(random, top)}`);
  };
  for (let number = 0; number < commits; number++) {
    some(4);
    gitTries(top, home, "add", "--all");
    if (gitTries(top, home, "commit", "-q", "-m", `${name} ${number}`)) log.push(`${name}: commit`);
  }
  if (!loose || random.oneIn(3)) return;
  some(5);
  if (random.oneIn(3) && gitTries(top, home, "add", "--all")) {
    log.push(`${name}: stage all`);
    if (random.oneIn(2)) some(3);
  }
}

function sparse(root: string, home: string, log: string[]) {
  if (gitTries(root, home, "sparse-checkout", "set", "src")) log.push("main: sparse-checkout set src");
}

type Obstacle = readonly [name: string, act: (history: History) => unknown];

/** In most histories nothing; else one thing that must stop a merge, or that may. */
function obstruct(history: History): string | undefined {
  const { random, log } = history;
  if (!random.oneIn(3)) return undefined;
  const [name, act] = random.pick(OBSTACLES);
  try {
    act(history);
  } catch (error) {
    log.push(`obstacle ${name}: not possible: ${String(error).slice(0, 200)}`);
    return undefined;
  }
  log.push(`obstacle: ${name}`);
  return name;
}

const hook = (root: string, name: string, script: string) => {
  put(root, `.git/hooks/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, `.git/hooks/${name}`), 0o755);
};

const OBSTACLES: readonly Obstacle[] = [
  ["dirty main tree", ({ root, random }) => edit(random, root)],
  ["untracked file in main", ({ root }) => put(root, "added.txt", "mine\n")],
  ["ignored file in main", ({ root }) => put(root, ".env", "SECRET=1\n")],
  ["index locked", ({ root }) => writeFileSync(join(root, ".git/index.lock"), "")],
  ["branch locked", ({ root }) => writeFileSync(join(root, ".git/refs/heads/main.lock"), "")],
  ["pre-merge-commit fails", ({ root }) => hook(root, "pre-merge-commit", "echo no >&2; exit 1")],
  ["commit-msg fails", ({ root }) => hook(root, "commit-msg", "exit 1")],
  [
    "reference-transaction refuses main",
    ({ root }) =>
      hook(root, "reference-transaction", 'grep -q refs/heads/main && [ "$1" = prepared ] && exit 1; exit 0'),
  ],
  [
    "post-merge writes into the worktree",
    ({ root, tree }) => hook(root, "post-merge", `echo late > '${tree}/late.txt' 2>/dev/null; exit 0`),
  ],
  ["main on another branch", ({ root, home }) => gitAt(root, home, "switch", "-q", "-c", "other")],
  ["main detached", ({ root, home }) => gitAt(root, home, "switch", "-q", "--detach")],
  [
    "main rewritten",
    ({ root, home }) => {
      gitAt(root, home, "commit", "-q", "--amend", "-m", "rewritten");
    },
  ],
  [
    "rebase stopped",
    ({ root, home }) => {
      gitAt(root, home, "commit", "-q", "--allow-empty", "-m", "to be edited");
      gitTries(
        root,
        home,
        "-c",
        "sequence.editor=sed -i s/^pick/edit/",
        "rebase",
        "-q",
        "-i",
        "--keep-empty",
        "HEAD~1",
      );
    },
  ],
  [
    "merge under way",
    ({ root, home }) => {
      gitAt(root, home, "switch", "-q", "-c", "side");
      gitAt(root, home, "commit", "-q", "--allow-empty", "-m", "side");
      gitAt(root, home, "switch", "-q", "main");
      gitAt(root, home, "merge", "-q", "-s", "ours", "--no-commit", "--no-ff", "side");
    },
  ],
  ["worktree on another branch", ({ tree, home }) => gitAt(tree, home, "switch", "-q", "-c", "elsewhere")],
  [
    "worktree detached with a commit",
    ({ tree, home }) => {
      gitAt(tree, home, "switch", "-q", "--detach");
      gitAt(tree, home, "commit", "-q", "--allow-empty", "-m", "stray");
    },
  ],
  ["worktree locked", ({ root, tree, home }) => gitAt(root, home, "worktree", "lock", tree)],
  ["worktree without .git", ({ tree }) => rmSync(join(tree, ".git"))],
  ["worktree moved by hand", ({ tree }) => renameSync(tree, `${tree}.moved`)],
  [
    "worktree moved by git",
    ({ root, tree, home }) =>
      gitAt(root, home, "worktree", "move", tree, join(root, ".claude/worktrees/elsewhere")),
  ],
  [
    "nested worktree",
    ({ root, tree, home }) =>
      gitAt(root, home, "worktree", "add", "-q", "-b", "nested", join(tree, "nested")),
  ],
  [
    "nested repository",
    ({ tree, home }) => {
      mkdirSync(join(tree, "embedded"));
      gitAt(join(tree, "embedded"), home, "init", "-q");
      put(tree, "embedded/f", "inside\n");
      gitAt(join(tree, "embedded"), home, "add", "f");
      gitAt(join(tree, "embedded"), home, "commit", "-q", "-m", "inside");
    },
  ],
  [
    "unmerged in the worktree",
    ({ root, tree, home, branch }) => {
      gitAt(root, home, "switch", "-q", "-c", "clash", branch);
      put(root, "README.md", "clash one\n");
      gitAt(root, home, "commit", "-q", "-am", "clash one");
      gitAt(root, home, "switch", "-q", "main");
      put(tree, "README.md", "clash two\n");
      gitAt(tree, home, "commit", "-q", "-am", "clash two");
      gitTries(tree, home, "merge", "-q", "clash");
      rmSync(join(gitDirectory(root, tree), "MERGE_HEAD"), { force: true });
    },
  ],
  [
    "submodule",
    ({ root, tree, home }) => {
      const from = join(root, "..", "library");
      mkdirSync(from);
      gitAt(from, home, "init", "-q", "-b", "main");
      put(from, "lib.txt", "library\n");
      gitAt(from, home, "add", "lib.txt");
      gitAt(from, home, "commit", "-q", "-m", "library");
      gitAt(tree, home, "submodule", "--quiet", "add", from, "lib");
      gitAt(tree, home, "commit", "-q", "-m", "submodule");
    },
  ],
  [
    "smudge filter fails",
    ({ root, home, tree }) => {
      gitAt(root, home, "config", "filter.bad.smudge", "false");
      gitAt(root, home, "config", "filter.bad.clean", "cat");
      gitAt(root, home, "config", "filter.bad.required", "true");
      put(tree, ".gitattributes", "*.txt text=auto\n*.bad filter=bad\n");
      put(tree, "f.bad", "filtered\n");
      gitAt(tree, home, "add", "--all");
      gitAt(tree, home, "commit", "-q", "-m", "filtered");
    },
  ],
];

function gitDirectory(root: string, tree: string): string {
  const name = join(root, ".git/worktrees", tree.slice(tree.lastIndexOf("/") + 1));
  return existsSync(name) ? name : join(root, ".git");
}
