import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type GitArguments, type GitOptions, git } from "../../../src/kernel/repository/git.ts";
import { overridesFor, settingsOf } from "../../../src/kernel/repository/git-programs.ts";
import { testHost } from "../../support/host.ts";
import { PROGRAM_KEYS, plantPrograms, type Traps } from "../../support/hostile-repository.ts";
import { testEnv } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

interface Trapped {
  root: string;
  traps: Traps;
  /** Run a command in the repository; gives the exit code. */
  run(args: GitArguments, options?: GitOptions): Promise<number>;
}

/** A repository with two branches that change one line, its configuration full of traps, its files newly touched. */
function trapped(without: readonly string[] = []): Trapped {
  const base = tempDir();
  const root = join(base, "repo");
  const identity = {
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@x",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@x",
  };
  const env = testEnv({ HOME: base, TMPDIR: base, ...identity });
  const plain = (...words: string[]) => execFileSync("git", words, { cwd: root, env, stdio: "ignore" });
  const commit = (text: string) => {
    writeFileSync(join(root, "a.txt"), `${text}\n`);
    plain("add", "-A");
    plain("commit", "-q", "-m", text);
  };
  mkdirSync(root);
  plain("init", "-q", "-b", "main");
  commit("one");
  plain("clone", "-q", "--bare", root, join(base, "upstream.git"));
  plain("checkout", "-q", "-b", "other");
  commit("two");
  plain("checkout", "-q", "main");
  commit("three");
  const traps = plantPrograms(join(root, ".git"), base, without);
  const host = testHost({ cwd: root, env });
  return {
    root,
    traps,
    async run(args, options) {
      // Of the same size and of another time: git has to look at the content, through the filter.
      const file = join(root, "a.txt");
      if (existsSync(file)) utimesSync(file, new Date(), new Date(Date.now() - 5000));
      return (await git(host, args, { timeoutMs: 20_000, ...options })).exitCode;
    },
  };
}

const BATTERY: readonly GitArguments[] = [
  ["rev-parse", "--show-toplevel"],
  ["ls-files", "-z"],
  ["check-ignore", "-z", "--stdin"],
  ["status", "--porcelain"],
  ["diff", "HEAD"],
  ["diff", "HEAD~1"],
  ["diff-files", "-p"],
  ["diff-index", "-p", "HEAD"],
  ["diff-tree", "-p", "HEAD~1", "HEAD"],
  ["log", "-p", "--format=%G? %s"],
  ["show"],
  ["blame", "a.txt"],
  ["hash-object", "a.txt"],
  ["add", "--all", "--renormalize"],
  ["commit", "--allow-empty", "-m", "x"],
  ["tag", "-a", "-m", "x", "v1"],
  ["branch", "b"],
  ["worktree", "add", "-q", "../linked"],
  ["ls-remote", "../upstream.git"],
  ["fetch", "../upstream.git"],
  ["fetch", "origin"],
  ["ls-remote", "origin"],
  ["ls-remote", "http://trap.invalid/x"],
  ["ls-remote", "git://127.0.0.1:9/x"],
  ["ls-remote", "ssh://127.0.0.1:9/x"],
  ["push", "../upstream.git", "HEAD:refs/heads/pushed"],
  ["clone", "-q", ".", "../cloned"],
  ["stash", "list", "-p"],
  ["merge", "--no-edit", "other"],
  ["merge", "--abort"],
  ["cherry-pick", "other"],
  ["reset", "-q", "--hard", "main"],
  ["rebase", "other"],
  ["rebase", "--abort"],
  ["checkout", "-q", "other"],
  ["update-ref", "refs/heads/c", "HEAD"],
  ["rm", "-q", "a.txt"],
];

