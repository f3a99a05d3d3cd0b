import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { type Server, until, web, webRoot } from "./support.ts";

/** An agent's program that runs one command the way it runs its tool calls, and lives on. */
const HOST = `
  const { spawn } = require("node:child_process");
  const words = JSON.parse(process.argv[2]);
  spawn(words[0], words.slice(1), { stdio: ["ignore", "inherit", "inherit"], detached: true });
  setInterval(() => {}, 1000);
`;

async function startedBy(words: (start: string, root: string) => string[]) {
  const root = webRoot();
  const host = join(tempDir(), "host.cjs");
  writeFileSync(host, HOST);
  const command = words(`${JIG} web start --root ${root}`, root);
  const child = spawn(process.execPath, [host, JSON.stringify(command)], {
    env: testEnv({ CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "100" }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  const line = await until("the server", () => printed.includes("\n") && printed);
  return { root, child, server: JSON.parse(line) as Server };
}

describe.skipIf(process.platform === "win32")(
  "the owner of a server is the agent's program, however it runs a command",
  () => {
    test.each<[string, (start: string, root: string) => string[]]>([
      ["a shell that is replaced by its last command (opencode, Codex)", (start) => ["bash", "-c", start]],
      ["a shell with more to do", (start) => ["sh", "-c", `${start}; true`]],
      ["a subshell with a trap (Gemini CLI)", (start) => ["bash", "-c", `(trap : EXIT; ${start}); true`]],
      [
        "eval in a login shell (Claude Code)",
        (start) => ["bash", "-lc", `eval '${start}' </dev/null && pwd >/dev/null`],
      ],
      [
        "wrappers",
        (start) => ["timeout", "60", "env", "A=b", "nice", "sh", "-c", `setsid -w ${start}; true`],
      ],
      [
        "a script that runs a script",
        (start) => {
          const script = join(tempDir(), "run.sh");
          writeFileSync(script, `#!/bin/sh\nsh -ec '${start}; true'\ntrue\n`, { mode: 0o755 });
          return ["sh", "-c", `${script}; true`];
        },
      ],
      ["no shell at all", (_start, root) => [JIG, "web", "start", "--root", root]],
    ])("%s", async (_name, words) => {
      const { root, child, server } = await startedBy(words);
      expect(server.owner_pid).toBe(child.pid);
      expect(readFileSync(join(root, "state/server.log"), "utf8")).toMatch(
        new RegExp(`owner: pid ${child.pid}, (node|bun)\\S* host\\.cjs\n`),
      );
      // It lives as long as the program does, and no longer.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const status = async () =>
        (JSON.parse((await web(["status", "--root", root])).stdout) as { status: string }).status;
      expect(await status()).toBe("running");
      child.kill("SIGKILL");
      await until("the server's end", async () => (await status()) === "stopped");
    });
  },
);
