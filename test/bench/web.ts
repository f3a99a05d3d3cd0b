import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./measure.ts";
import type { Bench, BenchContext, BenchRow } from "./types.ts";

interface Served {
  port: number;
  pid: number;
  token: string;
  screens: string;
}

/** A server of its own while an action runs. */
async function withServer<T>(
  { jig, tempDir }: BenchContext,
  name: string,
  words: readonly string[],
  action: (server: Served) => Promise<T>,
  fill: (screens: string) => void = () => {},
): Promise<T> {
  const root = join(tempDir, `web-${name}`);
  const screens = join(root, "screens");
  mkdirSync(screens, { recursive: true });
  fill(screens);
  const start = Bun.spawnSync([jig, "web", "start", "--root", root, "--owner-pid", "none", ...words]);
  if (start.exitCode !== 0) throw new Error(`jig web start: ${start.stderr}`);
  const { port, pid, token = "" } = JSON.parse(start.stdout.toString()) as Served;
  try {
    return await action({ port, pid, token, screens });
  } finally {
    Bun.spawnSync([jig, "web", "stop", "--root", root]);
  }
}

/** CPU milliseconds a process has used. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process in MiB. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))![1]) / 1024;
}

const CONNECTIONS = 32;

/** Requests over kept-alive connections, one in flight on each; how many were answered in this time. */
async function load(port: number, path: string, milliseconds: number): Promise<number> {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
  let answered = 0;
  let running = true;
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => {
      let missing = -1;
      return Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          open: (socket) => void socket.write(request),
          data(socket, chunk) {
            if (missing < 0) {
              const head = chunk.indexOf("\r\n\r\n");
              const length = /content-length: (\d+)/i.exec(chunk.toString("latin1", 0, head));
              missing = Number(length![1]) + head + 4;
            }
            missing -= chunk.length;
            if (missing > 0) return;
            missing = -1;
            answered++;
            if (running) socket.write(request);
          },
        },
      });
    }),
  );
  await Bun.sleep(milliseconds);
  running = false;
  const total = answered;
  for (const connection of connections) connection.terminate();
  return total;
}

const BARE_BUN = `Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(Bun.file(process.argv[2])) ,
  development: false }); `;

const PLAIN_NODE = `
import http from "node:http"; import fs from "node:fs"; import path from "node:path";
const server = http.createServer((request, response) => {
  const file = path.join(path.dirname(process.argv[2]), decodeURIComponent(new URL(request.url, "http://x").pathname));
  fs.stat(file, (error, stat) => {
    if (error || !stat.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": stat.size });
    fs.createReadStream(file).pipe(response);
  });
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** A server from a script that prints its port. */
async function scriptServer(runtime: string, directory: string, name: string, script: string, file: string) {
  writeFileSync(join(directory, name), script);
  const child = Bun.spawn([runtime, join(directory, name), file], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  return { port: Number(new TextDecoder().decode(value)), pid: child.pid, stop: () => child.kill() };
}

const ROUNDS = 5;
const ROUND_MS = 1500;

const files: Bench = {
  name: "a 1 KB file",
  run: (context) =>
    withServer(context, "files", [], async (server) => {
      const file = join(server.screens, "k.txt");
      writeFileSync(file, "x".repeat(1024));
      const bun = await scriptServer(
        process.execPath,
        context.tempDir,
        "bare.ts",
        `const server = ${BARE_BUN} console.log(server.port);`,
        file,
      );
      const node = Bun.which("node");
      const plain =
        node === null ? undefined : await scriptServer(node, context.tempDir, "plain.mjs", PLAIN_NODE, file);
      const rivals = plain === undefined ? [server, bun] : [server, bun, plain];
      try {
        const rates = rivals.map((): number[] => []);
        const costs = rivals.map((): number[] => []);
        for (const rival of rivals) await load(rival.port, "/k.txt", 500);
        for (let round = 0; round < ROUNDS; round++) {
          for (const [index, rival] of rivals.entries()) {
            const before = cpuOf(rival.pid);
            const count = await load(rival.port, "/k.txt", ROUND_MS);
            rates[index]!.push((count * 1000) / ROUND_MS);
            costs[index]!.push(((cpuOf(rival.pid) - before) * 1000) / count);
          }
        }
        const row = (
          figure: string,
          unit: string,
          baseline: string,
          values: number[][],
          index: number,
        ): BenchRow => ({
          figure,
          unit,
          value: median(values[0]!),
          baseline,
          baselineValue: median(values[index]!),
        });
        const rows = [
          row("safe path, request rate", "/s", "bare Bun.file server", rates, 1),
          row("safe path, server CPU a request", "µs", "bare Bun.file server", costs, 1),
        ];
        if (plain !== undefined) {
          rows.push(row("safe path, request rate", "/s", "plain Node http static handler", rates, 2));
        }
        return rows;
      } finally {
        bun.stop();
        plain?.stop();
      }
    }),
};

/** An event stream, and when its last `screen-changed` came. */
async function follow(server: Served) {
  let changed: (() => void) | undefined;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    socket: {
      data(_socket, chunk) {
        if (chunk.includes("screen-changed")) changed?.();
      },
    },
  });
  socket.write(`GET /events HTTP/1.1\r\nHost: localhost\r\nX-Session-Token: ${server.token}\r\n\r\n`);
  return {
    next: () =>
      new Promise<void>((resolve) => {
        changed = resolve;
      }),
    close: () => socket.terminate(),
  };
}

/** 10,000 files in a hundred directories. */
function fillTree(screens: string) {
  for (let directory = 0; directory < 100; directory++) {
    mkdirSync(join(screens, `d${directory}`), { recursive: true });
    for (let file = 0; file < 100; file++)
      writeFileSync(join(screens, `d${directory}`, `f${file}.html`), "x");
  }
}

const IDLE_MS = 20_000;
const CHANGES = 60;

async function changesWith(server: Served, clients: number): Promise<BenchRow[]> {
  const streams = await Promise.all(Array.from({ length: clients }, () => follow(server)));
  await Bun.sleep(2000);
  const latencies: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const told = Promise.all(streams.map((stream) => stream.next()));
    const at = performance.now();
    writeFileSync(join(server.screens, `d${change % 100}`, "f7.html"), "y".repeat(change + 2));
    await told;
    latencies.push(performance.now() - at);
    await Bun.sleep(40);
  }
  await Bun.sleep(1000);
  const before = cpuOf(server.pid);
  await Bun.sleep(IDLE_MS);
  const idle = ((cpuOf(server.pid) - before) / IDLE_MS) * 100;
  const name = clients === 1 ? "1 client" : `${clients} clients, the last of them`;
  const rows = [
    { figure: `change to frame, ${name}, median`, value: median(latencies), unit: "ms" },
    { figure: `change to frame, ${name}, worst`, value: Math.max(...latencies), unit: "ms" },
    { figure: `idle CPU, ${clients} open`, value: idle, unit: "%" },
  ];
  for (const stream of streams) stream.close();
  return rows;
}

const changes: Bench = {
  name: "10,000 files under screens",
  run: (context) =>
    withServer(
      context,
      "changes",
      ["--annotate"],
      async (server) => [...(await changesWith(server, 1)), ...(await changesWith(server, 200))],
      fillTree,
    ),
};

const GIB = 1024 ** 3;

/** Read an answer to its end and only count it; how long its first byte took. */
async function fetchRange(port: number, range: string): Promise<{ bytes: number; firstMs: number }> {
  const started = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v.mp4`, { headers: { range } });
  let bytes = 0;
  let firstMs = 0;
  for await (const chunk of response.body!) {
    if (bytes === 0) firstMs = performance.now() - started;
    bytes += chunk.length;
  }
  return { bytes, firstMs };
}

