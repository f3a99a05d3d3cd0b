import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cLibraryOf } from "../../src/runtime/ffi.ts";
import { JIG } from "../support/paths.ts";
import { testEnv } from "../support/run.ts";
import { canTrace } from "../support/strace.ts";
import { tempDir } from "../support/temp.ts";

describe("the C library", () => {
  const both = () => true;
  const only = (loader: string) => (path: string) => path === loader;
  const table: [string, string, string | undefined, (path: string) => boolean, string][] = [
    ["linux", "x64", "jig-linux-x64", both, "libc.so.6"],
    ["linux", "x64", "jig-linux-x64-musl", both, "/lib/ld-musl-x86_64.so.1"],
    ["linux", "arm64", "jig-linux-arm64-musl", both, "/lib/ld-musl-aarch64.so.1"],
    ["linux", "arm64", "jig-linux-arm64", both, "libc.so.6"],
    ["linux", "x64", "local", both, "libc.so.6"],
    ["linux", "x64", undefined, only("/lib/ld-musl-x86_64.so.1"), "/lib/ld-musl-x86_64.so.1"],
    ["linux", "x64", undefined, only("/lib64/ld-linux-x86-64.so.2"), "libc.so.6"],
    ["darwin", "arm64", "jig-darwin-arm64", both, "/usr/lib/libSystem.B.dylib"],
  ];
  test.each(table)("on %s %s, built as %s", (platform, arch, target, exists, expected) => {
    expect(cLibraryOf(platform as NodeJS.Platform, arch, target, exists)).toBe(expected);
  });

  test.skipIf(!canTrace)("is never one that lies in the working directory", () => {
    const directory = tempDir();
    for (const name of ["libc.so.6", "libc.so", "libc.musl-x86_64.so.1", "libSystem.B.dylib"])
      writeFileSync(join(directory, name), "planted");
    const log = join(directory, "log");
    const words = ["-f", "-qq", "-o", log, "-e", "trace=open,openat", JIG, "job", "start", "--", "true"];
    const env = testEnv({ CE_PEER_JOBS_ROOT: join(directory, "root"), BUN_JSC_useJIT: undefined });
    const run = spawnSync("strace", words, { cwd: directory, env, timeout: 20_000 });
    expect(run.status).toBe(0);
    const opened = readFileSync(log, "utf8");
    expect(opened).toContain("/libc.so.6");
    expect(opened).not.toContain(`${directory}/lib`);
    expect(opened).not.toMatch(/"(\.\/)?lib[^/]*"/);
  });
});
