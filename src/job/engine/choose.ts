import type { Host } from "../../kernel/call/host.ts";
import { usageError } from "../usage.ts";
import type { Placed } from "./engine.ts";
import { ENGINE_FORMS, engineOf } from "./kinds.ts";

/** The flags of `start` that speak of an engine. */
export interface EngineFlags {
  on: string | undefined;
  "engine-arg": readonly string[];
  "remote-cwd": string | undefined;
  "remote-jig": string | undefined;
}

/** `engine.json` keeps them, and is read up to a cap (docs/spec/jobs.md 4.2): a job whose file is over it could not be asked about. */
const MOST_ARGS = 4_096;

/**
 * The engine that `--on` names, its words judged (docs/spec/engines.md 2.1). Throws `UsageError` for words that do not fit,
 * `JigError` when a program is missing; nothing was made then.
 */
export async function chooseEngine(host: Host, on: string, flags: EngineFlags): Promise<Placed> {
  if (host.platform === "win32")
    throw usageError(host, "start", `--on ${on}: Windows has no engine but local`);
  const colon = on.indexOf(":");
  const kind = colon < 0 ? on : on.slice(0, colon);
  const engine = await engineOf(kind);
  if (engine === undefined) {
    throw usageError(host, "start", `--on: unknown engine '${on}'; expected one of ${ENGINE_FORMS}`);
  }
  // One that does not begin so would be the script of the job, or the host.
  const bare = flags["engine-arg"].find((word) => !/^-[^-]|^--./.test(word));
  if (bare !== undefined) {
    throw usageError(host, "start", `--engine-arg '${bare}': expected one word that begins with a dash`);
  }
  const length = flags["engine-arg"].reduce((sum, word) => sum + word.length, 0);
  if (length > MOST_ARGS) {
    throw usageError(host, "start", `--engine-arg: ${length} characters in all, more than ${MOST_ARGS}`);
  }
  const placed = await engine.place(host, {
    target: colon < 0 ? undefined : on.slice(colon + 1),
    args: flags["engine-arg"],
    remoteCwd: flags["remote-cwd"],
    remoteJig: flags["remote-jig"],
  });
  if (typeof placed === "string") throw usageError(host, "start", placed);
  return placed;
}