const video: Bench = {
  name: "a video of 2 GiB",
  run: (context) =>
    withServer(context, "video", [], async (server) => {
      const file = openSync(join(server.screens, "v.mp4"), "w");
      ftruncateSync(file, 2 * GIB);
      closeSync(file);
      await fetchRange(server.port, "bytes=0-99");
      const before = memoryOf(server.pid);
      let peak = before;
      const probe = setInterval(() => {
        peak = Math.max(peak, memoryOf(server.pid));
      }, 50);
      const firsts: number[] = [];
      for (let seek = 0; seek < 20; seek++) {
        const at = Math.floor((seek / 20) * 2 * GIB);
        firsts.push((await fetchRange(server.port, `bytes=${at}-${at + (8 << 20) - 1}`)).firstMs);
      }
      const started = performance.now();
      const { bytes } = await fetchRange(server.port, "bytes=0-");
      const seconds = (performance.now() - started) / 1000;
      clearInterval(probe);
      return [
        { figure: "seek by range, first byte, median", value: median(firsts), unit: "ms" },
        { figure: "whole file", value: bytes / seconds / 1e6, unit: "MB/s" },
        { figure: "memory added at most", value: peak - before, unit: "MiB" },
      ];
    }),
};

const leak: Bench = {
  name: "10,000 requests and 1,000 stream reconnects",
  run: (context) =>
    withServer(context, "leak", ["--annotate"], async (server) => {
      writeFileSync(join(server.screens, "a.html"), "<h1>A</h1>");
      const headers = { "sec-fetch-dest": "document", accept: "text/html" };
      const visit = async (count: number) => {
        for (let index = 0; index < count; index++) {
          await (await fetch(`http://127.0.0.1:${server.port}/`, { headers })).text();
        }
      };
      const reconnect = async (count: number) => {
        for (let index = 0; index < count; index++) (await follow(server)).close();
      };
      await visit(2000);
      await reconnect(200);
      await Bun.sleep(1000);
      const before = memoryOf(server.pid);
      await visit(10_000);
      await reconnect(1000);
      await Bun.sleep(1000);
      return [{ figure: "memory added", value: memoryOf(server.pid) - before, unit: "MiB" }];
    }),
};

const rest: Bench = {
  name: "a server at rest",
  async run(context) {
    const child = Bun.spawn([context.empty], { stdin: "pipe" });
    await child.exited;
    const emptyMemory = (child.resourceUsage()!.maxRSS ?? 0) / 1024 / 1024;
    const starts: number[] = [];
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      await withServer(context, "rest", [], async () => void starts.push(performance.now() - started));
    }
    return withServer(context, "rest", ["--annotate"], async (server) => {
      await Bun.sleep(2000);
      const before = cpuOf(server.pid);
      await Bun.sleep(10_000);
      return [
        { figure: "start, wall", value: median(starts), unit: "ms" },
        { figure: "idle CPU, no client", value: (cpuOf(server.pid) - before) / 100, unit: "%" },
        {
          figure: "resident",
          value: memoryOf(server.pid),
          unit: "MiB",
          baseline: "empty compiled program, peak",
          baselineValue: emptyMemory,
        },
      ];
    });
  },
};

export const benches: Bench[] = [files, changes, video, leak, rest];
