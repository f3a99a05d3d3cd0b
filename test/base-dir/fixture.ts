import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunOptions, type RunOutput, runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

/** The world of the acceptance examples in docs/spec/base-dir.md. */
export interface World {
  root: string;
  /** The temp candidate. */
  tmpbase: string;
  /** A path below the root. */
  at(...parts: string[]): string;
  /** Make a directory below the root. */
  dir(path: string): string;
  /** Make a directory with an empty `.git` in it. */
  repo(path: string): string;
  /** Write a valid anchor, with changed or added keys. */
  anchor(path: string, fields?: Record<string, unknown>): string;
  run(cwd: string, words: readonly string[], options?: RunOptions): Promise<RunOutput>;
}

export const ANCHOR = ".cafleet-base-dir.json";

export function world(): World {
  const root = tempDir();
  const at = (...parts: string[]) => join(root, ...parts);
  const dir = (path: string) => {
    mkdirSync(at(path), { recursive: true });
    return at(path);
  };
  dir("home");
  return {
    root,
    tmpbase: at("t/claude-code"),
    at,
    dir,
    repo(path) {
      dir(`${path}/.git`);
      return at(path);
    },
    anchor(path, fields = {}) {
      dir(path);
      const file = at(path, ANCHOR);
      writeFileSync(file, JSON.stringify({ version: 1, base: at(path), source: "cwd-inference", ...fields }));
      return file;
    },
    run: (cwd, words, options = {}) =>
      runJig(["base-dir", ...words], {
        cwd,
        ...options,
        env: { HOME: at("home"), JIG_TMP_ROOT: at("t"), ...options.env },
      }),
  };
}

export function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, "utf8"));
}

export function hasAnchor(directory: string): boolean {
  return existsSync(join(directory, ANCHOR));
}
