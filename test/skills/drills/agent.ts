import { type ChildProcess, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import { readMarkdown } from "../../../src/skills/lint/markdown.ts";
import { shellWords } from "../../../src/skills/lint/shell.ts";
import { type RunOptions, type RunOutput, runJig, startJig, until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";
import { world } from "../world.ts";

/** A command line of an installed skill. */
interface Line {
  file: string;
  /** As it stands in the text, the prefix included. */
  text: string;
}

export interface Run extends RunOutput {
  /** stdout as JSON. */
  json(): Any;
}

// biome-ignore lint/suspicious/noExplicitAny: what a drill reads out of JSON it checks right away.
export type Any = any;

/** A script that plays the agent: it knows only the installed skill and runs its lines as they stand. */
export interface Agent {
  home: string;
  repository: string;
  env: Record<string, string>;
  /** The installed text of one file. */
  text(file?: string): string;
  /** The one line of a file that begins with these words. */
  line(words: string, file?: string): Line;
  /** Run it with its placeholders filled; `extra` words are what the drill adds. */
  run(words: string, values?: Record<string, string>, more?: RunMore): Promise<Run>;
  /** Start it and leave it running; killed with the test. */
  start(words: string, values?: Record<string, string>, more?: RunMore): ChildProcess;
  /** A repeated line: run until stdout matches. */
  runUntil(wanted: RegExp, words: string, values?: Record<string, string>, more?: RunMore): Promise<Run>;
  /** Put a program on PATH. */
  stub(name: string, script: string): void;
}

export interface RunMore extends RunOptions {
  file?: string;
  extra?: string[];
}

const ENTRY = "SKILL.md";

/** Lines run by any drill of this file, per skill; `expectAllRun` compares them with what the skill holds. */
const done = new Map<string, Set<string>>();

/** Install a skill into an empty home and read its lines from there. */
export async function makeAgent(skill: string): Promise<Agent> {
  const { home, repository, binary, env: base, jig } = world();
  const bin = join(home, "stubs");
  mkdirSync(bin);
  mkdirSync(join(home, "tmp"));
  const env = {
    ...base,
    PATH: [dirname(binary), bin, process.env["PATH"]].join(delimiter),
    JIG_TMP_ROOT: join(home, "tmp"),
  };
  const install = await jig(["skills", "install", "--host", "claude", skill]);
  if (install.code !== 0) throw new Error(install.stderr);
  const folder = join(home, `.claude/skills/jig-${skill}`);
  const text = (file = ENTRY) => readFileSync(join(folder, file), "utf8");

  const line = (words: string, file = ENTRY): Line => {
    const found = linesOf(text(file), binary).filter((one) => startsWith(one, `${binary} ${words}`));
    const exact = found.filter((one) => one === `${binary} ${words}`);
    const [only, ...others] = exact.length > 0 ? exact : found;
    if (only === undefined) throw new Error(`${file} of ${skill} has no line ${words}`);
    if (others.some((other) => other !== only))
      throw new Error(`${file} of ${skill}: several lines ${words}`);
    return { file, text: only };
  };

  const wordsOf = (words: string, values: Record<string, string>, more: RunMore): string[] => {
    const { text: template, file } = line(words, more.file);
    note(skill, file, template.slice(binary.length + 1));
    const cut = shellWords(fill(template, values));
    if ("problem" in cut) throw new Error(`${template}: ${cut.problem}`);
    return withExtra(cut.words.slice(1), more.extra ?? []);
  };

  const options = (more: RunMore): RunOptions => ({
    cwd: repository,
    program: binary,
    ...more,
    env: { ...env, ...more.env },
  });

  const agent: Agent = {
    home,
    repository,
    env,
    text,
    line,
    async run(words, values = {}, more = {}) {
      const run = await runJig(wordsOf(words, values, more), options(more));
      return { ...run, json: () => JSON.parse(run.stdout) };
    },
    start(words, values = {}, more = {}) {
      const child = startJig(wordsOf(words, values, more), options(more));
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },
    runUntil: (wanted, words, values = {}, more = {}) =>
      until(
        `${words} to print ${wanted}`,
        async () => {
          const run = await agent.run(words, values, more);
          return wanted.test(run.stdout) && run;
        },
        20_000,
      ),
    stub(name, script) {
      writeFileSync(join(bin, name), script);
      chmodSync(join(bin, name), 0o755);
    },
  };
  return agent;
}

function startsWith(line: string, words: string): boolean {
  return line === words || line.startsWith(`${words} `);
}

/** Fenced lines and inline code that begin with the prefix, in the order of the text. */
function linesOf(text: string, binary: string): string[] {
  const { fences, spans } = readMarkdown(text);
  return [...fences.flat(), ...spans]
    .sort((a, b) => a.line - b.line)
    .map(({ text: line }) => line)
    .filter((line) => startsWith(line, binary));
}

/** Fill placeholders; the second `<job-id>` of a line takes the value `job-id 2` when there is one. */
function fill(template: string, values: Record<string, string>): string {
  const seen = new Map<string, number>();
  return template.replaceAll(/<([a-z][a-z0-9-]*)>/g, (_, name: string) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const value = values[`${name} ${count}`] ?? values[name];
    if (value === undefined) throw new Error(`${template}: the drill has no value for <${name}>`);
    return value;
  });
}

/** Added words stand before a bare `--`, where they are still the command's. */
function withExtra(words: readonly string[], extra: readonly string[]): string[] {
  const at = words.indexOf("--");
  return at < 0 ? [...words, ...extra] : [...words.slice(0, at), ...extra, ...words.slice(at)];
}

function note(skill: string, file: string, line: string): void {
  const lines = done.get(skill) ?? new Set<string>();
  done.set(skill, lines.add(`${file}: ${line}`));
}

/** After the drills of a file: no command line of these skills was left out (docs/spec/skills.md 8.1). */
export function expectAllRun(...skills: string[]): void {
  afterAll(async () => {
    for (const skill of skills) {
      const missing = sourceLines(skill).filter((line) => !(done.get(skill)?.has(line) ?? false));
      expect(missing, `command lines of ${skill} that no drill runs`).toEqual([]);
    }
  });
}

function sourceLines(skill: string): string[] {
  const folder = join(import.meta.dirname, `../../../skills/jig-${skill}`);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".md"),
  );
  return files.flatMap((file) =>
    linesOf(readFileSync(join(folder, file), "utf8"), "{{JIG}}").map((line) =>
      `${file}: ${line.slice("{{JIG}} ".length)}`.replaceAll("{{JIG_VERSION}}", VERSION),
    ),
  );
}

const VERSION = (
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8")) as { version: string }
).version;

/** Git in a directory of a test, with a fixed identity. */
export function git(cwd: string, ...words: string[]): string {
  const identity = [
    "-c",
    "user.name=test",
    "-c",
    "user.email=test@localhost",
    "-c",
    "init.defaultBranch=main",
  ];
  const run = spawnSync("git", [...identity, ...words], { cwd, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`git ${words.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

/** Write a file with its directories. */
export function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export { tempDir };
