import { spawnSync } from "node:child_process";
import { JIG } from "./paths.ts";
import { testEnv } from "./run.ts";

/** Run jig with a pseudo-terminal on all three streams (util-linux `script`); what the terminal showed. */
export function runOnTerminal(
  words: string,
  env: Record<string, string | undefined> = {},
  cwd?: string,
): string {
  const command = `'${JIG}' ${words}`;
  const result = spawnSync("script", ["-qefc", command, "/dev/null"], {
    env: testEnv({ TERM: "xterm-256color", ...env }),
    encoding: "utf8",
    timeout: 20_000,
    ...(cwd === undefined ? {} : { cwd }),
  });
  if (result.error) throw result.error;
  return result.stdout.replaceAll("\r\n", "\n");
}

/** Whether this machine has the program that makes pseudo-terminals. */
export const hasTerminalProgram =
  process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
