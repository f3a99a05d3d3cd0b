import { execFileSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import http from "node:http";
import net from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  authed,
  call,
  flush,
  infoOf,
  NAV,
  openStream,
  postNote,
  raw,
  type Server,
  screen,
  sleep,
  startServer,
  until,
  web,
  webRoot,
} from "./support.ts";

async function annotateServer(env: Record<string, string> = {}, ...words: string[]) {
  const root = webRoot();
  screen(root, "001.html", "<h1>One</h1>");
  return { root, server: await startServer(root, ["--annotate", ...words], { env }) };
}

const documentOf = (body: string) => /data-ce-document="([^"]+)"/.exec(body)![1]!;
const navigate = async (server: Server, path = "/") =>
  documentOf((await call(server, path, { headers: NAV })).body);
const FAST = { CE_LIGHT_WEB_WAIT_TIMEOUT_MS: "50" };

/** The answer of a wait that does not wait. */
const now = async (server: Server) => (await authed(server, "/wait")).status;

/** Take a whole answer and only count it. */
function download(server: Server, path: string): Promise<{ head: string; size: number }> {
  return new Promise((resolve, reject) => {
    let head = "";
    let size = 0;
    const callback = (count: number, buffer: Uint8Array) => {
      if (head === "") {
        const text = Buffer.from(buffer.buffer, 0, count).toString("latin1");
        head = text.slice(0, text.indexOf("\r\n\r\n") + 4);
        size -= head.length;
      }
      size += count;
      return true;
    };
    const socket = net.connect({
      host: "127.0.0.1",
      port: server.port,
      onread: { buffer: Buffer.alloc(1 << 20), callback },
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ head, size }));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}

describe("changes", () => {
  test("web-25 each edit under screens is told once, and a page that just loaded is not told of itself", async () => {
    const { root, server } = await annotateServer();
    screen(root, "sub/x.css", "a{}");
    const stream = await openStream(server);
    // A writer that is held up between truncating and writing makes two edits of one; a rename never does.
    const edit = (name: string, text: string) => {
      writeFileSync(join(root, "edit"), text);
      renameSync(join(root, "edit"), join(root, "screens", name));
    };
    const versions = () => stream.of("screen-changed").map((data) => (data as { version: string }).version);
    await navigate(server); // answered after the first look at the tree: what comes now is a change
    edit("001.html", "<h1>Two</h1>");
    await until("the first change", () => versions().length === 1);
    edit("sub/x.css", "b{color:red}");
    await until("the second", () => versions().length === 2);
    expect(versions().every((version) => /^[0-9a-f]{40}$/.test(version))).toBe(true);
    expect(new Set(versions()).size).toBe(2);
    mkdirSync(join(root, "screens/new/deep"), { recursive: true });
    edit("new/deep/y.js", "1");
    await until("the file in a new directory", () => versions().length === 3);
    writeFileSync(join(root, "screens/.DS_Store"), "x");
    await sleep(300);
    expect(versions()).toHaveLength(3);
    stream.close();
    await sleep(50);

    edit("001.html", "<h1>Three, loaded</h1>");
    const document = await navigate(server);
    const own = await openStream(server, `?document=${document}`);
    await sleep(300);
    expect(own.of("screen-changed")).toEqual([]);
    edit("001.html", "<h1>Four, after that</h1>");
    await until("the edit after", () => own.of("screen-changed").length === 1);
  });

  test("a tree of many files does not hold other requests up", async () => {
    const { root, server } = await annotateServer();
    for (let directory = 0; directory < 20; directory++) {
      mkdirSync(join(root, `screens/d${directory}`));
      for (let file = 0; file < 100; file++) writeFileSync(join(root, `screens/d${directory}/f${file}`), "x");
    }
    const stream = await openStream(server);
    await Promise.all(Array.from({ length: 10 }, () => call(server, "/", { headers: NAV })));
    writeFileSync(join(root, "screens/d7/f7"), "changed");
    await until("the change", () => stream.of("screen-changed").length > 0);
  });
});

describe("closed tabs", () => {
  test("web-30 the last tab's end is the session's, unless a page is on its way", async () => {
    const grace = { ...FAST, CE_LIGHT_WEB_SSE_GRACE_MS: "400" };
    const [plain, pending] = await Promise.all([annotateServer(grace), annotateServer(grace)]);
    const closing = await openStream(plain.server);
    const other = await openStream(pending.server);
    closing.close();
    other.close();
    // A fetch that is no navigation extends nothing.
    await sleep(200);
    await call(plain.server, "/");
    const document = await navigate(pending.server);
    await until("the plain one's end", async () => (await now(plain.server)) === 410);
    expect(await now(pending.server)).toBe(204);
    expect(JSON.parse((await authed(plain.server, "/wait")).body)).toEqual({
      status: "session-ended",
      reason: "connection-lost",
    });
    expect(infoOf(plain.root).session_end_reason).toBe("connection-lost");
    expect((await call(plain.server, "/")).status).toBe(200);

    (await openStream(pending.server, "?document=00000000-0000-4000-8000-000000000000")).close();
    await sleep(700);
    expect(await now(pending.server)).toBe(204);
    (await openStream(pending.server, `?document=${document}`)).close();
    await until("the end", async () => (await now(pending.server)) === 410);
  });

  test("web-52 a page whose load was cut, one that never opens its stream, and two on one connection", async () => {
    const cut = async () => {
      const { root, server } = await annotateServer({ ...FAST, CE_LIGHT_WEB_SSE_GRACE_MS: "300" });
      screen(root, "big.html", `<!doctype html>${"x".repeat(30 << 20)}`);
      const stream = await openStream(server);
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
      stream.close();
      await until("the end", async () => (await now(server)) === 410);
      expect(infoOf(root).session_end_reason).toBe("connection-lost");
    };
    const never = async () => {
      const { server } = await annotateServer({ ...FAST, CE_LIGHT_WEB_SSE_GRACE_MS: "200" });
      await navigate(server);
      (await openStream(server)).close();
      await sleep(600);
      expect(await now(server)).toBe(204);
      await until("twenty times the grace", async () => (await now(server)) === 410);
    };
    const shared = async () => {
      const { server } = await annotateServer({ ...FAST, CE_LIGHT_WEB_SSE_GRACE_MS: "400" });
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      const load = () =>
        new Promise<string>((resolve) => {
          http.get({ host: "127.0.0.1", port: server.port, path: "/", headers: NAV, agent }, (response) => {
            let body = "";
            response.on("data", (chunk) => {
              body += chunk;
            });
            response.on("end", () => resolve(documentOf(body)));
          });
        });
      const first = await load();
      await load();
      (await openStream(server, `?document=${first}`)).close();
      await sleep(1000);
      expect(await now(server)).toBe(204);
    };
    await Promise.all([cut(), never(), shared()]);
  });

  test("web-31 a note whose session ends under it is not taken", async () => {
    const { root, server } = await annotateServer();
    const body = JSON.stringify({ comment: "c", selector: "h1" });
    const socket = net.connect(server.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.write(
      `POST /annotation HTTP/1.1\r\nHost: localhost\r\nX-Session-Token: ${server.token}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    await sleep(100);
    await authed(server, "/session/end", { method: "POST" });
    socket.write(body.slice(10));
    await until("the answer", () => answer.includes("\r\n\r\n"));
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 410 /);
    const wait = await web(["wait", "--root", root]);
    expect([wait.code, wait.stdout]).toEqual([1, '{"status":"session-ended","reason":"user-ended"}\n']);
  });
});

describe("time", () => {
  test("web-18 asking for the version keeps nothing alive", async () => {
    const root = webRoot();
    const server = await startServer(root, [], {
      env: { CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "50", CE_LIGHT_WEB_IDLE_TIMEOUT_MS: "2000" },
    });
    let asked = 0;
    await until("the server to end although it is asked all the time", async () => {
      try {
        await call(server, "/version");
        asked++;
        return false;
      } catch {
        return true;
      }
    });
    expect(asked).toBeGreaterThan(1);
    expect(infoOf(root).session_end_reason).toBe("idle");
  });

  test("a parked wait does", async () => {
    const { server } = await annotateServer({
      CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "50",
      CE_LIGHT_WEB_IDLE_TIMEOUT_MS: "1000",
      CE_LIGHT_WEB_WAIT_TIMEOUT_MS: "2500",
    });
    expect(await now(server)).toBe(204);
  });
});

describe("large files", () => {
  test("web-16 a film of three gigabytes, by ranges and whole, in little memory", async () => {
    const root = webRoot();
    const server = await startServer(root);
    const file = openSync(join(root, "screens/v.mp4"), "w");
    ftruncateSync(file, 3 * 1024 ** 3);
    closeSync(file);
    const range = (value: string) => call(server, "/v.mp4", { headers: { range: value } });
    const part = await range("bytes=0-99");
    expect([part.status, part.bytes.length]).toEqual([206, 100]);
    expect(part.headers).toMatchObject({
      "content-range": "bytes 0-99/3221225472",
      "content-type": "video/mp4",
    });
    const far = await range("bytes=3221200000-");
    expect([far.status, far.bytes.length]).toEqual([206, 25_472]);
    const large = await range("bytes=1000-1000999");
    expect([large.bytes.length, large.headers["content-length"]]).toEqual([1_000_000, "1000000"]);
    expect((await range("bytes=9999999999-")).status).toBe(416);
    const before = memoryOf(server.pid);
    let peak = before;
    const probe = setInterval(() => {
      peak = Math.max(peak, memoryOf(server.pid));
    }, 20);
    const answer = await download(server, "/v.mp4");
    clearInterval(probe);
    expect(answer.head).toMatch(/content-length: 3221225472\r\n/i);
    const size = answer.size;
    expect(size).toBe(3 * 1024 ** 3);
    expect(peak - before).toBeLessThan(30);
  }, 90_000);
});

describe("Host and interfaces", () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry?.family === "IPv4" && !entry.internal)?.address;

  test.runIf(outside !== undefined)("web-34 from another machine only with the private link", async () => {
    const root = webRoot();
    screen(root, "001.html", "<h1>One</h1>");
    const started = await web([
      "start",
      "--root",
      root,
      "--annotate",
      "--host",
      "0.0.0.0",
      "--owner-pid",
      "none",
    ]);
    expect(started.stderr).toMatch(/^jig web: .*view-only.*authorize_url.*\n$/);
    const server = JSON.parse(started.stdout) as Server;
    expect(server.url).toBe(`http://localhost:${server.port}`);
    expect(server.urls).toContain(`http://${outside}:${server.port}`);
    const there = { at: outside! };
    const page = await call(server, "/", { ...there, headers: NAV });
    expect([page.status, page.headers["set-cookie"]]).toEqual([200, undefined]);
    const link = new URL(server.authorize_url!);
    expect((await call(server, `${link.pathname}?token=wrong`, there)).status).toBe(401);
    const granted = await call(server, link.pathname + link.search, there);
    const cookie = granted.headers["set-cookie"]![0]!.split(";")[0]!;
    const post = await call(server, "/annotation", {
      ...there,
      method: "POST",
      headers: { cookie, origin: `http://${outside}:${server.port}` },
      body: JSON.stringify({ comment: "c", selector: "h1" }),
    });
    expect(post.status).toBe(200);
    await flush(server);
    expect((await web(["wait", "--root", root])).code).toBe(0);
    await web(["stop", "--root", root]);
    const open = await web(["start", "--root", root, "--annotate", "--host", "0.0.0.0", "--auth", "open"]);
    const first = await call(JSON.parse(open.stdout) as Server, "/", { ...there, headers: NAV });
    expect(first.headers["set-cookie"]).toHaveLength(1);
  });

  test("web-51 a Host no browser sends is not reflected, a foreign one not trusted", async () => {
    const { server } = await annotateServer();
    const nav = Object.entries(NAV)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    for (const host of ['Host: evil"><script>\r\n', "Host: evil.example\r\nHost: localhost\r\n"]) {
      const answer = await raw(server.port, `GET / HTTP/1.1\r\n${host}${nav}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toContain(
        `<script defer src="http://localhost:${server.port}/__ce-annotate/annotate.js"`,
      );
      expect(answer).not.toContain("evil");
    }
    const wide = async (...words: string[]) => {
      const { server: own } = await annotateServer({}, "--host", "0.0.0.0", ...words);
      return call(own, "/", { headers: { ...NAV, host: "devbox.example" } });
    };
    const named = await wide();
    expect([named.status, named.headers["set-cookie"]]).toEqual([200, undefined]);
    expect((await wide("--auth", "open")).status).toBe(403);
  });

  test("the default host answers on both loopback addresses, one fixed address on its own", async () => {
    const root = webRoot();
    const server = await startServer(root);
    const six = await call(server, "/version", { at: "::1" }).catch((error: { code: string }) => error.code);
    if (six !== "EADDRNOTAVAIL") expect(six).toMatchObject({ status: 200 });
    await web(["stop", "--root", root]);
    const fixed = await startServer(root, ["--host", "127.0.0.2"]);
    expect(fixed.url).toBe(`http://127.0.0.2:${fixed.port}`);
    expect((await call(fixed, "/version", { at: "127.0.0.2" })).status).toBe(200);
    await expect(call(fixed, "/version")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("the other loopback address taken: another port, or a note and an address that is right", async () => {
    const blocker = net.createServer().listen({ port: 0, host: "::1" });
    onTestFinished(() => void blocker.close());
    const bound = await Promise.race([
      new Promise((resolve) => blocker.once("listening", () => resolve(true))),
      new Promise((resolve) => blocker.once("error", () => resolve(false))),
    ]);
    if (!bound) return;
    const { port } = blocker.address() as net.AddressInfo;
    const root = webRoot();
    const run = await web(["start", "--root", root, "--port", String(port)]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(`[::1]:${port} belongs to another process`);
    expect(JSON.parse(run.stdout).url).toBe(`http://127.0.0.1:${port}`);
  });
});

describe("hostile bytes on the wire", () => {
  test("headers too large, a path that climbs, no Host, nonsense: refused, and the server lives", async () => {
    const { root, server } = await annotateServer();
    writeFileSync(join(root, "secret.txt"), "secret");
    expect(
      await raw(server.port, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 431 /);
    for (const path of [
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "/a/..\\..\\secret.txt",
      "/%00",
    ]) {
      const answer = await raw(server.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).not.toContain("\r\n\r\nsecret");
    }
    expect(await raw(server.port, "GET /version HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(server.port, "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\x00\r\n\r\n")).not.toMatch(
      / 200 /,
    );
    await raw(server.port, "\x16\x03\x01\x02garbage\r\n\r\n");
    expect((await call(server, "/version")).status).toBe(200);
  });

  test("a body beyond the limit is refused and the connection closed, whether it is announced or not", async () => {
    const { server } = await annotateServer();
    const head = `POST /annotation HTTP/1.1\r\nHost: localhost\r\nX-Session-Token: ${server.token}\r\n`;
    const announced = await raw(server.port, `${head}Content-Length: 70000\r\n\r\nabc`, 2000);
    expect(announced).toMatch(/^HTTP\/1\.1 413 /);
    expect(announced).toContain('{"error":"payload too large"}');
    const before = memoryOf(server.pid);
    const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`;
    const chunked = await raw(
      server.port,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`,
      2000,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
    const flood = raw(server.port, `${head}Content-Length: 200000000\r\n\r\n${"x".repeat(20 << 20)}`, 1000);
    await flood.catch(() => "reset");
    expect(memoryOf(server.pid) - before).toBeLessThan(40);
    expect((await postNote(server)).id).toBeTypeOf("string");
  });

  test("no header can be forged through a name, a query or a Host", async () => {
    const { root, server } = await annotateServer();
    screen(root, "a\r\nX-Evil: 1.html", "<p>");
    screen(root, 'q"<script>.html', "<p>newest</p>");
    const page = await call(server, "/", { headers: NAV });
    expect(page.body).toContain('data-ce-page="/q%22%3Cscript%3E.html"');
    const file = await call(server, `/${encodeURIComponent("a\r\nX-Evil: 1.html")}`);
    expect(file.status).toBe(200);
    for (const reply of [page, file, await call(server, "/?x=%0d%0aX-Evil:1&to=%0d%0aX-Evil:1")]) {
      expect(reply.headers).not.toHaveProperty("x-evil");
      expect(reply.headers).not.toHaveProperty("content-disposition");
    }
  });

  test("guessing the token opens nothing, and it stands in no log, document or process list", async () => {
    const { root, server } = await annotateServer();
    for (const guess of [
      "",
      "x",
      server.token!.slice(0, -1),
      server.token!.toUpperCase(),
      `${server.token} x`,
    ]) {
      if (guess === server.token) continue;
      const reply = await call(server, "/wait", { headers: { "x-session-token": guess } });
      expect(reply.status).toBe(401);
    }
    expect((await call(server, "/", { headers: NAV })).body).not.toContain(server.token);
    expect(readFileSync(join(root, "state/server.log"), "utf8")).not.toContain(server.token);
    expect(execFileSync("ps", ["-ww", "-eo", "args="], { encoding: "utf8" })).not.toContain(server.token);
  });

  test("a framed document is raw: no overlay to be clicked through, no cookie", async () => {
    const { server } = await annotateServer();
    for (const destination of ["iframe", "frame", "embed", "object"]) {
      const framed = await call(server, "/", { headers: { ...NAV, "sec-fetch-dest": destination } });
      expect([framed.body, framed.headers["set-cookie"]]).toEqual(["<h1>One</h1>", undefined]);
    }
  });

  test("a FIFO under screens is never waited for", async () => {
    const { root, server } = await annotateServer();
    execFileSync("mkfifo", [join(root, "screens/pipe.html")]);
    expect((await call(server, "/pipe.html", { headers: NAV })).status).toBe(404);
    expect((await call(server, "/")).body).toBe("<h1>One</h1>");
  });
});
