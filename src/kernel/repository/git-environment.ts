import { isReadable } from "../call/environment.ts";
import type { Host } from "../call/host.ts";

type Pairs = readonly (readonly [key: string, value: string])[];

// What makes git look at another repository, index, object store or configuration than the directory it runs in.
const REDIRECTING =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|PREFIX|GRAFT_FILE|REPLACE_REF_BASE|NO_REPLACE_OBJECTS|SHALLOW_FILE|QUARANTINE_PATH|IMPLICIT_WORK_TREE|ATTR_SOURCE|REFLOG_ACTION|LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS|EXTERNAL_DIFF|DIFF_OPTS|PAGER|PAGER_IN_USE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_VALUE_\d+|TRACE.*|INTERNAL_.*)$/;
const REDIRECTING_KEY = /^(core\.(worktree|bare|gitdir|fsmonitor|pager|editor)|alias\.|pager\.)/i;

const LOOKED_AT = /^(HOME|PATH|TMPDIR|XDG_.*|GIT_.*|SSH_.*|GNUPGHOME|CURL_.*|.*_proxy)$/i;

/**
 * The environment for git: the host's without what redirects the repository, and with what keeps git from asking,
 * paging, colouring, translating or taking optional locks. Injected settings (`GIT_CONFIG_COUNT`) that do not
 * redirect stay: containers pass `safe.directory` that way. `config` is set as `git -c` would, the last of equal keys
 * winning, but out of the argument list.
 */
export function gitEnvironment(
  host: Pick<Host, "env">,
  config: Pairs = [],
): Record<string, string | undefined> {
  const env: Record<string, string | undefined> = {};
  for (const name of Object.keys(host.env)) {
    if (REDIRECTING.test(name)) continue;
    // What git and its helpers do not look at may stay behind; what they do is refused by name.
    if (isReadable(host.env, name) || LOOKED_AT.test(name)) env[name] = host.env[name];
  }
  const ssh = env["GIT_SSH_COMMAND"] || "ssh";
  return Object.assign(
    env,
    {
      LC_ALL: "C",
      LANGUAGE: undefined,
      GIT_TERMINAL_PROMPT: "0",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_PAGER: "cat",
      GIT_EDITOR: ":",
      GIT_SEQUENCE_EDITOR: ":",
      GIT_MERGE_AUTOEDIT: "no",
      GCM_INTERACTIVE: "never",
      GIT_ASKPASS: env["GIT_ASKPASS"] || "true",
      GIT_SSH_COMMAND: ssh.includes("BatchMode") ? ssh : `${ssh} -o BatchMode=yes`,
    },
    configVariables([...inheritedConfig(host.env), ...ALWAYS, ...config]),
  );
}

/** A bare repository is one only where it is named outright: committed inside another it would bring its own settings. */
const ALWAYS: Pairs = [
  ["color.ui", "never"],
  ["safe.bareRepository", "explicit"],
];

function inheritedConfig(env: Host["env"]): [string, string][] {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? "0");
  const pairs: [string, string][] = [];
  for (let index = 0; index < count && index < 1000; index++) {
    const key = env[`GIT_CONFIG_KEY_${index}`];
    const value = env[`GIT_CONFIG_VALUE_${index}`];
    if (key !== undefined && value !== undefined && !REDIRECTING_KEY.test(key)) pairs.push([key, value]);
  }
  return pairs;
}

function configVariables(pairs: Pairs): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(pairs.length) };
  pairs.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}
