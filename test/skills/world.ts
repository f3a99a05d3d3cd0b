import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textHash } from "../../src/skills/installed/manifest.ts";
import type { Manifest } from "../../src/skills/schema.ts";
import { JIG, ROOT } from "../support/paths.ts";
import { type RunOptions, type RunOutput, runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

/** The version that the binary and the texts carry. */
export const VERSION = (JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as { version: string })
  .version;

/** Names of the embedded skills, sorted. */
export const SKILLS = readdirSync(`${ROOT}/skills`).sort();

/** An empty home `H` with the binary at `H/bin/jig`, and a repository `R` as working directory (docs/spec/skills.md 14). */
export interface World {
  home: string;
  repository: string;
  /** `H/bin/jig`. */
  binary: string;
  env: Record<string, string>;
  jig(words: readonly string[], options?: RunOptions): Promise<RunOutput>;
}

export function world(binaryPath = "bin/jig"): World {
  const home = tempDir("jig-skills-home-");
  const repository = tempDir("jig-skills-repo-");
  spawnSync("git", ["init", "-q", repository]);
  const binary = join(home, binaryPath);
  mkdirSync(join(binary, ".."), { recursive: true });
  symlinkSync(JIG, binary);
  const env = { HOME: home, PATH: `${join(binary, "..")}:${process.env["PATH"]}` };
  return {
    home,
    repository,
    binary,
    env,
    jig: (words, options = {}) =>
      runJig(words, { cwd: repository, ...options, env: { ...env, ...options.env } }),
  };
}

/** stderr without the note about a temporary directory, which every test home would draw. */
export function remarks(run: RunOutput): string {
  return run.stderr
    .split("\n")
    .filter((line) => !/^note: .* may vanish/.test(line))
    .join("\n");
}

/** Content, or a directory's marker, of everything below a directory, by relative path. */
export function snapshot(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(directory.length + 1);
    found[name] = entry.isDirectory()
      ? "<directory>"
      : entry.isSymbolicLink()
        ? "<link>"
        : readFileSync(path, "utf8");
  }
  return found;
}

/** A snapshot without the moment of installation. */
export function timeless(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tree).map(([name, text]) => [
      name,
      text.replace(/"installed_at": "[^"]*"/, '"installed_at": ""'),
    ]),
  );
}

export function readInstalledManifest(skill: string): Manifest {
  return JSON.parse(readFileSync(join(skill, ".jig-skill.json"), "utf8")) as Manifest;
}

/** Change an installed file and record its new hash, as if another version of jig had written it. */
export function makeStale(skill: string, file = "SKILL.md"): void {
  const path = join(skill, file);
  const text = `${readFileSync(path, "utf8")}\nOf another version.\n`;
  writeFileSync(path, text);
  const manifest = readInstalledManifest(skill);
  manifest.files[file] = { sha256: textHash(text), bytes: Buffer.byteLength(text) };
  writeFileSync(join(skill, ".jig-skill.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

export function mtimes(directory: string): Record<string, number> {
  return Object.fromEntries(
    Object.keys(snapshot(directory)).map((name) => [name, statSync(join(directory, name)).mtimeMs]),
  );
}
