import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import flowGroup from "../../src/flow/command.ts";
import { type Layout, layoutOf } from "../../src/flow/common/layout.ts";
import type { Host } from "../../src/kernel/call/host.ts";
import { testHost } from "../support/host.ts";
import { type RoomOutput, runRoom } from "../support/room.ts";
import { tempDir } from "../support/temp.ts";

/** The acceptance examples' setup: an empty home and a repository `R` on `main` with one commit. */
export interface World {
  /** Holds both. */
  base: string;
  root: string;
  home: string;
  host: Host;
  layout: Layout;
  /** Run one verb of the room from its words, in this process. */
  flow(words: readonly string[], options?: FlowOptions): Promise<RoomOutput>;
  /** The JSON a verb prints with `--json`. */
  json<T = Record<string, unknown>>(words: readonly string[], options?: FlowOptions): Promise<T>;
  /** A workflow as example 12 makes it; gives its id. */
  begin(words?: readonly string[]): Promise<string>;
  /** An artifact as it stands on disk, and the text of it. */
  artifact(wf: string): Artifact;
  artifactText(wf: string): string;
  /** Put an artifact there that no verb would write. */
  writeArtifact(wf: string, change: (artifact: Artifact) => unknown): void;
  /** The events of a workflow, or of one name. */
  events(wf: string, name?: string): Record<string, unknown>[];
  /** Write a file below the repository; gives its absolute path. */
  write(path: string, text: string): string;
  git(...words: string[]): string;
}

// biome-ignore lint/suspicious/noExplicitAny: an artifact of any tool and any age.
export type Artifact = Record<string, any>;

export interface FlowOptions {
  cwd?: string;
  stdin?: string;
  env?: Record<string, string>;
  now?: number;
}

export function makeRepository(path: string): (...words: string[]) => string {
  mkdirSync(path, { recursive: true });
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...words], {
      cwd: path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  git("init", "-q", "-b", "main");
  writeFileSync(join(path, "README.md"), "# R\n");
  git("add", "README.md");
  git("commit", "-q", "-m", "Begin");
  return git;
}

export function flowWorld(): World {
  const base = tempDir();
  const [root, home] = [join(base, "R"), join(base, "H")];
  mkdirSync(home);
  const git = makeRepository(root);
  const layout = layoutOf(root);
  const host = testHost({ cwd: root, home, env: { HOME: home, PATH: process.env["PATH"] } });
  const flow: World["flow"] = (words, options = {}) => {
    const { cwd = root, stdin = "", env = {}, now } = options;
    const called: Host = {
      ...host,
      cwd,
      prefix: "jig flow: ",
      env: { ...host.env, ...env },
      stdin: async () => new TextEncoder().encode(stdin),
      ...(now === undefined ? {} : { now: () => now }),
    };
    return runRoom(flowGroup, words, called, undefined, false);
  };
  const artifactText = (wf: string) => readFileSync(layout.artifact(wf), "utf8");
  const write = (path: string, text: string) => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  return {
    base,
    root,
    home,
    host,
    layout,
    flow,
    async json(words, options) {
      const run = await flow([...words, "--json"], options);
      if (run.stdout === "") throw new Error(`flow ${words.join(" ")}: exit ${run.code}: ${run.stderr}`);
      return JSON.parse(run.stdout);
    },
    async begin(words = ["--type", "BUILD", "--request", 'Add "login" page']) {
      const run = await flow(["new", ...words]);
      if (run.code !== 0) throw new Error(run.stderr);
      return run.stdout.trim();
    },
    artifactText,
    artifact: (wf) => JSON.parse(artifactText(wf)),
    writeArtifact(wf, change) {
      const artifact = JSON.parse(artifactText(wf));
      change(artifact);
      writeFileSync(layout.artifact(wf), `${JSON.stringify(artifact)}\n`);
    },
    events(wf, name) {
      const lines = readFileSync(layout.events(wf), "utf8").trimEnd().split("\n");
      const events = lines.map((line) => JSON.parse(line));
      return name === undefined ? events : events.filter(({ event }) => event === name);
    },
    write,
    git,
  };
}

/** A directory that is no repository and holds three, a plain directory and a link to one of them. */
export function workspace(at: World): string {
  const path = join(at.base, "W");
  for (const name of ["gamma", "alpha", "beta"]) makeRepository(join(path, name));
  mkdirSync(join(path, "plain"));
  symlinkSync("alpha", join(path, "link"));
  return path;
}

/** What a question about it lists. */
export const ambiguous = (path: string): string[] =>
  ["alpha", "beta", "gamma"].map((name) => join(path, name));