describe("programs a repository names", () => {
  const filters = PROGRAM_KEYS.filter((key) => key.startsWith("filter."));

  test.each([
    ["with filters, which stop what they would have changed", []],
    ["without", filters],
  ])("none of them runs, whatever the command: %s", async (_, without) => {
    const { run, traps } = trapped(without);
    const sprung: string[] = [];
    const codes: Record<string, number> = {};
    for (const args of BATTERY) {
      codes[args.slice(0, 2).join(" ")] = await run(args);
      if (traps.sprung().length > 0) sprung.push(`${args.join(" ")}: ${traps.sprung().join(", ")}`);
      if (sprung.length > 0) break;
    }
    expect(sprung).toEqual([]);
    // The commands themselves did their work.
    const worked = [
      "status --porcelain",
      "diff HEAD~1",
      "log -p",
      "worktree add",
      "fetch ../upstream.git",
      "push ../upstream.git",
      "clone -q",
      "checkout -q",
    ];
    expect(worked.filter((name) => codes[name] !== 0)).toEqual([]);
    // A filter stops a commit that has to look into a file, which depends on the file's time.
    if (without.length > 0) expect(codes["commit --allow-empty"]).toBe(0);
    // A driver that may not run resolves nothing: the merge is a conflict, not a wrong result.
    expect(codes["merge --no-edit"]).toBe(1);
  });

  test("they would, where a call asks for what the user's own would run", async () => {
    const sprung = new Set<string>();
    // The second time without the two whose failure ends most commands.
    for (const without of [[], ["filter.trap.process", "gpg.program"]]) {
      const { run, traps } = trapped(without);
      const config: Record<string, string> = without.length > 0 ? { "commit.gpgSign": "false" } : {};
      for (const args of BATTERY) await run(args, { programs: "repository", config });
      for (const name of traps.sprung()) sprung.add(name);
    }
    const expected = [
      "core.fsmonitor",
      "core.gitProxy",
      "diff.trap.command",
      "diff.trap.textconv",
      "filter.trap.clean",
      "filter.trap.process",
      "filter.trap.smudge",
      "gpg.program",
      "hook post-checkout",
      "hook pre-commit",
      "hook pre-push",
      "hook pre-rebase",
      "hook reference-transaction",
      "merge.trap.driver",
      "remote.url",
      "url.insteadOf",
    ];
    expect(expected.filter((name) => !sprung.has(name))).toEqual([]);
  });

  test("what a filter of the repository's was to change is not taken in as it is", async () => {
    const { root, traps, run } = trapped();
    const plain = (...words: string[]) =>
      execFileSync("git", ["-c", "core.fsmonitor=false", ...words], {
        cwd: root,
        env: testEnv(),
        encoding: "utf8",
      });
    for (const required of ["true", "false"]) {
      plain("config", "filter.trap.required", required);
      writeFileSync(join(root, "secret"), `plain text ${required}\n`);
      const calls: GitArguments[] = [
        ["add", "secret"],
        ["update-index", "--add", "secret"],
        ["stash", "push", "--include-untracked"],
      ];
      for (const args of calls) expect([args[0], await run(args)]).not.toEqual([args[0], 0]);
      expect(plain("ls-files", "secret")).toBe("");
    }
    expect(traps.sprung()).toEqual([]);
  });

  test("a partial clone fetches nothing when an object is missing", async () => {
    const { root, traps, run } = trapped(PROGRAM_KEYS.filter((key) => key !== "remote.origin.uploadpack"));
    const plain = (...words: string[]) =>
      execFileSync("git", words, { cwd: root, env: testEnv(), encoding: "utf8" }).trim();
    plain("config", "core.repositoryFormatVersion", "1");
    plain("config", "extensions.partialClone", "origin");
    plain("config", "remote.origin.promisor", "true");
    plain("config", "--replace-all", "remote.origin.url", `file://${join(root, "../upstream.git")}`);
    plain("config", "--unset-all", "core.hooksPath");
    const blob = plain("-c", "core.fsmonitor=false", "rev-parse", "HEAD:a.txt");
    rmSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    const calls: GitArguments[] = [
      ["cat-file", "-p", "HEAD:a.txt"],
      ["ls-tree", "-l", "HEAD"],
      ["rev-list", "--objects", "--all"],
      ["diff-tree", "-p", "HEAD~1", "HEAD"],
      ["log", "-p"],
      ["status", "--porcelain"],
      ["blame", "a.txt"],
      ["merge", "--no-edit", "other"],
      ["checkout", "-q", "-f", "HEAD"],
      ["fetch", join(root, "../upstream.git")],
      ["ls-remote", "origin"],
    ];
    for (const args of calls) {
      await run(args);
      expect([args.join(" "), traps.sprung()]).toEqual([args.join(" "), []]);
    }
    await run(["cat-file", "-p", "HEAD:a.txt"], { programs: "repository" });
    expect(traps.sprung()).toEqual(["remote.origin.uploadpack"]);
  });

  test("the list of settings is what the git at hand documents", () => {
    const documented = execFileSync("git", ["help", "--config"], { encoding: "utf8" }).split("\n");
    const looksLikeProgram =
      /(cmd|command|program|driver|helper|editor|pager|textconv|clean|smudge|process|external|proxy|askPass|vcs|uploadpack|receivepack|\.update|fsmonitor|browser|hook|diffFilter|tunnel|smtpServer|alias\.\*|pager\.<cmd>)$/i;
    const known = new Set(PROGRAM_KEYS.map((key) => shape(key)));
    expect(
      documented.filter(
        (key) => looksLikeProgram.test(key) && !known.has(shape(key)) && !NO_PROGRAM.has(key),
      ),
    ).toEqual([]);
  });
});

