import { spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";

/** Make a directory a read-only mount of itself until the test ends, as sandboxes do. Only where `canMount`. */
export function makeReadOnly(directory: string): void {
  for (const words of [
    ["--bind", directory, directory],
    ["-o", "remount,ro,bind", directory],
  ]) {
    if (spawnSync("mount", words, { stdio: "ignore" }).status !== 0)
      throw new Error(`cannot mount ${directory}`);
  }
  onTestFinished(() => {
    spawnSync("umount", ["-l", directory]);
  });
}
