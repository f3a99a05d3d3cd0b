import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { verifyMachO } from "./macho.ts";

const MAX_BYTES = 130 * 1024 * 1024;

const FORMATS: readonly { matches: RegExp; name: string; magic: number[] }[] = [
  { matches: /linux/, name: "ELF", magic: [0x7f, 0x45, 0x4c, 0x46] },
  { matches: /darwin/, name: "Mach-O 64", magic: [0xcf, 0xfa, 0xed, 0xfe] },
  { matches: /windows/, name: "PE", magic: [0x4d, 0x5a] },
];

/**
 * What is wrong with the builds in a folder: size, executable format, embedded files, code signature, `--version`.
 * Assets that are not there are passed over; an empty folder is itself a problem.
 */
export function checkBuild(
  root: string,
  outdir: string,
  names: readonly string[],
  say: (line: string) => void,
): string[] {
  const problems: string[] = [];
  const present = names.map((name) => join(outdir, name)).filter((path) => existsSync(path));
  if (present.length === 0) return [`nothing to check in ${outdir}; run bun build.ts first`];
  const embedded = embeddedFiles(root);
  for (const path of present) {
    const found = checkAsset(root, path, embedded);
    problems.push(...found);
    say(`${found.length === 0 ? "ok " : "BAD"} ${path}`);
  }
  return problems;
}

function checkAsset(root: string, path: string, embedded: readonly string[]): string[] {
  const problems: string[] = [];
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { size } = statSync(path);
  if (size > MAX_BYTES) problems.push(`${name}: ${size} bytes, more than ${MAX_BYTES}`);
  const bytes = readFileSync(path);
  const format = FORMATS.find((candidate) => candidate.matches.test(name));
  if (format !== undefined && !format.magic.every((byte, index) => bytes[index] === byte)) {
    problems.push(`${name}: not a ${format.name} file`);
  }
  for (const file of embedded) {
    const content = readFileSync(join(root, file));
    if (content.length > 0 && bytes.indexOf(content) < 0)
      problems.push(`${name}: ${file} is not embedded as it is`);
  }
  if (name.includes("darwin")) problems.push(...verifyMachO(bytes).map((problem) => `${name}: ${problem}`));
  if (name === "jig" || name === "jig.exe") {
    const run = Bun.spawnSync([path, "--version"]);
    if (run.exitCode !== 0) problems.push(`${name}: --version exits ${run.exitCode}`);
  }
  return problems;
}

/** Paths, relative to the root, of every file the binary must hold byte for byte. */
export function embeddedFiles(root: string): string[] {
  return ["assets", "skills"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
}
