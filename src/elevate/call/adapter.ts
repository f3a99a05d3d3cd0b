import { dirname, resolve } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { realOrPlain, samePath } from "../../kernel/files/contain.ts";
import { fixedTempDirectory, userTempDirectory } from "../../kernel/shared/temp-root.ts";
import { maxTurns } from "../settings.ts";

/** The set of tools that exist in the call: reading and searching, nothing that writes or runs (docs/spec/elevate.md 6). */
const TOOLS = ["Read", "Glob", "Grep", "WebSearch", "WebFetch"] as const;

/** The words that run the model once, headless and read-only, in the order docs/spec/elevate.md section 2 fixes. */
export function adapterArgv(model: string, granted: string | undefined, env: Host["env"]): string[] {
  return [
    "claude",
    "-p",
    ...["--model", model],
    ...["--effort", "high"],
    ...["--output-format", "stream-json", "--verbose"],
    "--safe-mode",
    "--no-session-persistence",
    "--disable-slash-commands",
    "--strict-mcp-config",
    ...["--permission-mode", "dontAsk"],
    ...(granted === undefined ? [] : ["--add-dir", granted]),
    ...["--tools", TOOLS.join(",")],
    ...["--allowedTools", ...TOOLS],
    ...["--max-turns", String(maxTurns(env))],
  ];
}

/**
 * The directory the call may read besides the working directory: the prompt's. Undefined when that is a place too
 * wide to grant: the file system's root, the home directory or a temp root itself.
 */
export function grantedDirectory(host: Host, promptFile: string): string | undefined {
  const directory = dirname(resolve(host.cwd, promptFile));
  const real = realOrPlain(directory);
  const tooWide = ["/tmp", fixedTempDirectory(host), userTempDirectory(host), host.home]
    .filter((path) => path !== undefined)
    .map((path) => realOrPlain(resolve(host.cwd, path)));
  const isRoot = dirname(real) === real;
  return isRoot || tooWide.some((path) => samePath(path, real)) ? undefined : directory;
}