/** A key without the name in its middle, or with the only name it can have. */
function shape(key: string): string {
  const parts = key.split(".");
  if (/^(alias|pager)$/.test(parts[0]!)) return `${parts[0]}.*`;
  return (parts.length > 2 ? `${parts[0]}.*.${parts.at(-1)}` : key).toLowerCase();
}

/** Documented settings that only sound like a program. */
const NO_PROGRAM = new Set([
  "advice.ignoredHook",
  "advice.waitingForEditor",
  "color.pager",
  "column.clean",
  "diff.<driver>.cachetextconv",
  "gitcvs.dbDriver",
  "help.browser",
  "http.proxy",
  "instaweb.browser",
  "remote.<name>.proxy",
]);

describe("overridesFor", () => {
  const overrides = (filters: "user" | "none", ...settings: [string, string, string][]) =>
    overridesFor(
      "status",
      settings.map(([scope, key, value]) => ({ scope, key, value })),
      filters,
    );

  test("leaves the user's own settings alone", () => {
    const own: [string, string, string][] = [
      ["system", "filter.lfs.process", "git-lfs filter-process"],
      ["global", "filter.lfs.required", "true"],
      ["global", "credential.helper", "store"],
      ["global", "merge.ours.driver", "true"],
      ["command", "core.gitproxy", "proxy"],
    ];
    expect(overrides("user", ...own)).toEqual({ config: [], env: {} });
    expect(overrides("none", ...own).config).toEqual([
      ["filter.lfs.process", ""],
      ["filter.lfs.required", "false"],
      ["filter.lfs.required", "false"],
    ]);
  });

  test("puts the user's helpers behind a reset of the repository's", () => {
    const { config } = overrides(
      "user",
      ["system", "credential.helper", "cache"],
      ["global", "credential.https://a.b:8080/c.helper", "store"],
      ["local", "credential.helper", "!evil"],
      ["worktree", "credential.https://a.b.helper", "!evil"],
    );
    expect(config).toEqual([
      ["credential.helper", ""],
      ["credential.helper", "cache"],
      ["credential.https://a.b:8080/c.helper", "store"],
    ]);
  });

  test("reads names with dots, lines and no value", () => {
    const text = "local\0filter.a.b.clean\nx\ny\0worktree\0core.bare\0local\0hook.n.command\nz\0";
    const settings = settingsOf(text.split("\0").slice(0, -1));
    expect(settings[0]).toEqual({ scope: "local", key: "filter.a.b.clean", value: "x\ny" });
    expect(overridesFor("status", settings, "user").config).toEqual([
      ["filter.a.b.clean", ""],
      ["filter.a.b.required", "false"],
      ["hook.n.enabled", "false"],
    ]);
  });
});
