/**
 * `npm run test:hosts [-- [--newest] [--keep] [HOST] [SCENARIO]]`: the real command-line agents against a scripted model,
 * each in a network namespace that has nothing but loopback. Installs them through npm into a folder of its own
 * (`JIG_HOSTS_DIR`, else below /var/tmp), 0.7 GB in all. Needs root on Linux. Writes test/hosts/result.json and
 * docs/hosts.md when every host was run at its pinned version.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../support/paths.ts";
import { CHECKS, type Check, type CheckId } from "./checks.ts";
import { type HostName, RECIPES } from "./recipes.ts";
import { hostsPage, type Result } from "./report.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { newest: { type: "boolean", default: false }, keep: { type: "boolean", default: false } },
});
const [chosen, scenario] = positionals as [HostName?, string?];
const names = chosen === undefined ? (Object.keys(RECIPES) as HostName[]) : [chosen];
const started = Date.now();

if (process.platform !== "linux" || process.geteuid?.() !== 0) {
  console.error("test:hosts needs root on Linux: it makes network namespaces");
  process.exit(1);
}
const home = process.env["JIG_HOSTS_DIR"] ?? mkdtempSync("/var/tmp/jig-hosts-");
mkdirSync(home, { recursive: true });
// Not below /tmp: Codex makes that writable in a sandbox, and refuses helper programs there.
const base = mkdtempSync(join(home, "run-"));
try {
  const bin = installHosts(home);
  const results = await Promise.all(names.map((name) => runHost(name, bin, join(base, name))));
  process.exitCode = conclude(results);
} finally {
  if (!flags.keep) rmSync(base, { recursive: true, force: true });
  if (!flags.keep && process.env["JIG_HOSTS_DIR"] === undefined)
    rmSync(home, { recursive: true, force: true });
}

/** Install what is not there yet; the directory of its programs. */
function installHosts(directory: string): string {
  const wanted = names.map((name) => RECIPES[name]);
  const missing = wanted.filter(
    ({ npmName, version }) => flags.newest || versionOf(directory, npmName) !== version,
  );
  if (missing.length > 0) {
    if (!existsSync(join(directory, "package.json"))) writeFileSync(join(directory, "package.json"), "{}");
    const packages = missing.map(({ npmName, version }) => `${npmName}@${flags.newest ? "latest" : version}`);
    const install = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...packages], {
      cwd: directory,
      stdio: ["ignore", 2, 2],
    });
    if (install.status !== 0) throw new Error("npm install failed");
  }
  const bin = join(directory, "node_modules/.bin");
  provideRipgrep(directory, bin);
  return bin;
}

function versionOf(directory: string, npmName: string): string | undefined {
  const path = join(directory, "node_modules", npmName, "package.json");
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version
    : undefined;
}

/** opencode's skill tool wants `rg` on PATH; Codex brings one. */
function provideRipgrep(directory: string, bin: string): void {
  if (existsSync(join(bin, "rg")) || spawnSync("rg", ["--version"]).status === 0) return;
  const vendored = readdirSync(join(directory, "node_modules"), { recursive: true, encoding: "utf8" }).find(
    (path) => /codex.*\/rg$/.test(path),
  );
  if (vendored !== undefined) symlinkSync(join(directory, "node_modules", vendored), join(bin, "rg"));
}

interface HostRun {
  name: HostName;
  version: string;
  checks: Check[];
  troubles: string[];
}

/** All checks of one host, in a process of its own with a network of its own. */
function runHost(name: HostName, bin: string, directory: string): Promise<HostRun> {
  mkdirSync(directory, { recursive: true });
  const words = [process.execPath, join(import.meta.dirname, "one-host.ts"), name, bin, directory];
  const child = spawn("unshare", ["--net", ...words, ...(scenario === undefined ? [] : [scenario])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (piece: Buffer) => {
    printed += piece;
  });
  const version = versionOf(home, RECIPES[name].npmName) ?? "?";
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      const { checks, troubles } =
        code === 0 && printed !== ""
          ? (JSON.parse(printed) as { checks: Check[]; troubles: string[] })
          : { checks: [], troubles: [`its process ended with ${signal ?? `exit ${code}`}`] };
      resolve({ name, version, checks, troubles });
    });
  });
}

/** Say what was found, keep it where it is the whole; the exit code. */
function conclude(runs: readonly HostRun[]): number {
  const bad = runs.flatMap(({ name, checks, troubles }) => [
    ...checks.filter(({ ok }) => !ok).map(({ id, seen }) => `${name}: ${CHECKS[id]}: ${seen}`),
    ...troubles.map((trouble) => `${name}: ${trouble}`),
  ]);
  const count = bad.length + runs.flatMap(({ checks }) => checks).filter(({ ok }) => ok).length;
  const seconds = Math.round((Date.now() - started) / 1000);
  for (const line of bad) console.log(`BAD ${line}`);
  console.log(`${count - bad.length} of ${count} checks hold, in ${seconds} s`);
  const result: Result = {
    hosts: runs.map(({ name, version, checks }) => ({
      name,
      title: RECIPES[name].title,
      version,
      checks: Object.fromEntries(checks.map(({ id, ok, seen }) => [id, { ok, seen }])) as Partial<
        Record<CheckId, { ok: boolean; seen: string }>
      >,
    })),
  };
  const isWhole = names.length === Object.keys(RECIPES).length && scenario === undefined;
  if (isWhole && !flags.newest && bad.length === 0) {
    writeFileSync(join(ROOT, "test/hosts/result.json"), `${JSON.stringify(result, null, 2)}\n`);
    writeFileSync(join(ROOT, "docs/hosts.md"), hostsPage(result));
    console.log("wrote test/hosts/result.json and docs/hosts.md");
  }
  return bad.length === 0 ? 0 : 1;
}
