/**
 * What git would run because a repository's configuration says so, and how each call is kept from it. A repository is
 * content: a clone, an unpacked archive, a bare repository committed inside another. What `git help config` documents
 * as a command falls in three kinds: keys with one name are overridden for every call (`INERT`), keys with a name of
 * the repository's choosing are read first and overridden one by one (`overridesFor`), and where the first value wins
 * or an empty one would be run, the command line says so (`flags`).
 */

import type { Environment } from "../call/environment.ts";

/** The commands jig gives git, with what each needs so that nothing of the repository runs. */
export const GIT_COMMANDS = {
  "--version": {},
  "cat-file": {},
  "check-attr": { readsFirst: true },
  "check-ignore": { readsFirst: true },
  "check-ref-format": {},
  clone: { network: true, readsFirst: true, flags: ["--upload-pack=git-upload-pack"] },
  config: {},
  "count-objects": {},
  "for-each-ref": {},
  init: {},
  "ls-files": { readsFirst: true },
  "ls-tree": {},
  "merge-base": {},
  remote: {},
  "rev-list": {},
  "rev-parse": {},
  "show-ref": {},
  "symbolic-ref": { readsFirst: true },
  add: { readsFirst: true, stores: true },
  apply: { readsFirst: true },
  blame: { readsFirst: true, flags: ["--no-textconv"] },
  branch: { readsFirst: true },
  checkout: { readsFirst: true },
  "checkout-index": { readsFirst: true },
  "cherry-pick": { readsFirst: true },
  commit: { readsFirst: true, stores: true },
  diff: { readsFirst: true, flags: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"] },
  "diff-files": { readsFirst: true, flags: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"] },
  "diff-index": { readsFirst: true, flags: ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"] },
  "diff-tree": { readsFirst: true, flags: ["--no-ext-diff", "--no-textconv"] },
  fetch: {
    network: true,
    readsFirst: true,
    flags: ["--upload-pack=git-upload-pack", "--no-recurse-submodules"],
  },
  "hash-object": { readsFirst: true },
  log: { readsFirst: true, flags: ["--no-ext-diff", "--no-textconv"] },
  "ls-remote": { network: true, readsFirst: true, flags: ["--upload-pack=git-upload-pack"] },
  merge: { readsFirst: true },
  "merge-tree": { readsFirst: true },
  push: {
    network: true,
    readsFirst: true,
    flags: ["--receive-pack=git-receive-pack", "--recurse-submodules=no"],
  },
  rebase: { readsFirst: true },
  reset: { readsFirst: true },
  restore: { readsFirst: true },
  revert: { readsFirst: true },
  rm: { readsFirst: true },
  show: { readsFirst: true, flags: ["--no-ext-diff", "--no-textconv"] },
  stash: { readsFirst: true, stores: true },
  status: { readsFirst: true, flags: ["--ignore-submodules=dirty"] },
  switch: { readsFirst: true },
  tag: { readsFirst: true },
  "update-index": { readsFirst: true, stores: true },
  "update-ref": { readsFirst: true },
  worktree: { readsFirst: true },
} as const satisfies Record<string, CommandTraits>;

interface CommandTraits {
  /**
   * It reads the index, or may fire a hook, a filter, a driver or a helper that the configuration names by a name of
   * its own: the settings in force are read before, and that this git takes ours is seen by that.
   */
  readsFirst?: boolean;
  /** It takes content into the repository: what a filter was to encrypt must not go in as it is, so it fails instead. */
  stores?: boolean;
  /** It talks to another repository because the caller says so, not because an object is missing. */
  network?: boolean;
  /** Put behind the command, so that the caller's own flags still win. */
  flags?: readonly string[];
}

export type GitCommand = keyof typeof GIT_COMMANDS;

/** How a command is kept from the repository's programs. */
export function traitsOf(command: GitCommand): CommandTraits {
  return GIT_COMMANDS[command];
}

/**
 * The transports of a command. Without one, git would fetch a missing object from where a partial clone's configuration
 * says, by the program it says.
 */
export function transportVariables(command: GitCommand, env: Environment): Record<string, string> {
  const own = env["GIT_ALLOW_PROTOCOL"] || "http:https:git:ssh:file";
  return traitsOf(command).network
    ? { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: own }
    : { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
}

/** A program that fails at once: who asks for a signature or a merge by it gets an error, never a wrong yes. */
const FAILS = "false";

/** Overrides of every call that runs nothing of the repository's. Editors, pagers and ssh are told by environment. */
export const INERT: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.alternateRefsCommand", ":"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["tag.forceSignAnnotated", "false"],
  ["push.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["merge.verifySignatures", "false"],
  ["gpg.program", FAILS],
  ["gpg.openpgp.program", FAILS],
  ["gpg.x509.program", FAILS],
  ["gpg.ssh.program", FAILS],
  ["gpg.ssh.defaultKeyCommand", FAILS],
  // A fetch must not go on to clean up, which has hooks of its own.
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
];

/** Whether a git took the settings of the call: older ones ignore the variables they come in. */
export function areInForce(settings: readonly Setting[]): boolean {
  return settings.some(({ scope, key }) => scope === "command" && key === "core.fsmonitor");
}

/** One setting in force: where it was found, its key as git prints it, its value. */
export interface Setting {
  scope: string;
  key: string;
  value: string;
}

/** The settings of `git config --list --show-scope -z`. */
export function settingsOf(records: readonly string[]): Setting[] {
  const settings: Setting[] = [];
  for (let index = 0; index + 1 < records.length; index += 2) {
    const [key, ...value] = records[index + 1]!.split("\n");
    settings.push({ scope: records[index]!, key: key!, value: value.join("\n") });
  }
  return settings;
}

/** What takes a repository's programs out of the settings in force. */
export interface Overrides {
  config: [key: string, value: string][];
  env: Record<string, string>;
}

/**
 * Overrides of a command for the programs that have a name of the repository's choosing. With `filters: "none"` the
 * user's own filters go, too.
 */
export function overridesFor(
  command: GitCommand,
  settings: readonly Setting[],
  filters: "user" | "none",
): Overrides {
  // Without a program git passes the content through where it may, and stops where the filter is required.
  const required = String(traitsOf(command).stores === true);
  const overrides: Overrides = { config: [], env: {} };
  let helpers = false;
  for (const { scope, key } of settings) {
    const [section, name, variable] = partsOf(key);
    if (section === "filter" && (filters === "none" || isOfRepository(scope))) {
      if (variable !== "required") overrides.config.push([key, ""]);
      overrides.config.push([`filter.${name}.required`, required]);
    }
    if (!isOfRepository(scope)) continue;
    if (section === "merge" && variable === "driver") overrides.config.push([key, FAILS]);
    else if (section === "hook") overrides.config.push([`hook.${name}.enabled`, "false"]);
    else if (section === "credential" && variable === "helper") helpers = true;
    else if (section === "core" && variable === "gitproxy") overrides.env["GIT_PROXY_COMMAND"] = "";
  }
  if (helpers) {
    // An empty helper forgets those before it; the user's own come again behind it.
    overrides.config.push(["credential.helper", ""]);
    for (const { scope, key, value } of settings) {
      const [section, , variable] = partsOf(key);
      const isHelper = section === "credential" && variable === "helper";
      if (isHelper && !isOfRepository(scope)) overrides.config.push([key, value]);
    }
  }
  return overrides;
}

function isOfRepository(scope: string): boolean {
  return scope === "local" || scope === "worktree";
}

/** Section and variable as git prints them, in lower case; the name between them is as written, and may hold dots. */
function partsOf(key: string): [section: string, name: string, variable: string] {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return [key.slice(0, first), key.slice(first + 1, Math.max(first + 1, last)), key.slice(last + 1)];
}
