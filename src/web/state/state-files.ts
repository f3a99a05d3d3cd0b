import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import { errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { readOwnedText } from "../../kernel/files/owned-file.ts";
import { serverPidFile } from "../../kernel/shared/server-pid.ts";
import { parseObject } from "../../kernel/text/json.ts";
import { type DisplayInfo, DisplayInfoSchema } from "../schema.ts";
import { checkState, insideState, UnsafeState } from "./state-directory.ts";

/** The files of one root (docs/spec/web.md section 3). */
export interface Paths {
  root: string;
  screens: string;
  state: string;
  pid: string;
  info: string;
  log: string;
  lock: string;
  /** The name a browser on this machine reaches an annotate server by. */
  name: string;
  /** Windows only. */
  control: string;
}

export function pathsOf(root: string): Paths {
  const state = join(root, "state");
  return {
    root,
    screens: join(root, "screens"),
    state,
    pid: serverPidFile(root),
    info: join(state, "display-info.json"),
    log: join(state, "server.log"),
    lock: join(state, "server.lock"),
    name: join(state, "name"),
    control: join(state, "control"),
  };
}

/** Make `screens/` and a private `state/`. Throws `cannot create …` and `unsafe state directory …`, exit 1. */
export function makeDirectories(paths: Paths, host: Host): void {
  const existed = checkState(paths.state, host.uid);
  make(paths.screens, undefined);
  make(paths.state, 0o700);
  checkState(paths.state, host.uid);
  // One that upstream made is open to readers; it is about to hold a token.
  if (host.platform !== "win32" && existed && (lstatSync(paths.state).mode & 0o077) !== 0) {
    chmodSync(paths.state, 0o700);
  }
}

function make(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  } catch (error) {
    throw new JigError(`cannot create ${path}: ${osReason(error)}`, { cause: error });
  }
}

/** The pid in `server.pid`; undefined when there is none. */
export function readPid(paths: Paths, uid: number | undefined): number | undefined {
  const text = readText(paths.pid, uid, 64);
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}

/** `display-info.json`, when it is there and makes sense. */
export function readInfo(paths: Paths, uid: number | undefined): DisplayInfo | undefined {
  const parsed = v.safeParse(DisplayInfoSchema, readInfoObject(paths, uid));
  return parsed.success ? parsed.output : undefined;
}

/** How the last session of a root ended, whatever else its info file lacks. */
export function readEnd(paths: Paths, uid: number | undefined): { reason: string | undefined } | undefined {
  const info = readInfoObject(paths, uid);
  if (info?.["session_ended"] !== true) return undefined;
  const reason = info["session_end_reason"];
  return { reason: typeof reason === "string" ? reason : undefined };
}

function readInfoObject(paths: Paths, uid: number | undefined): Record<string, unknown> | undefined {
  const text = readText(paths.info, uid, 65_536);
  return text === undefined ? undefined : parseObject(text);
}

/** The text of a small file of ours in a `state/` of ours, undefined when there is none. Throws `UnsafeState`. */
export function readText(path: string, uid: number | undefined, maxBytes: number): string | undefined {
  try {
    return insideState(dirname(path), uid, (state) =>
      readOwnedText(join(state, basename(path)), { uid, maxBytes }),
    );
  } catch (error) {
    if (error instanceof UnsafeState) throw error;
    return undefined;
  }
}

export function writePid(paths: Paths, pid: number): void {
  writeFileAtomic(paths.pid, `${pid}\n`, { mode: 0o600 });
}

export function writeInfo(paths: Paths, info: DisplayInfo): void {
  writeFileAtomic(paths.info, `${JSON.stringify(inOrder(info), null, 2)}\n`, { mode: 0o600 });
}

/** The same info with the session's end in it. */
export function withEnd(info: DisplayInfo, reason: string): DisplayInfo {
  return inOrder({ ...info, session_ended: true, session_end_reason: reason });
}

/** The same info of a session that goes on after all. */
export function withoutEnd(info: DisplayInfo): DisplayInfo {
  const { session_ended: _ended, session_end_reason: _reason, ...live } = info;
  return live as DisplayInfo;
}

// Readers may show the keys as they come; the spec fixes their order.
const ORDER = Object.keys(DisplayInfoSchema.entries);

function inOrder(info: DisplayInfo): DisplayInfo {
  const rank = (key: string) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return Object.fromEntries(Object.entries(info).sort(([a], [b]) => rank(a) - rank(b))) as DisplayInfo;
}

export function removeFile(path: string): void {
  try {
    rmSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}
