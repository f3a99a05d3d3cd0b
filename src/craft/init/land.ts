import { lstatSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { syncDirectory } from "../../kernel/files/file-io.ts";
import { isRegularFile } from "../../kernel/files/look.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure, failureLines, reasonOf } from "../common/fail.ts";
import { absolutePath } from "../common/input.ts";
import { type ConfigScope, configPath } from "../manifest/config-name.ts";
import { judgeManifest } from "../manifest/judge.ts";
import { lintNotes } from "../manifest/lint.ts";
import { destinationOf } from "./destination.ts";
import { requireConfigName } from "./name.ts";

const NAME = "init-land";

export interface LandOptions {
  tmp: string | undefined;
  name: string | undefined;
  scope: string | undefined;
}

/** Lint a written manifest, then make it the named config in one rename (docs/spec/craft-engine.md 14). */
export async function initLand(host: Host, options: LandOptions): Promise<Outcome<{ path: string }>> {
  if (options.tmp === undefined || options.tmp === "") {
    throw failure(NAME, "usage: init-land TMP NAME [--scope local|user]", 1);
  }
  const name = requireConfigName(NAME, options.name);
  const scope = requireScope(NAME, options.scope);
  const destination = destinationOf(host, NAME, name, scope);
  const source = absolutePath(host, options.tmp);
  if (!(lstatSync(source, { throwIfNoEntry: false })?.isFile() ?? false)) {
    throw failure(NAME, `${printable(options.tmp)} is no regular file`, 1);
  }
  await requireValid(host, options.tmp);
  const notes = shadowNotes(host, name, scope, NAME);
  try {
    renameSync(source, destination);
    syncDirectory(dirname(destination));
  } catch (error) {
    throw failure(NAME, `cannot move ${printable(options.tmp)} to ${destination}: ${reasonOf(error)}`, 1);
  }
  return { data: { path: destination }, text: destination, notes };
}

/** A scope's word, `local` when none is given. */
export function requireScope(verb: string, scope: string | undefined): ConfigScope {
  if (scope === undefined || scope === "") return "local";
  if (scope === "local" || scope === "user") return scope;
  throw failure(verb, `unknown --scope ${JSON.stringify(scope)}: must be one of local, user`, 1);
}

/** The manifest's lint lines as a failure when it is invalid; its references count from where it lies. */
export async function requireValid(host: Host, path: string): Promise<string[]> {
  const verdict = await judgeManifest(host, path, { strict: false });
  const notes = lintNotes(host, verdict);
  if (verdict.status === "invalid") throw failureLines(notes, 1);
  return notes;
}

/** That a local config of the same name will hide the one written to user scope. */
export function shadowNotes(host: Host, name: string, scope: ConfigScope, verb: string): string[] {
  if (scope === "local" || !isRegularFile(configPath(host, name, "local")!)) return [];
  const path = `.claude/craft-${name}.md`;
  return [`${verb}: warning: local ${path} exists and will shadow this user-scope config at read time`];
}
