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

/**
 * A server of its own while an action runs, as a child like its rivals: a detached one has a session of its own, and a
 * busy system shares its time between sessions.
 */
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
  const child = Bun.spawn([jig, "web", "serve", "--root", root, ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await child.stdout.getReader().read();
  const { port, pid, token = "" } = JSON.parse(new TextDecoder().decode(value)) as Served;
  try {
    return await action({ port, pid, token, screens });
  } finally {
    child.kill();
    await child.exited;
  }
}

/** CPU milliseconds a process has used. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Memory of a process in MiB: all that is resident, or the anonymous part, which it shares with nobody. */
function memoryOf(pid: number, part: "VmRSS" | "RssAnon" = "VmRSS"): number {
  const line = readFileSync(`/proc/${pid}/status`, "latin1").split(`${part}:`)[1]!;
  return Number.parseInt(line, 10) / 1024;
}

const CONNECTIONS = 32;

/** Requests over kept-alive connections, one in flight on each; how many were answered in this time. */
async function load(port: number, path: (index: number) => string, milliseconds: number): Promise<number> {
  let asked = 0;
  const request = () => `GET ${path(asked++)} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
  let answered = 0;
  let running = true;
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => {
      let missing = -1;
      return Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          open: (socket) => void socket.write(request()),
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
            if (running) socket.write(request());
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

const BARE_BUN = `
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false,
  fetch: (request) => new Response(Bun.file(process.argv[2] + request.url.slice(request.url.indexOf("/", 8)))) });
console.log(server.port);
`;

const PLAIN_NODE = `
import http from "node:http"; import fs from "node:fs"; import path from "node:path";
const server = http.createServer((request, response) => {
  const file = path.join(process.argv[2], decodeURIComponent(new URL(request.url, "http://x").pathname));
  fs.stat(file, (error, stat) => {
    if (error || !stat.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": stat.size });
    fs.createReadStream(file).pipe(response);
  });
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** A server from a script that prints its port. */
async function scriptServer(runtime: string, directory: string, name: string, script: string, root: string) {
  writeFileSync(join(directory, name), script);
  const child = Bun.spawn([runtime, join(directory, name), root], { stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  return { port: Number(new TextDecoder().decode(value)), pid: child.pid, stop: () => child.kill() };
}

const ROUNDS = 5;
const ROUND_MS = 1500;

/** So many that none is still known when its turn comes again. */
const FILES = 3000;

const files: Bench = {
  name: "a 1 KB file",
  run: (context) =>
    withServer(context, "files", [], async (server) => {
      const { screens } = server;
      for (let index = 0; index < FILES; index++)
        writeFileSync(join(screens, `${index}.txt`), "x".repeat(1024));
      const bun = await scriptServer(process.execPath, context.tempDir, "bare.ts", BARE_BUN, screens);
      const node = Bun.which("node");
      const plain =
        node === null
          ? undefined
          : await scriptServer(node, context.tempDir, "plain.mjs", PLAIN_NODE, screens);
      const rivals = plain === undefined ? [server, bun] : [server, bun, plain];
      try {
        const same = await compareRates(rivals, () => "/7.txt");
        const each = await compareRates(rivals, (index) => `/${index % FILES}.txt`);
        return [...rateRows("one file again and again", same), ...rateRows(`${FILES} files in turn`, each)];
      } finally {
        bun.stop();
        plain?.stop();
      }
    }),
};

interface Rates {
  /** Requests a second, and CPU microseconds of the server for each. */
  rate: number;
  cpu: number;
}

async function compareRates(
  rivals: readonly { port: number; pid: number }[],
  path: (index: number) => string,
): Promise<Rates[]> {
  const rates = rivals.map((): number[] => []);
  const costs = rivals.map((): number[] => []);
  for (const rival of rivals) await load(rival.port, path, 500);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, rival] of rivals.entries()) {
      const before = cpuOf(rival.pid);
      const count = await load(rival.port, path, ROUND_MS);
      rates[index]!.push((count * 1000) / ROUND_MS);
      costs[index]!.push(((cpuOf(rival.pid) - before) * 1000) / count);
    }
  }
  return rivals.map((_, index) => ({ rate: median(rates[index]!), cpu: median(costs[index]!) }));
}

function rateRows(what: string, [jig, bun, node]: readonly Rates[]): BenchRow[] {
  const bare = "bare Bun.file server";
  const rows = [
    { figure: `${what}, rate`, value: jig!.rate, unit: "/s", baseline: bare, baselineValue: bun!.rate },
    {
      figure: `${what}, CPU a request`,
      value: jig!.cpu,
      unit: "µs",
      baseline: bare,
      baselineValue: bun!.cpu,
    },
  ];
  if (node !== undefined) {
    const baseline = "plain Node http static handler";
    rows.push({ figure: `${what}, rate`, value: jig!.rate, unit: "/s", baseline, baselineValue: node.rate });
  }
  return rows;
}

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

/** Memory of a compiled program that does nothing, in MiB. */
async function restingMemory(directory: string): Promise<{ all: number; anonymous: number }> {
  writeFileSync(join(directory, "resting.ts"), "setInterval(() => {}, 1e6);\n");
  const build = ["build", "--compile", "--minify", "--bytecode", "resting.ts", "--outfile=resting-program"];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...build], { cwd: directory });
  if (exitCode !== 0) throw new Error(`cannot compile: ${stderr}`);
  const child = Bun.spawn([join(directory, "resting-program")]);
  await Bun.sleep(1000);
  const memory = { all: memoryOf(child.pid), anonymous: memoryOf(child.pid, "RssAnon") };
  child.kill();
  await child.exited;
  return memory;
}

const rest: Bench = {
  name: "a server at rest",
  async run(context) {
    const baseline = "compiled program that only waits";
    const resting = await restingMemory(context.tempDir);
    const starts: number[] = [];
    const root = join(context.tempDir, "web-start");
    for (let round = 0; round < 5; round++) {
      const started = performance.now();
      const start = Bun.spawnSync([context.jig, "web", "start", "--root", root, "--owner-pid", "none"]);
      starts.push(performance.now() - started);
      if (start.exitCode !== 0) throw new Error(`jig web start: ${start.stderr}`);
      Bun.spawnSync([context.jig, "web", "stop", "--root", root]);
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
          baseline,
          baselineValue: resting.all,
        },
        {
          figure: "of it anonymous",
          value: memoryOf(server.pid, "RssAnon"),
          unit: "MiB",
          baseline,
          baselineValue: resting.anonymous,
        },
      ];
    });
  },
};

export const benches: Bench[] = [files, changes, video, leak, rest];
