/**
 * The builds for other machines, run here where this machine can: as they are, or the arm64 one under qemu, which the
 * kernel starts for it in a user namespace of its own. Nothing of the machine is changed.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { BUN, JIG, ROOT } from "../../support/paths.ts";
import { type RunOptions, type RunOutput, runJig } from "../../support/run.ts";

/** A build that runs here. */
export interface Target {
  /** The release asset. */
  asset: string;
  /** Another processor's, so the operating system is asked through qemu. */
  isEmulated: boolean;
}

const machine = `${process.platform}-${process.arch}`;

/** Where Debian's cross packages put the arm64 C library and libstdc++. */
const ARM64_LIBRARIES = "/usr/aarch64-linux-gnu";
const GLIBC_LOADER = "/lib64/ld-linux-x86-64.so.2";
const QEMU = "/usr/bin/qemu-aarch64-static";

/** Give programs of that processor to qemu, in this namespace alone (Linux 6.7 or later), then become the rest. */
const REGISTER = String.raw`mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
printf '%s' ':arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:${QEMU}:P' >/proc/sys/fs/binfmt_misc/register &&
exec "$@"`;
const EMULATED = ["-U", "-m", "--map-root-user", "sh", "-c", REGISTER, "sh"];

/** Why a build cannot be run here; undefined when it can. */
export function whyNot(asset: string): string | undefined {
  const own = `jig-${machine}`;
  if (asset === own) return undefined;
  if (asset === `${own}-baseline`) return existsSync(GLIBC_LOADER) ? undefined : "no glibc here";
  if (asset === `${own}-musl`) return hasMusl() ? undefined : "no musl with libstdc++ and libgcc_s here";
  if (asset === "jig-linux-arm64" && machine === "linux-x64")
    return canEmulate() ? undefined : "no qemu for arm64 here";
  return "another system";
}

/** Debian packs a musl, but no libstdc++ for it; Alpine has both. */
function hasMusl(): boolean {
  const here = ["/lib", "/usr/lib"].flatMap((path) => (existsSync(path) ? readdirSync(path) : []));
  return [/^ld-musl-/, /^libstdc\+\+\.so\.6/, /^libgcc_s\.so\.1/].every((name) =>
    here.some((file) => name.test(file)),
  );
}

function canEmulate(): boolean {
  if (![QEMU, `${ARM64_LIBRARIES}/lib/ld-linux-aarch64.so.1`].every((path) => existsSync(path))) return false;
  try {
    execFileSync("unshare", [...EMULATED, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Build it into a directory; its path. This machine's own is the binary under test. */
export async function built({ asset }: Target, directory: string): Promise<string> {
  if (asset === `jig-${machine}`) return JIG;
  await promisify(execFile)(BUN, ["build.ts", "--quiet", "--target", asset, "--outdir", directory], {
    cwd: ROOT,
  });
  return join(directory, asset);
}

/** Run a build of jig. */
export function runTarget(
  { isEmulated }: Target,
  program: string,
  words: readonly string[],
  options: RunOptions,
): Promise<RunOutput> {
  if (!isEmulated) return runJig(words, { ...options, program });
  const env = { ...options.env, QEMU_LD_PREFIX: ARM64_LIBRARIES };
  return runJig([...EMULATED, program, ...words], { ...options, env, program: "unshare" });
}

/** This machine's processor is not the build's. */
export function isForeign(asset: string): boolean {
  return !asset.startsWith(`jig-${machine}`);
}
