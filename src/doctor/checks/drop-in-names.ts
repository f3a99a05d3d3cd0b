import { existsSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { pathDirectories } from "../../kernel/process/executable.ts";
import { realPath } from "../../kernel/shared/jig-path.ts";
import { isOurScript } from "../../kernel/shared/launcher-marker.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { finding, note, ok } from "../check.ts";
import type { Check } from "../schema.ts";

/** Drop-in names on PATH that lead to jig, and those whose jig is gone (docs/spec/cli.md sections 3 and 5). */
export async function examineDropInNames(host: Host): Promise<Check[]> {
  const names = (await host.catalogue()).dropInNames();
  const checks: Check[] = [];
  const live: string[] = [];
  for (const directory of pathDirectories(host.env).filter(isAbsolute)) {
    for (const name of names) {
      const path = join(directory, name);
      const target = targetOf(path, name);
      if (target === undefined) continue;
      if (existsSync(target)) live.push(path);
      else checks.push(gone(path, target, directory));
    }
  }
  if (live.length > 0) checks.push(ok("drop-in names", `lead to jig: ${live.join(", ")}`));
  if (checks.length === 0) return [note("drop-in names", "none on PATH; jig link DIR writes them")];
  return checks;
}

function gone(path: string, target: string, directory: string): Check {
  const where = shellWord(directory);
  const mend = `jig link ${where} ${basename(path)} (or jig link --remove ${where})`;
  return finding("drop-in names", `${path} leads to a jig that is gone: ${target}`, mend);
}

/** The jig a name of ours leads to; undefined when the name is not there or not ours. */
function targetOf(path: string, name: string): string | undefined {
  try {
    const standing = lstatSync(path);
    if (standing.isSymbolicLink()) {
      const target = resolve(dirname(path), readlinkSync(path));
      const named = /^jig(-.*)?$/.test(basename(target));
      return named || realPath(target) === realPath(process.execPath) ? target : undefined;
    }
    if (!standing.isFile() || standing.size > 65_536) return undefined;
    const text = readFileSync(path, "utf8");
    return isOurScript(text, name) ? quotedPath(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The path of jig as a launcher script quotes it: `exec '…'`, `JIG = "…"`, `const jig = "…"`. */
function quotedPath(text: string): string | undefined {
  const shell = /^exec '((?:[^']|'\\'')*)'/m.exec(text)?.[1];
  if (shell !== undefined) return shell.replaceAll("'\\''", "'");
  const quoted = /^(?:JIG|\s*const jig) = ("(?:[^"\\]|\\.)*")/m.exec(text)?.[1];
  if (quoted === undefined) return undefined;
  const json = quoted.replaceAll(/\\U([0-9a-f]{8})/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return JSON.parse(json) as string;
}
