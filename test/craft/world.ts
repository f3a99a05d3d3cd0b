import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import craftGroup from "../../src/craft/command.ts";
import type { Resolution } from "../../src/craft/pipeline/resolve/resolution.ts";
import { JigError } from "../../src/kernel/call/errors.ts";
import type { Host } from "../../src/kernel/call/host.ts";
import type { Outcome } from "../../src/kernel/call/outcome.ts";
import { testHost } from "../support/host.ts";
import { type RoomOutput, runRoom } from "../support/room.ts";
import { tempDir } from "../support/temp.ts";

/** An empty repository with an empty home, and a host that stands in it. */
export interface World {
  /** The repository. */
  root: string;
  home: string;
  host: Host;
  /** Write a file below the repository. */
  write(path: string, text: string): string;
  /** Write a file below the home directory. */
  writeHome(path: string, text: string): string;
  /** `.claude/workflow.md` with this front matter; gives its relative path. */
  manifest(yaml: string): string;
}

export function world(overrides: Partial<Host> = {}): World {
  const base = tempDir();
  const [root, home] = [join(base, "repository"), join(base, "home")];
  mkdirSync(root);
  mkdirSync(home);
  const writeIn = (directory: string) => (path: string, text: string) => {
    const full = join(directory, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  const write = writeIn(root);
  return {
    root,
    home,
    host: testHost({ cwd: root, home, env: { HOME: home }, ...overrides }),
    write,
    writeHome: writeIn(home),
    manifest(yaml) {
      write(".claude/workflow.md", `---\n${yaml}\n---\n`);
      return ".claude/workflow.md";
    },
  };
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** What a verb would have printed, and its exit code. */
export async function ran(outcome: Promise<Outcome>): Promise<Ran> {
  try {
    const { text, notes, exitCode } = await outcome;
    const stdout = typeof text === "string" ? text : text({ isTerminal: false, width: 80, colour: false });
    return { code: exitCode ?? 0, stdout, stderr: (notes ?? []).join("\n") };
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    const hint = error.hint === undefined ? "" : `\nhint: ${error.hint}`;
    return { code: error.exitCode, stdout: "", stderr: error.message + hint };
  }
}

/** Run one verb of the room from its words, as a call of jig itself. */
export function craft(at: World, words: readonly string[], stdin = ""): Promise<RoomOutput> {
  const host: Host = { ...at.host, stdin: async () => new TextEncoder().encode(stdin) };
  return runRoom(craftGroup, words, host, undefined, false);
}

/** The Resolution of a call that has to succeed. */
export async function resolution(at: World, words: readonly string[] = []): Promise<Resolution> {
  const { code, stdout, stderr } = await craft(at, ["pipeline-resolve", ...words]);
  if (code !== 0) throw new Error(`pipeline-resolve ${words.join(" ")}: exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The same with a manifest of this front matter. */
export function resolved(at: World, yaml: string, words: readonly string[] = []): Promise<Resolution> {
  return resolution(at, ["@default", at.manifest(yaml), ...words]);
}

/** What a call is refused with; the empty text when it is not. */
export async function refused(at: World, yaml: string, words: readonly string[] = []): Promise<string> {
  const run = await craft(at, ["pipeline-resolve", "@default", at.manifest(yaml), ...words]);
  if (run.code === 0) return "";
  if (run.code !== 2 || run.stdout !== "")
    throw new Error(`exit ${run.code} with ${run.stdout || "no output"}`);
  return run.stderr;
}
