import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom, isInside, realOrPlain, resolveReal } from "../../kernel/files/contain.ts";
import { readOwnedText } from "../../kernel/files/owned-file.ts";
import { parseObject } from "../../kernel/text/json.ts";

/** What a hook may be told to watch only, and what each is without a word about it in a file that was read. */
const WITHOUT_KEY = {
  protectedWrites: "block",
  stateReadCompaction: "block",
  memoryWrites: "audit",
  taskMetadata: "audit",
} as const;

export type ModeKey = keyof typeof WITHOUT_KEY;

/** `unrecognized`: another value stands there; it lets through, and the log says so. */
export type Mode = "block" | "audit" | "unrecognized";

type ModeHost = Pick<Host, "env" | "cwd" | "home">;

const LARGEST_FILE = 1 << 20;

/**
 * Whether a hook blocks or only watches (docs/spec/flow.md 15.1). `projects` can never supply the file: one that lies in
 * them counts as none named.
 */
export function hookMode(host: ModeHost, key: ModeKey, projects: readonly string[]): Mode {
  const path = modeFile(host);
  if (path === undefined) return "block";
  let real: string;
  try {
    real = resolveReal(path);
  } catch {
    return WITHOUT_KEY[key];
  }
  if (projects.some((project) => supplies(project, real, host.home))) return "block";
  const value = readModes(real)?.[key];
  if (value === undefined) return WITHOUT_KEY[key];
  return value === "block" || value === "audit" ? value : "unrecognized";
}

/** Whether a file lies in a project. The home directory is none: plugins are kept there. */
function supplies(project: string, file: string, home: string | undefined): boolean {
  const root = realOrPlain(project);
  if (home !== undefined && isInside(root, realOrPlain(home))) return false;
  return isInside(root, file);
}

/** The file the environment names; undefined when it names none. */
function modeFile({ env, cwd }: ModeHost): string | undefined {
  const given = env["JIG_FLOW_HOOK_MODE"];
  if (given !== undefined && given !== "") return absoluteFrom(cwd, given);
  const plugin = env["CLAUDE_PLUGIN_ROOT"];
  if (plugin === undefined || plugin === "") return undefined;
  return absoluteFrom(cwd, join(plugin, "config", "hook-mode.json"));
}

function readModes(path: string): Record<string, unknown> | undefined {
  try {
    return parseObject(readOwnedText(path, { uid: undefined, maxBytes: LARGEST_FILE }));
  } catch {
    return undefined;
  }
}
