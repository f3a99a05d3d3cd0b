import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RunOptions, type RunOutput, runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

/** A fresh git repository and the compiled jig in it. */
export interface World {
  root: string;
  plan(words: string[], options?: RunOptions): Promise<RunOutput>;
  /** `plan reserve` at a fixed date and time. */
  res(words: string[], options?: RunOptions): Promise<RunOutput>;
  write(path: string, text?: string): string;
  config(text: string, name?: string): void;
}

export function world(): World {
  const root = tempDir();
  execFileSync("git", ["init", "-q", root]);
  const write = (path: string, text = "") => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  const plan = (words: string[], options: RunOptions = {}) =>
    runJig(["plan", ...words], { cwd: root, ...options });
  return {
    root,
    plan,
    res: (words, options) => plan(["reserve", "--date", "2026-09-24", "--time", "0952", ...words], options),
    write,
    config: (text, name = "config.yaml") => void write(`.compound-engineering/${name}`, text),
  };
}
