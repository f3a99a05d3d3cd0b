import { resolve } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isRegularFile } from "../../kernel/files/look.ts";
import { findExecutable, isExecutableFile } from "../../kernel/process/executable.ts";
import type { Preflight } from "../windows/preflight.ts";

/** Check argv[0] before anything is detached, and make it absolute (docs/spec/jobs.md 2.2.1; Windows 12.5). */
export async function preflight(
  host: Pick<Host, "cwd" | "env" | "platform">,
  argv: readonly string[],
): Promise<Preflight> {
  if (host.platform === "win32")
    return (await import("../windows/preflight.ts")).preflightOnWindows(host, argv);
  const [program = "", ...words] = argv;
  if (program.includes("/")) {
    const path = resolve(host.cwd, program);
    const absolute = [path, ...words];
    if (!isRegularFile(path)) return { argv: absolute, problem: "does not exist or is not a regular file" };
    return isExecutableFile(path) ? { argv: absolute } : { argv: absolute, problem: "is not executable" };
  }
  const found = program === "" ? undefined : findExecutable(program, host.env, { cwd: host.cwd });
  return found === undefined
    ? { argv: [...argv], problem: "was not found on PATH" }
    : { argv: [found, ...words] };
}
