import { isAbsolute, resolve, sep } from "node:path";
import { JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { isRegularFile } from "../../kernel/files/look.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { realPath, stableJigPath } from "../../kernel/shared/jig-path.ts";
import { fixedTempDirectory, userTempDirectory } from "../../kernel/shared/temp-root.ts";
import type { Shipment } from "./shipment.ts";

/** How the commands in a skill's text begin (docs/spec/skills.md 3.2). */
export interface CommandPrefix {
  mode: "absolute" | "portable";
  /** The words, unquoted: one path, or a multi-word prefix such as `deno run -A …`. */
  command: readonly string[];
  /** Whether `--bin` named it. */
  given: boolean;
}

export const PORTABLE: CommandPrefix = { mode: "portable", command: ["jig"], given: false };

export interface PrefixChoice {
  /** The values of `--bin`. */
  bin: readonly string[];
  portable: boolean;
  /** What holds without either flag. */
  byDefault: "absolute" | "portable";
}

/** The prefix for the flags of a call. Throws `UsageError` for a bad combination, `JigError` for an unusable path. */
export function choosePrefix(
  choice: PrefixChoice,
  host: Pick<Host, "cwd" | "env" | "platform">,
  shipped: Pick<Shipment, "executable">,
): CommandPrefix {
  if (choice.portable && choice.bin.length > 0)
    throw new UsageError("--portable and --bin exclude each other");
  if (choice.bin.length > 0)
    return { mode: "absolute", command: givenCommand(choice.bin, host), given: true };
  if (choice.portable || choice.byDefault === "portable") return PORTABLE;
  return computedPrefix(host, shipped);
}

/** The absolute prefix of the running executable. Throws `UsageError` when there is none. */
export function computedPrefix(
  host: Pick<Host, "cwd" | "env" | "platform">,
  shipped: Pick<Shipment, "executable">,
): CommandPrefix {
  if (shipped.executable === undefined) {
    throw new UsageError("running from source: pass --bin PATH or --portable");
  }
  const path = stableJigPath(shipped.executable, host.env);
  return { mode: "absolute", command: [checkedWord(path, host.platform)], given: false };
}

function givenCommand(bin: readonly string[], host: Pick<Host, "cwd" | "env" | "platform">): string[] {
  const [program, ...rest] = bin as [string, ...string[]];
  const isPath = isAbsolute(program) || program.includes("/") || program.includes(sep);
  const path = isPath ? resolve(host.cwd, program) : program;
  if (isPath ? !isRegularFile(path) : findExecutable(program, host.env) === undefined) {
    throw new JigError(`--bin ${program}: no such file${isPath ? "" : " and not on PATH"}`, {
      hint: "pass --bin with the path of an existing jig",
    });
  }
  return [path, ...rest].map((word) => checkedWord(word, host.platform));
}

/** A word as it is rendered, before quoting: forward slashes on Windows. Refuses what no shell can be handed safely. */
function checkedWord(word: string, platform: NodeJS.Platform): string {
  if (/["`$\u0000-\u001f\u007f]/.test(word)) {
    throw new JigError(
      `${JSON.stringify(word)} cannot stand in a command line: it has a quote, a backtick, a $ or a control character`,
      {
        hint: "install jig at another path, or name one with --bin",
      },
    );
  }
  return platform === "win32" && /^[A-Za-z]:[\\/]|^\\\\/.test(word) ? word.replaceAll("\\", "/") : word;
}

const BARE = /^[A-Za-z0-9_./:@%+,=-]+$/;

/** The prefix as it stands in a text. */
export function renderPrefix(command: readonly string[]): string {
  return command.map((word) => (BARE.test(word) ? word : `"${word}"`)).join(" ");
}

/** What a person should know about an absolute prefix; whole stderr lines. */
export function prefixNotes(
  prefix: CommandPrefix,
  host: Pick<Host, "env" | "home" | "uid" | "platform">,
  version: string,
): string[] {
  const [path] = prefix.command;
  if (prefix.mode === "portable" || path === undefined) return [];
  const notes: string[] = [];
  if (isAbsolute(path)) {
    if (mayVanish(path, host)) {
      notes.push(
        `note: ${path} is below a temporary or cache directory and may vanish; install jig elsewhere or pass --bin`,
      );
    }
    if (path.split("/").includes(version)) {
      notes.push(
        `note: ${path} names version ${version} and is gone after the next upgrade; name its shim with --bin`,
      );
    }
  }
  if (host.platform === "win32" && renderPrefix(prefix.command).includes('"')) {
    notes.push("warning: PowerShell needs & before a quoted program; prefer a path without spaces");
  }
  return notes;
}

/** What to say where skills that begin with the bare command are installed and no shell would find it. */
export function portableNotes(prefix: CommandPrefix, host: Pick<Host, "env">): string[] {
  if (prefix.mode !== "portable" || findExecutable("jig", host.env) !== undefined) return [];
  return ["note: jig is not on PATH here; these skills call it by that name and do not start until it is"];
}

function mayVanish(path: string, host: Pick<Host, "env" | "home" | "uid" | "platform">): boolean {
  const { env, home } = host;
  const roots = [fixedTempDirectory(host), userTempDirectory(host), "/var/tmp", env["XDG_CACHE_HOME"]];
  if (home !== undefined) roots.push(`${home}/.cache`, `${home}/Library/Caches`);
  return roots.some((root) => root !== undefined && root !== "" && isBelow(path, root));
}

function isBelow(path: string, root: string): boolean {
  return [path, realPath(path)].some((candidate) =>
    [root, realPath(root)].some((base) => candidate.startsWith(`${base.replace(/[/\\]+$/, "")}/`)),
  );
}
