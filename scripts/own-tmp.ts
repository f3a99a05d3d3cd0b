import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const INSIDE = "JIG_TEST_OWN_TMP";

/** Whether this process sees a /tmp that only this run uses. */
export const hasOwnTmp: boolean = process.env[INSIDE] !== undefined;

/**
 * Run this script again in a mount namespace whose /tmp is a fresh directory: nobody else's files are in it, and what
 * appears there is this run's doing. The exit code of that run; undefined when it runs so already, or may not mount
 * (that takes root on Linux, in a container that allows it).
 */
export function rerunWithOwnTmp(root: string): number | undefined {
  if (hasOwnTmp || process.platform !== "linux" || process.geteuid?.() !== 0) return undefined;
  const own = mkdtempSync(join(tmpdir(), "jig-own-tmp-"));
  chmodSync(own, 0o1777);
  const enter = (words: readonly string[], output: "ignore" | "inherit") =>
    Bun.spawnSync(
      [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        join(root, "scripts/own-tmp.sh"),
        own,
        ...words,
      ],
      { cwd: root, env: { ...process.env, [INSIDE]: own }, stdio: ["ignore", output, output] },
    ).exitCode;
  try {
    if (enter(["--", "true"], "ignore") !== 0) return undefined;
    process.on("SIGINT", () => {}); // the run inside hears Ctrl-C, too, and what it leaves is taken away here
    const kept = [homedir(), root].filter((path) => path.startsWith("/tmp/"));
    return enter([...kept, "--", process.execPath, ...process.argv.slice(1)], "inherit") ?? 1; // null: by a signal
  } catch {
    return undefined; // no unshare
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
