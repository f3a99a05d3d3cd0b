import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Connection } from "../../src/runtime/serve.ts";
import type { DisplayInfo } from "../../src/web/schema.ts";
import { DEFAULT_TIMES, type SiteConfig } from "../../src/web/server/config.ts";
import { makeHandler } from "../../src/web/server/handler.ts";
import { makeSite } from "../../src/web/server/make-site.ts";
import type { Site } from "../../src/web/server/site.ts";
import { JIG } from "../support/paths.ts";
import { type RunOptions, type RunOutput, runJig, sleep, testEnv, until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

/** Headers of a browser going to a page. */
export const NAV = { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate", accept: "text/html" };

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

// ---- the handler alone, without a socket -------------------------------------------------------------------------

export interface UnitSite {
  root: string;
  screens: string;
  site: Site;
  token: string;
  activity: number;
  saves: number;
  write(name: string, content: string | Uint8Array): void;
  /** A request from loopback under `localhost`, or as `headers` and `from` say. */
  ask(path: string, init?: AskInit): Promise<Response>;
}

export interface AskInit {
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
  /** The peer's address. */
  from?: string;
  signal?: AbortSignal;
  /** A URL as the runtime would give it, instead of an absolute one made from the path. */
  url?: string;
}

export const UNIT_PORT = 4321;

/** A server's handler on a fresh root. Its session ends with the test. */
export function unitSite(
  config: Partial<SiteConfig> & { saveWorks?: () => boolean; name?: string } = {},
  control?: Site["control"],
): UnitSite {
  const root = tempDir("jig-web-");
  const screens = join(root, "screens");
  mkdirSync(screens);
  const { saveWorks, name, ...rest } = config;
  const counts = { activity: 0, saves: 0 };
  const site = makeSite({
    config: {
      screens,
      host: "127.0.0.1",
      annotate: false,
      auth: "auto",
      allowHosts: [],
      publicUrl: undefined,
      machineName: "",
      times: DEFAULT_TIMES,
      ...rest,
    },
    port: () => UNIT_PORT,
    name: () => name,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    platform: process.platform,
    start: { lastNumber: 0, earlier: [] },
    state: { directory: root, uid: process.getuid?.() },
    asset: (path) => new TextEncoder().encode(`/* ${path} */`),
    log: () => {},
    active: () => void counts.activity++,
    save: () => {
      counts.saves++;
      return saveWorks?.() ?? true;
    },
    saveSoon: () => {},
    ended: () => {},
    revived: () => {},
    control,
  });
  onTestFinished(() => {
    site.annotate?.session.end("stopped");
    site.annotate?.session.deliveries.stop();
    site.stop();
  });
  const handle = makeHandler(site);
  return {
    root,
    screens,
    site,
    token: site.annotate?.token ?? "",
    get activity() {
      return counts.activity;
    },
    get saves() {
      return counts.saves;
    },
    write(name, content) {
      mkdirSync(dirname(join(screens, name)), { recursive: true });
      writeFileSync(join(screens, name), content);
    },
    async ask(path, init = {}) {
      const url = `http://localhost:${UNIT_PORT}${path}`;
      const request = new Request(url, {
        method: init.method ?? "GET",
        headers: { host: `localhost:${UNIT_PORT}`, ...init.headers },
        ...(init.body === undefined ? {} : { body: init.body, duplex: "half" }),
        ...(init.signal === undefined ? {} : { signal: init.signal }),
      } as RequestInit);
      const connection: Connection = {
        address: init.from ?? "127.0.0.1",
        hold() {},
        fileBody: () => undefined,
      };
      return handle(init.url === undefined ? request : withUrl(request, init.url), connection);
    },
  };
}

function withUrl(request: Request, url: string): Request {
  return new Proxy(request, {
    get(target, name) {
      if (name === "url") return url;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Headers of a command-line client with the session's token. */
export function withToken(token: string): Record<string, string> {
  return { "x-session-token": token };
}

// ---- the binary ---------------------------------------------------------------------------------------------------

export type Server = DisplayInfo & { status: string };

/** A fresh root, its server stopped when the test ends. */
export function webRoot(): string {
  const root = tempDir("jig-web-");
  onTestFinished(() => {
    spawnSync(JIG, ["web", "stop", "--root", root], { env: testEnv(), stdio: "ignore" });
  });
  return root;
}

export function web(words: readonly string[], options?: RunOptions): Promise<RunOutput> {
  return runJig(["web", ...words], options);
}

/** Start a server and give what it printed. */
export async function startServer(
  root: string,
  words: readonly string[] = [],
  options?: RunOptions,
): Promise<Server> {
  const ran = await web(["start", "--root", root, "--owner-pid", "none", ...words], options);
  if (ran.code !== 0) throw new Error(`start failed: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as Server;
}

/** The server processes of a root. */
export function serversOf(root: string): string[] {
  const processes = spawnSync("ps", ["-ww", "-eo", "args="], { encoding: "utf8" }).stdout.split("\n");
  return processes.filter((line) => line.includes("web serve") && line.includes(root));
}

/** Running; a zombie that nobody has waited for yet does not. */
export function alive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

/** Kill a server with signal 9. It takes a moment to end, and a start meanwhile would still find it. */
export async function killServer({ pid }: Pick<Server, "pid">): Promise<void> {
  process.kill(pid, "SIGKILL");
  await until("the server to be gone", () => !alive(pid));
}

export function screen(root: string, name: string, content: string): void {
  const path = join(root, "screens", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

export function infoOf(root: string): DisplayInfo {
  return JSON.parse(readFileSync(join(root, "state", "display-info.json"), "utf8")) as DisplayInfo;
}

export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
  bytes: Buffer;
}

export interface CallInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Another address than 127.0.0.1. */
  at?: string;
  signal?: AbortSignal;
}

/** One request on a connection of its own. */
export function call(
  server: Pick<Server, "port" | "token">,
  path: string,
  init: CallInit = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: init.at ?? "127.0.0.1",
        port: server.port,
        path,
        method: init.method ?? "GET",
        headers: {
          ...(init.body === undefined ? {} : { "content-length": Buffer.byteLength(init.body) }),
          ...init.headers,
        },
        agent: false,
        ...(init.signal === undefined ? {} : { signal: init.signal }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: response.statusCode!, headers: response.headers, body: bytes.toString(), bytes });
        });
      },
    );
    request.on("error", reject);
    request.end(init.body);
  });
}

/** As `call`, with the session's token. */
export function authed(server: Server, path: string, init: CallInit = {}): Promise<Reply> {
  return call(server, path, { ...init, headers: { "x-session-token": server.token ?? "", ...init.headers } });
}

export async function postNote(server: Server, note: object = {}): Promise<{ id: string; number?: number }> {
  const body = JSON.stringify({ comment: "Bigger", selector: "h1", ...note });
  const reply = await authed(server, "/annotation", { method: "POST", body });
  if (reply.status !== 200) throw new Error(`annotation: ${reply.status} ${reply.body}`);
  return JSON.parse(reply.body) as { id: string; number?: number };
}

export const flush = (server: Server) => authed(server, "/session/flush", { method: "POST" });

export interface Frame {
  event: string;
  data: unknown;
}

export interface StreamClient {
  readonly text: string;
  readonly frames: Frame[];
  readonly status: number;
  readonly closed: boolean;
  of(event: string): unknown[];
  close(): void;
}

/** An open event stream, closed when the test ends. */
export function openStream(
  server: Server,
  query = "",
  headers: Record<string, string> = {},
  onFinished: (close: () => void) => void = onTestFinished,
): Promise<StreamClient> {
  return new Promise((resolve, reject) => {
    let text = "";
    let closed = false;
    const request = http.get(
      {
        host: "127.0.0.1",
        port: server.port,
        path: `/events${query}`,
        headers: { "x-session-token": server.token ?? "", ...headers },
        agent: false,
      },
      (response) => {
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on("close", () => {
          closed = true;
        });
        response.on("error", () => {});
        const client: StreamClient = {
          status: response.statusCode!,
          get text() {
            return text;
          },
          get frames() {
            return parseFrames(text);
          },
          get closed() {
            return closed;
          },
          of: (event) =>
            parseFrames(text)
              .filter((frame) => frame.event === event)
              .map((frame) => frame.data),
          close: () => request.destroy(),
        };
        resolve(client);
      },
    );
    request.on("error", (error) => (closed ? undefined : reject(error)));
    onFinished(() => void request.destroy());
  });
}

export function parseFrames(text: string): Frame[] {
  return text
    .split("\n\n")
    .map((block) => /^event: (.*)\ndata: (.*)$/.exec(block))
    .filter((match) => match !== null)
    .map((match) => ({ event: match[1]!, data: JSON.parse(match[2]!) as unknown }));
}

/** Bytes sent as they are; what came back until the connection closed, or `settle` milliseconds passed in silence. */
export function raw(port: number, request: string | Buffer, settle = 300): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1");
    let text = "";
    let timer = setTimeout(finish, Math.max(settle, 2000));
    function finish() {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    }
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      clearTimeout(timer);
      timer = setTimeout(finish, settle);
    });
    socket.on("close", finish);
    socket.on("error", (error) => (text === "" ? reject(error) : finish()));
    socket.write(request);
  });
}

export { sleep, until };
