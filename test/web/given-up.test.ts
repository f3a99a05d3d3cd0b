import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { startJig, testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import {
  alive,
  authed,
  flush,
  postNote,
  type Server,
  screen,
  sleep,
  startServer,
  until,
  web,
  webRoot,
} from "./support.ts";

async function annotateServer(env: Record<string, string> = {}): Promise<{ root: string; server: Server }> {
  const root = webRoot();
  screen(root, "001.html", "<h1>One</h1>");
  return { root, server: await startServer(root, ["--annotate"], { env }) };
}

async function isAwaited(server: Server): Promise<boolean> {
  const list = JSON.parse((await authed(server, "/__ce-annotate/annotations")).body) as { waiting: boolean };
  return list.waiting;
}

const statesOf = async (server: Server) =>
  (JSON.parse((await authed(server, "/__ce-annotate/annotations")).body).records as { state: string }[]).map(
    ({ state }) => state,
  );

/** A wait as a process of its own, with what it printed and how it ended. */
function waiting(root: string, ...words: string[]) {
  const child = startJig(["web", "wait", "--root", root, ...words]);
  let stdout = "";
  child.stdout!.on("data", (chunk) => {
    stdout += chunk;
  });
  const ended = new Promise<{ code: number | null; stdout: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stdout })),
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, ended };
}

/** An agent's program whose tool call leaves a `wait` behind in a session of its own, its output in a file. */
async function hostWithWait(root: string, server: Server) {
  const output = join(tempDir(), "output");
  const script = join(tempDir(), "host.cjs");
  writeFileSync(
    script,
    `const out = require("node:fs").openSync(process.argv[2], "w");
     const child = require("node:child_process").spawn("bash", ["-c", process.argv[3] + "; true"], { stdio: ["ignore", out, out], detached: true });
     console.log(child.pid);
     setInterval(() => {}, 1000);`,
  );
  const host = spawn(process.execPath, [script, output, `${JIG} web wait --root ${root}`], {
    env: testEnv(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void host.kill("SIGKILL"));
  const shell = Number(
    await new Promise<string>((resolve) => host.stdout.once("data", (data) => resolve(String(data)))),
  );
  onTestFinished(() => {
    try {
      process.kill(-shell, "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  await until("the parked wait", () => isAwaited(server));
  return { host, shell, output };
}

describe.skipIf(process.platform === "win32")("a wait that its host has given up", () => {
  test("web-64 ends without a word on stdout once the host was killed, and the notes are the next wait's", async () => {
    const { root, server } = await annotateServer();
    const { host, shell, output } = await hostWithWait(root, server);
    host.kill("SIGKILL");
    // At once, before the orphan can notice by itself.
    await postNote(server);
    await flush(server);
    await until("the orphan's end", () => !alive(shell), 15_000);
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(output, "utf8")).toMatch(
      /^jig web: the program that started this wait \(pid \d+\) has ended/,
    );
    const next = await web(["wait", "--root", root]);
    expect([next.code, JSON.parse(next.stdout).length]).toEqual([0, 1]);
    expect(await statesOf(server)).toEqual(["working"]);
  });

  test("ends by itself when nothing is ever sent", async () => {
    const { root, server } = await annotateServer();
    const { host, shell } = await hostWithWait(root, server);
    host.kill("SIGKILL");
    await until("the orphan's end", () => !alive(shell), 15_000);
    await until("nobody to wait", async () => !(await isAwaited(server)));
  });

  test("web-64 gives way to the next one while the host lives: superseded, exit 3", async () => {
    // Polls that are short put the older one between two questions when the newer comes.
    for (const poll of ["30000", "50"]) {
      const { root, server } = await annotateServer({ CE_LIGHT_WEB_WAIT_TIMEOUT_MS: poll });
      const older = waiting(root);
      await until("the older wait", () => isAwaited(server));
      const newer = waiting(root);
      expect(await older.ended).toEqual({ code: 3, stdout: '{"status":"superseded"}\n' });
      await postNote(server);
      await flush(server);
      const batch = await newer.ended;
      expect([batch.code, JSON.parse(batch.stdout).length]).toEqual([0, 1]);
    }
  });

  test("web-64 a client of upstream's protocol is neither ended nor passed over", async () => {
    const { root, server } = await annotateServer();
    const upstream = authed(server, "/wait");
    await until("the upstream client", () => isAwaited(server));
    const jig = waiting(root, "--timeout", "3");
    await sleep(500);
    await postNote(server);
    await flush(server);
    expect(JSON.parse((await upstream).body)).toHaveLength(1);
    expect((await jig.ended).stdout).toBe('{"status":"waiting"}\n');
  });
});
