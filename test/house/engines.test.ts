import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/paths.ts";
import { sourceFiles } from "../support/sources.ts";

/** Where people read the words (help), and what is on disk (its schema). */
const NAMES_ARE_DATA = ["src/job/command.ts", "src/job/schema.ts", "src/job/settings.ts"];

test("no code of the job room but an engine's own file names one, so a third is one file", () => {
  const files = sourceFiles("src")
    .map(({ path }) => path)
    .filter((path) => path.startsWith("src/job/") && !NAMES_ARE_DATA.includes(path));
  const naming = files.filter((path) => {
    const code = readFileSync(join(ROOT, path), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    return /slurm|\bsbatch|squeue|\bssh\b/i.test(code.replaceAll(/SCANCEL|scancel/g, ""));
  });
  expect(naming.sort()).toEqual([
    "src/job/engine/kinds.ts",
    "src/job/engine/remote-shell.ts",
    "src/job/engine/slurm.ts",
    "src/job/engine/ssh.ts",
  ]);
});
