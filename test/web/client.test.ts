import { mkdirSync, writeFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startIdentity } from "../../src/kernel/process/index.ts";
import { LARGEST_ANSWER, request, TransportError } from "../../src/web/client.ts";
import { tempDir } from "../support/temp.ts";
import { web } from "./support.ts";

/** A server that says this to every request and then closes, or not. */
async function serverSaying(bytes: string, then: "close" | "stay"): Promise<{ host: string; port: number }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => (then === "close" ? socket.end(bytes) : socket.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

const WHOLE = [
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab\ncd",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab\ncd\r\n0\r\n\r\n",
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nab\r\n3\r\n\ncd\r\n0\r\n\r\n",
];

describe("a request", () => {
  test("is answered by length, in chunks, until the end, or without a body", async () => {
    for (const whole of WHOLE) {
      const { status, body } = await request(await serverSaying(whole, "stay"), "GET", "/");
      expect([status, body]).toEqual([200, "ab\ncd"]);
    }
    const gone = await request(
      await serverSaying("HTTP/1.1 410 Gone\r\nX-Jig-Batch: b\r\n\r\nabc", "close"),
      "POST",
      "/x?y",
      { body: "{}" },
    );
    expect([gone.status, gone.headers.get("x-jig-batch"), gone.body]).toEqual([410, "b", "abc"]);
    const none = await request(await serverSaying("HTTP/1.1 204 No Content\r\n\r\n", "stay"), "GET", "/");
    expect([none.status, none.body]).toEqual([204, ""]);
    const moved = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    expect((await request(await serverSaying(moved, "stay"), "GET", "/")).status).toBe(302);
  });

  test("a part is never taken for the whole, nor anything else for an answer", async () => {
    for (const whole of WHOLE) {
      for (const cut of [0, 9, 17, whole.indexOf("\r\n\r\n") + 2, whole.length - 9, whole.length - 5]) {
        const server = await serverSaying(whole.slice(0, cut), "close");
        await expect(request(server, "GET", "/"), `${whole} at ${cut}`).rejects.toThrow(TransportError);
      }
    }
    for (const nonsense of [
      "SSH-2.0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnope\r\n",
    ]) {
      const server = await serverSaying(nonsense, "close");
      await expect(request(server, "GET", "/"), nonsense).rejects.toThrow(TransportError);
    }
  });

  test("ends when its time is up or its caller has enough, and says which", async () => {
    const silent = await serverSaying("", "stay");
    await expect(request(silent, "GET", "/", { timeoutMs: 50 })).rejects.toThrow("no answer in time");
    const half = await serverSaying("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\na", "stay");
    await expect(request(half, "GET", "/", { timeoutMs: 50 })).rejects.toThrow("no answer in time");
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    await expect(request(silent, "GET", "/", { signal: stop.signal })).rejects.toThrow("interrupted");
    await expect(request(silent, "GET", "/", { signal: AbortSignal.abort() })).rejects.toThrow("interrupted");
  });
});

/** A root whose running server this one seems to be. */
async function rootOf(server: net.Server): Promise<string> {
  const root = tempDir("jig-web-");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const state = join(root, "state");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "server.pid"), `${process.pid}\n`);
  const info = {
    ...{ status: "running", root, host: "127.0.0.1", port: (server.address() as AddressInfo).port, url: "" },
    ...{ screen_dir: "", state_dir: state, pid: process.pid, owner_pid: null, token: "t", annotate: true },
    pid_start: await startIdentity(process.pid),
  };
  writeFileSync(join(state, "display-info.json"), JSON.stringify(info));
  return root;
}

test("a server that answers without end does not keep wait: it says so and ends", async () => {
  let sent = 0;
  const server = net.createServer((socket) => {
    const piece = Buffer.alloc(1 << 20, 97);
    const pump = () => {
      while (!socket.destroyed && sent < 400 << 20) {
        sent += piece.length;
        if (!socket.write(piece)) return;
      }
      socket.end();
    };
    socket.on("error", () => {});
    socket.on("drain", pump);
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
      pump();
    });
  });
  const root = await rootOf(server);
  const run = await web(["wait", "--root", root], { timeout: 60_000 });
  expect([run.code, run.stdout, run.stderr]).toEqual([
    2,
    "",
    `jig web: the server does not answer: the answer is larger than ${LARGEST_ANSWER} bytes\n`,
  ]);
  expect(sent).toBeLessThan(300 << 20);
});

test("a server that closes before its answer is complete is asked again, and then given up", async () => {
  let asked = 0;
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      asked++;
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n[]");
    });
  });
  const run = await web(["wait", "--root", await rootOf(server)], { timeout: 60_000 });
  expect([run.code, run.stdout, run.stderr]).toEqual([
    2,
    "",
    "jig web: the server does not answer: connection closed by the other side\n",
  ]);
  expect(asked).toBe(4);
});
