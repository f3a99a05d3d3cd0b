/**
 * Build the executable (docs/spec/cli.md section 7): `bun build.ts` for this machine, `--all` for every target,
 * `--target NAME`, `--check` to verify what was built. Run with bun.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { checkBuild } from "./scripts/check-build.ts";
import { chunkPlugin } from "./scripts/chunks.ts";
import { signAdHoc, verifyMachO } from "./scripts/macho.ts";

const ROOT = import.meta.dirname;

/** Asset name → Bun compile target. */
export const TARGETS: Record<string, string> = {
  "jig-linux-x64": "bun-linux-x64",
  "jig-linux-x64-baseline": "bun-linux-x64-baseline",
  "jig-linux-arm64": "bun-linux-arm64",
  "jig-linux-x64-musl": "bun-linux-x64-musl",
  "jig-linux-arm64-musl": "bun-linux-arm64-musl",
  "jig-darwin-x64": "bun-darwin-x64",
  "jig-darwin-arm64": "bun-darwin-arm64",
  "jig-windows-x64.exe": "bun-windows-x64",
  "jig-windows-arm64.exe": "bun-windows-arm64",
};

const HELP = `Build jig.

USAGE bun build.ts [--all | --target NAME]... [--check] [--outdir DIR] [--quiet]

  (nothing)        dist/jig for this machine
  --target NAME    one release asset: ${Object.keys(TARGETS).join(", ")}
  --all            every release asset, and SHA256SUMS
  --check          verify the assets that exist, build nothing
  --outdir DIR     where to write (default dist)
  --quiet          print nothing when all is well
`;

interface Options {
  targets: string[];
  check: boolean;
  outdir: string;
  quiet: boolean;
}

function parseOptions(words: readonly string[]): Options {
  const options: Options = { targets: [], check: false, outdir: join(ROOT, "dist"), quiet: false };
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === "--all") options.targets = Object.keys(TARGETS);
    else if (word === "--check") options.check = true;
    else if (word === "--quiet") options.quiet = true;
    else if (word === "--target" || word === "--outdir") {
      const value = words[++index];
      if (value === undefined) usage(`${word} needs a value`);
      if (word === "--outdir") options.outdir = resolve(value);
      else if (TARGETS[value] === undefined) usage(`unknown target '${value}'`);
      else options.targets.push(value);
    } else if (word === "--help" || word === "-h") {
      console.log(HELP);
      process.exit(0);
    } else usage(`unknown flag '${word}'`);
  }
  return options;
}

function usage(problem: string): never {
  console.error(`build: ${problem}\n\n${HELP}`);
  process.exit(2);
}

/** The commit being built, from git; `unknown` outside a checkout. */
function commit(): string {
  const result = Bun.spawnSync(["git", "rev-parse", "HEAD"], { cwd: ROOT, stderr: "ignore" });
  return result.exitCode === 0 ? result.stdout.toString().trim() : "unknown";
}

/** Compile one executable. The same commit and target give the same bytes, wherever and under whatever name it lands. */
async function compile(asset: string, target: string | undefined, outdir: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const build = { version, commit: commit(), target: asset === "jig" ? "local" : asset };
  // Bun writes the output's name into the file, so every build is named alike and renamed afterwards.
  const work = join(outdir, `.build-${asset}-${process.pid}`);
  mkdirSync(work, { recursive: true });
  const name =
    asset.endsWith(".exe") || (target === undefined && process.platform === "win32") ? "jig.exe" : "jig";
  const define = { JIG_BUILD: JSON.stringify(build) };
  try {
    await Bun.build({
      entrypoints: [join(ROOT, "src/main.ts")],
      root: ROOT,
      target: "bun",
      format: "esm",
      minify: true,
      bytecode: true,
      // Without splitting, node: imports of lazily loaded rooms are hoisted and every command pays for them.
      splitting: true,
      plugins: [await chunkPlugin(ROOT, define)],
      define,
      compile: {
        outfile: join(work, name),
        assets: ["assets", "skills"],
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
        // A short command ends before compiled code pays off: compile hot code later, and spend no CPU on it meanwhile.
        jitPolicy: 1000,
        ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
      },
    });
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    const problems = error instanceof AggregateError ? error.errors : [error];
    throw new Error(`building ${asset} failed:\n${problems.map(String).join("\n")}`);
  }
  if (asset.includes("darwin")) mendSignature(join(work, name));
  const final = join(outdir, asset === "jig" ? name : asset);
  renameSync(join(work, name), final);
  rmSync(work, { recursive: true, force: true });
  return final;
}

/** Compiling appends to a signed runtime and may leave its old page hashes behind; macOS would kill such a file. */
function mendSignature(file: string) {
  const bytes = readFileSync(file);
  if (verifyMachO(bytes).length > 0) writeFileSync(file, signAdHoc(bytes, "jig"));
}

function writeChecksums(outdir: string, files: readonly string[]) {
  const lines = files.map((file) => {
    const sum = new Bun.CryptoHasher("sha256").update(readFileSync(file)).digest("hex");
    return `${sum}  ${basename(file)}\n`;
  });
  writeFileSync(join(outdir, "SHA256SUMS"), lines.sort().join(""));
}

if (import.meta.main) {
  const options = parseOptions(process.argv.slice(2));
  mkdirSync(options.outdir, { recursive: true });
  process.chdir(ROOT); // assets are named relative to it
  const say = options.quiet ? () => {} : console.log;
  try {
    if (options.check) {
      const names = options.targets.length > 0 ? options.targets : ["jig", ...Object.keys(TARGETS)];
      const problems = checkBuild(ROOT, options.outdir, names, say);
      for (const problem of problems) console.error(`build --check: ${problem}`);
      process.exit(problems.length > 0 ? 1 : 0);
    }
    if (options.targets.length === 0) say(`built ${await compile("jig", undefined, options.outdir)}`);
    const built: string[] = [];
    for (const asset of options.targets) {
      built.push(await compile(asset, TARGETS[asset], options.outdir));
      say(`built ${built.at(-1)}`);
    }
    if (built.length > 0) writeChecksums(options.outdir, built);
  } catch (error) {
    console.error(`build: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}
