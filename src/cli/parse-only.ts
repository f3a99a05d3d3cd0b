import type { ParseVerdict } from "../kernel/call/host.ts";
import { ParseFailure } from "./parse/parse.ts";
import { parse, reach } from "./parse/reach.ts";
import { roomNamed } from "./tree.ts";

/** Whether the words would parse, without running anything (`Host.parse`; the skills lint stands on it). */
export async function parseOnly(argv: readonly string[]): Promise<ParseVerdict> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h") return { ok: true, command: "" };
  if (name === "--version") return parseOnly(["version", ...rest]);
  const room = roomNamed(name);
  if (room === undefined) return { ok: false, message: `unknown command '${name}'` };
  const reached = await reach(room, rest);
  try {
    const parsed = parse(reached);
    return { ok: true, command: parsed.kind === "run" ? parsed.command.name : parsed.target.name };
  } catch (error) {
    if (error instanceof ParseFailure) return { ok: false, message: error.message };
    throw error;
  }
}
