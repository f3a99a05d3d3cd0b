import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import net from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { authed, call, NAV, postNote, type Server, screen, sleep, startServer, webRoot } from "./support.ts";

const MIB = 1 << 20;
const digest = (bytes: Buffer) => createHash("sha1").update(bytes).digest("hex");

/** The answers that came on one connection until it closed, or `milliseconds` passed. */
function answersTo(server: Server, requests: string[], milliseconds = 3000) {
  return new Promise<{ status: number; whole: boolean; body: Buffer }[]>((resolve) => {
    const socket = net.connect(server.port, "127.0.0.1");
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => socket.destroy(), milliseconds);
    socket.write(
      requests.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`).join(""),
    );
    socket.on("data", (chunk) => void chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      const bytes = Buffer.concat(chunks);
      const answers = [];
      for (let at = 0; at < bytes.length; ) {
        const end = bytes.indexOf("\r\n\r\n", at);
        const head = bytes.toString("latin1", at, end < 0 ? bytes.length : end);
        const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
        const body = bytes.subarray(end + 4, end + 4 + length);
        answers.push({ status: Number(head.slice(9, 12)), whole: end > 0 && body.length === length, body });
        at = end < 0 ? bytes.length : end + 4 + length;
      }
      resolve(answers);
    });
  });
}

describe("requests in line on one connection", () => {
  test.each([
    [3 * MIB, 3 * MIB, 3 * MIB],
    [3 * MIB, 100, 3 * MIB, 100],
    [70_000, 70_000, 70_000, 70_000],
    [100, 200, 300],
  ])("every answer is whole or not begun: %i, %i, %i …", async (...sizes) => {
    const root = webRoot();
    const contents = sizes.map((size) => randomBytes(size));
    for (const [index, bytes] of contents.entries()) screen(root, `${index}.bin`, bytes as unknown as string);
    const server = await startServer(root);
    const asked = sizes.map((_size, index) => index);
    // As a client does it that gets fewer answers than it asked for: again, on another connection.
    while (asked.length > 0) {
      const answers = await answersTo(
        server,
        asked.map((index) => `/${index}.bin`),
        2000,
      );
      expect(answers.length).toBeGreaterThan(0);
      for (const answer of answers) {
        expect([answer.status, answer.whole]).toEqual([200, true]);
        expect(digest(answer.body)).toBe(digest(contents[asked.shift()!]!));
      }
    }
  });
});

/** Kilobytes of memory that are this process's alone. */
function memoryOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Anonymous: +(\d+) kB$/m.exec(rollup)![1]);
}

test.runIf(process.platform === "linux").each([true, false])(
  "40 readers that take nothing of a 30 MiB document cost no memory to speak of (annotate: %s)",
  async (annotate) => {
    const root = webRoot();
    const body = `<!doctype html><html><body>${"0123456789abcdef".repeat((30 * MIB) / 16)}</body></html>`;
    screen(root, "001.html", body);
    const server = await startServer(root, annotate ? ["--annotate"] : []);
    await call(server, "/version");
    const before = memoryOf(server.pid);
    const head = Object.entries(NAV).map(([name, value]) => `${name}: ${value}\r\n`);
    for (let reader = 0; reader < 40; reader++) {
      const socket = net.connect(server.port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.on("error", () => {});
      socket.pause();
      socket.write(`GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\n${head.join("")}\r\n`);
    }
    await sleep(3000);
    expect(memoryOf(server.pid) - before).toBeLessThan(100_000);
    const whole = await call(server, "/", { headers: NAV });
    const text = whole.body;
    expect(text.length).toBeGreaterThan(body.length);
    if (annotate) expect(text.endsWith(body)).toBe(true);
    else
      expect(text).toMatch(
        /^<!doctype html><html><body>0[0-9a-f]*<script>[\s\S]*<\/script>\n<\/body><\/html>$/,
      );
  },
  30_000,
);

test("what is nested without end is not stored", async () => {
  const root = webRoot();
  screen(root, "001.html", "<p>");
  const server = await startServer(root, ["--annotate"]);
  const deep = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  const lists = `{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`;
  for (const [sent, kept] of [
    [deep(5000), null],
    [lists, null],
    [deep(17), null],
    [deep(16), JSON.parse(deep(16))],
  ]) {
    const body = `{"comment":"c","selector":"p","rect":${sent},"point":${sent}}`;
    const posted = await authed(server, "/annotation", { method: "POST", body });
    expect(posted.status).toBe(200);
    const list = JSON.parse((await authed(server, "/__ce-annotate/annotations")).body) as {
      records: object[];
    };
    expect(list.records.at(-1)).toMatchObject({ rect: kept, point: kept });
    const context = await postNote(server, { context: JSON.parse(`{"a":${deep(500)}}`) as object });
    expect(context.id).toBeTruthy();
  }
  const list = JSON.parse((await authed(server, "/__ce-annotate/annotations")).body) as { records: object[] };
  expect(list.records.filter((record) => "context" in record)).toEqual([]);
});
