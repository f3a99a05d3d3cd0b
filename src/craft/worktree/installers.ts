import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isRegularFile } from "../../kernel/files/look.ts";

/** How dependencies are installed, by the file that asks for it; the first match wins (docs/spec/craft-run.md 10.1). */
interface Installer {
  file: string;
  name: string;
  argv: readonly [string, ...string[]];
  /** Tried when the first fails. */
  orElse?: readonly [string, ...string[]];
}

const INSTALLERS: readonly Installer[] = [
  { file: "package-lock.json", name: "npm", argv: ["npm", "ci"], orElse: ["npm", "install"] },
  { file: "pnpm-lock.yaml", name: "pnpm", argv: ["pnpm", "install", "--frozen-lockfile"] },
  { file: "yarn.lock", name: "yarn", argv: ["yarn", "install", "--frozen-lockfile"] },
  { file: "bun.lockb", name: "bun", argv: ["bun", "install"] },
  { file: "bun.lock", name: "bun", argv: ["bun", "install"] },
  { file: "uv.lock", name: "uv", argv: ["uv", "sync"] },
  { file: "poetry.lock", name: "poetry", argv: ["poetry", "install"] },
  { file: "Cargo.toml", name: "cargo", argv: ["cargo", "fetch"] },
  { file: "go.mod", name: "go", argv: ["go", "mod", "download"] },
  { file: "Gemfile.lock", name: "bundler", argv: ["bundle", "install"] },
  { file: "composer.lock", name: "composer", argv: ["composer", "install"] },
];

/** An installer, where it runs and what it is called. */
export interface ChosenInstaller extends Omit<Installer, "file"> {
  cwd: string;
}

/** The installer of a worktree; undefined when nothing in it asks for one. */
export function installerOf(worktree: string): ChosenInstaller | undefined {
  const found = INSTALLERS.find(({ file }) => isRegularFile(join(worktree, file)));
  if (found !== undefined) return { ...found, cwd: worktree };
  const nested = directoriesIn(worktree).find((name) =>
    isRegularFile(join(worktree, name, "package-lock.json")),
  );
  if (nested === undefined) return undefined;
  return { ...INSTALLERS[0]!, name: `npm (nested: ${nested})`, cwd: join(worktree, nested) };
}

function directoriesIn(worktree: string): string[] {
  return readdirSync(worktree, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .sort();
}
