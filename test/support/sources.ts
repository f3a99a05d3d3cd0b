import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "./paths.ts";

/** One source file with the modules it names. */
export interface SourceFile {
  /** Path from the repository's root: `src/job/reap.ts`. */
  path: string;
  text: string;
  /** Relative imports as paths from the root; bare ones (`node:fs`, `yaml`) as they are. */
  imports: { to: string; lazy: boolean; typeOnly: boolean }[];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s*["']([^"']+)["']|(?:^|\n)import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** Every TypeScript file below a folder of the repository. */
export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => readSource(relative(ROOT, join(entry.parentPath, entry.name))))
    .sort((a, b) => a.path.localeCompare(b.path));
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), "utf8");
  const imports = [...text.matchAll(IMPORT)].map((match) => {
    const word = (match[2] ?? match[3] ?? match[4])!;
    const to = word.startsWith(".") ? join(dirname(path), word) : word;
    return { to, lazy: match[4] !== undefined, typeOnly: match[1] !== undefined };
  });
  return { path, text, imports };
}

/** A module's text without its comments, well enough to look for words in. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "$1");
}
