import net from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { startJig } from "../support/run.ts";
import { makeTempDir, removeDir } from "../support/temp.ts";
import {
  authed,
  flush,
  openStream,
  postNote,
  type Server,
  screen,
  sleep,
  startServer,
  until,
  web,
} from "./support.ts";

/** Concurrent tests tidy up together, at the end: no one may stop what another still uses. */
const roots: string[] = [];
afterAll(async () => {
  for (const root of roots) {
    await web(["stop", "--root", root]);
    removeDir(root);
  }
});

async function annotateServer(env: Record<string, string> = {}): Promise<{ root: string; server: Server }> {
  const root = makeTempDir("jig-web-");
  roots.push(root);
  screen(root, "001.html", "<h1>One</h1>");
  return { root, server: await startServer(root, ["--annotate"], { env }) };
}

const statesOf = async (server: Server) =>
  (JSON.parse((await authed(server, "/__ce-annotate/annotations")).body).records as { state: string }[]).map(
    (record) => record.state,
  );

/** Send a request and read the whole answer, then vanish. */
function takeAndDie(server: Server, path: string, headers: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(server.port, "127.0.0.1", () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Session-Token: ${server.token}\r\n${headers}\r\n`,
      ),
    );
    socket.on("data", (chunk) => {
      socket.destroy();
      resolve(chunk.toString());
    });
  });
}

// These spend their time waiting, so they wait together.
describe.concurrent("connections that last", () => {
  test("web-29 a client that dies between a batch and its acknowledgement loses nothing", async () => {
    const { root, server } = await annotateServer();
    const { id } = await postNote(server);
    await flush(server);
    const answer = await takeAndDie(server, "/wait", "X-Jig-Wait: 1\r\n");
    expect(answer).toContain(id);
    expect(await statesOf(server)).toEqual(["working"]);
    await until("the note back in the queue", async () => (await statesOf(server))[0] === "queued", 30_000);
    const run = await web(["wait", "--root", root]);
    expect((JSON.parse(run.stdout) as { id: string }[])[0]!.id).toBe(id);
    await sleep(100);
    expect(await statesOf(server)).toEqual(["working"]);
  });

  test("web-35 a wait and a silent stream outlive the runtime's idle limit, and no proxy is asked", async () => {
    const { root, server } = await annotateServer();
    const stream = await openStream(server, "", {}, () => {});
    const env = {
      HTTP_PROXY: "http://127.0.0.1:9",
      http_proxy: "http://127.0.0.1:9",
      ALL_PROXY: "http://127.0.0.1:9",
    };
    const child = startJig(["web", "wait", "--root", root], { env });
    let stdout = "";
    child.stdout!.on("data", (chunk) => {
      stdout += chunk;
    });
    const exit = new Promise((resolve) => child.once("close", resolve));
    await sleep(20_000);
    expect([child.exitCode, stream.closed]).toEqual([null, false]);
    expect(stream.text).toContain(":ka\n\n");
    const { id } = await postNote(server);
    await flush(server);
    expect(await exit).toBe(0);
    expect((JSON.parse(stdout) as { id: string }[])[0]!.id).toBe(id);
    await until(
      "the frame",
      () => (stream.of("annotations").at(-1) as Record<string, string>)[id] === "working",
    );
  });

  test("a connection that was held and is kept alive is closed when it stays silent", async () => {
    const { server } = await annotateServer({ CE_LIGHT_WEB_WAIT_TIMEOUT_MS: "100" });
    const socket = net.connect(server.port, "127.0.0.1", () =>
      socket.write(`GET /wait HTTP/1.1\r\nHost: localhost\r\nX-Session-Token: ${server.token}\r\n\r\n`),
    );
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const closed = new Promise((resolve) => socket.once("close", () => resolve("closed")));
    expect(await Promise.race([closed, sleep(19_000)])).toBe("closed");
    expect(text).toContain("204 No Content");
  });

  test("a body that comes drop by drop is refused, one that stops is cut off", async () => {
    const { server } = await annotateServer();
    const slow = (drip: boolean) =>
      new Promise<string>((resolve) => {
        let text = "";
        const socket = net.connect(server.port, "127.0.0.1", () => {
          socket.write(
            `POST /annotation HTTP/1.1\r\nHost: localhost\r\nX-Session-Token: ${server.token}\r\nContent-Length: 60000\r\n\r\n{`,
          );
        });
        const timer = setInterval(() => drip && socket.write(" "), 1000);
        socket.on("data", (chunk) => {
          text += chunk;
        });
        socket.on("error", () => {});
        socket.on("close", () => {
          clearInterval(timer);
          resolve(text);
        });
      });
    const [dripped, stopped] = await Promise.all([slow(true), slow(false)]);
    expect(dripped).toMatch(/^HTTP\/1\.1 408 /);
    expect(stopped).not.toMatch(/^HTTP\/1\.1 200/);
    expect(await statesOf(server)).toEqual([]);
  });
});
