import type { Host } from "../../kernel/call/host.ts";
import { publishExclusive, writeFileAtomic } from "../../kernel/files/atomic.ts";
import { lookAt } from "../../kernel/files/look.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { asciiJson } from "../../kernel/text/python-json.ts";
import type { EngineView, JobEngine } from "../schema.ts";
import { ENGINE, FILE_MODE, fileIn, PID } from "./directory.ts";
import { readJsonObject } from "./files.ts";

type Owner = Pick<Host, "uid">;

/** Read `engine.json` (docs/spec/engines.md 2.3). Undefined when it cannot be read or is not one of ours. */
export function readEngineFile(host: Owner, directory: string): JobEngine | undefined {
  const read = readJsonObject(host, fileIn(directory, ENGINE));
  return "value" in read && isEngine(read.value) ? read.value : undefined;
}

function isEngine(value: JsonObject): value is JobEngine {
  const { kind, id, args, cluster, cwd, dest, jig, result_path: result } = value;
  const isTextOr = (found: unknown, other: null | undefined) => typeof found === "string" || found === other;
  return (
    typeof kind === "string" &&
    isTextOr(id, null) &&
    Array.isArray(args) &&
    args.every((word) => typeof word === "string") &&
    [cluster, cwd, dest].every((text) => isTextOr(text, undefined)) &&
    [jig, result].every((text) => text === null || isTextOr(text, undefined))
  );
}

/** Make it, exclusively, before a job is handed to an engine. Throws `FileError`. */
export function createEngineFile(directory: string, file: JobEngine): void {
  if (!publishExclusive(fileIn(directory, ENGINE), textOf(file), { mode: FILE_MODE })) {
    throw new Error(`${fileIn(directory, ENGINE)} exists already`);
  }
}

/** Replace it when more is known. Throws `FileError`. */
export function replaceEngineFile(directory: string, file: JobEngine): void {
  writeFileAtomic(fileIn(directory, ENGINE), textOf(file), { mode: FILE_MODE });
}

function textOf(file: JobEngine): string {
  return `${asciiJson(file)}\n`;
}

/** Whether a supervisor has begun. */
export function hasPid(directory: string): boolean {
  return lookAt(fileIn(directory, PID)) !== undefined;
}

/** The node a supervisor wrote into `pid`; null when there is none. */
export function nodeOf(host: Owner, directory: string): string | null {
  const read = readJsonObject(host, fileIn(directory, PID));
  const node = "value" in read ? read.value["host"] : undefined;
  return typeof node === "string" ? node : null;
}

/** What results say of a settled job that an engine ran, from its files alone; undefined when they cannot be read. */
export function settledView(host: Owner, directory: string): EngineView | undefined {
  const file = readEngineFile(host, directory);
  if (file === undefined) return undefined;
  return {
    engine: file.kind,
    engine_id: file.id,
    phase: null,
    node: file.dest ?? nodeOf(host, directory),
  };
}
