import { closeSync, existsSync, ftruncateSync, openSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DENO, ROOT } from "../support/paths.ts";
import { startJig } from "../support/run.ts";
import {
  authed,
  call,
  flush,
  infoOf,
  NAV,
  openStream,
  postNote,
  type Server,
  screen,
  sleep,
  until,
  web,
  webRoot,
} from "./support.ts";

/** The same handler behind Deno's server. */
async function denoServer(env: Record<string, string>): Promise<{ root: string; server: Server }> {
  const root = webRoot();
  screen(root, "001.html", "<h1>One</h1>");
  const words = [
    "run",
    "-A",
    "--quiet",
    join(ROOT, "src/main.ts"),
    "web",
    "serve",
    "--root",
    root,
    "--annotate",
  ];
  const child = startJig(words, { program: DENO, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let line = "";
  child.stdout!.on("data", (chunk) => {
    line += chunk;
  });
  await until("the server", () => line.includes("\n"));
  return { root, server: JSON.parse(line) as Server };
}

describe.runIf(existsSync(DENO))("under Deno", () => {
  test("a page, a film, a change, a note and its wait, and a load that was cut", async () => {
    const { root, server } = await denoServer({
      CE_LIGHT_WEB_SSE_GRACE_MS: "500",
      CE_LIGHT_WEB_WAIT_TIMEOUT_MS: "100",
    });
    const stream = await openStream(server);
    const page = await call(server, "/", { headers: NAV });
    expect(page.body).toContain('data-ce-page="/001.html"');
    expect(page.headers["set-cookie"]).toHaveLength(1);

    const film = openSync(join(root, "screens/v.mp4"), "w");
    ftruncateSync(film, 50 << 20);
    closeSync(film);
    const part = await call(server, "/v.mp4", { headers: { range: "bytes=5-5000004" } });
    expect([part.status, part.bytes.length, part.headers["content-range"]]).toEqual([
      206,
      5_000_000,
      "bytes 5-5000004/52428800",
    ]);
    await until("the change", () => stream.of("screen-changed").length > 0);

    const { id } = await postNote(server);
    await flush(server);
    const wait = await web(["wait", "--root", root]);
    expect((JSON.parse(wait.stdout) as { id: string }[])[0]!.id).toBe(id);

    // The page above was complete: its end is no abort, so it still holds the session.
    stream.close();
    await sleep(1200);
    expect((await authed(server, "/wait")).status).toBe(204);
    const document = /data-ce-document="([^"]+)"/.exec(page.body)![1]!;
    const own = await openStream(server, `?document=${document}`);
    screen(root, "big.html", `<!doctype html>${"x".repeat(30 << 20)}`);
    await new Promise<void>((resolve) => {
      const headers = Object.entries(NAV).map(([name, value]) => `${name}: ${value}\r\n`);
      const socket = net.connect(server.port, "127.0.0.1", () =>
        socket.write(`GET /big.html HTTP/1.1\r\nHost: localhost\r\n${headers.join("")}\r\n`),
      );
      socket.once("data", () => {
        socket.destroy();
        resolve();
      });
    });
    own.close();
    await until("the end", async () => (await authed(server, "/wait")).status === 410);
    expect(infoOf(root).session_end_reason).toBe("connection-lost");
    expect((await web(["stop", "--root", root])).code).toBe(0);
  }, 60_000);
});
