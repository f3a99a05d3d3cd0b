import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp.ts";

/** Whether this process may mount (root on Linux, and not in a container that forbids it). */
export const canMount: boolean = process.platform === "linux" && process.geteuid?.() === 0 && tryMount();

function tryMount(): boolean {
  const where = mkdtempSync(join(tmpdir(), "jig-mount-probe-"));
  const mounted = mount(where, "64k");
  if (mounted) spawnSync("umount", [where]);
  rmdirSync(where);
  return mounted;
}

function mount(where: string, size: string): boolean {
  return (
    spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", where], { stdio: "ignore" }).status === 0
  );
}

/** A small real disk that can be filled, unmounted when the test ends. Only where `canMount`. */
export function smallDisk(size = "64k"): string {
  const where = tempDir("jig-disk-");
  if (!mount(where, size)) throw new Error(`cannot mount a tmpfs on ${where}`);
  onTestFinished(() => {
    spawnSync("umount", ["-l", where]);
  });
  return where;
}
