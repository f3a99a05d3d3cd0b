/** How a drop-in name turns into a jig call (spec/cli.md section 3). */
export interface Alias {
  /** The jig command the name stands for. */
  command: readonly string[];
  /** What errors begin with: `peer-job-runner: `. */
  prefix: string;
  /** Rewrites the words when the name has global flags of its own. Returns a message for a usage error. */
  adapt?(words: readonly string[]): { words: string[]; pretty?: boolean } | { usage: string };
}

/** Every upstream name jig answers to. `jig link` writes exactly these. */
export const ALIASES: Record<string, Alias> = {
  cafleet: { command: [], prefix: "cafleet: ", adapt: adaptCafleet },
  "peer-job-runner.py": { command: ["job"], prefix: "peer-job-runner: " },
  "light-webserver.js": { command: ["web"], prefix: "light-webserver: " },
  "packs-resolve.py": { command: ["packs", "resolve"], prefix: "packs-resolve: " },
  "elevation-dispatch.sh": { command: ["elevate"], prefix: "elevation-dispatch: " },
};

/**
 * The alias an executable's name stands for: a name of the table with or without its extension; on Windows without
 * regard to case and with an optional `.exe`. Undefined for any other name, which is plain jig.
 */
export function aliasOf(invokedAs: string, platform: NodeJS.Platform): string | undefined {
  let name = invokedAs.slice(Math.max(invokedAs.lastIndexOf("/"), invokedAs.lastIndexOf("\\")) + 1);
  if (platform === "win32") name = name.toLowerCase().replace(/\.exe$/, "");
  for (const candidate of Object.keys(ALIASES)) {
    const known = platform === "win32" ? candidate.toLowerCase() : candidate;
    if (name === known || name === known.replace(/\.(py|js|sh)$/, "")) return candidate;
  }
  return undefined;
}

/** `cafleet [--json] [--pretty] [--session-id X] base-dir …` (spec/base-dir.md section 2). */
function adaptCafleet(words: readonly string[]): { words: string[]; pretty?: boolean } | { usage: string } {
  const globals: string[] = [];
  let pretty = false;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index]!;
    if (word === "--json") globals.push("--json");
    else if (word === "--pretty") pretty = true;
    else if (word === "--session-id") index++;
    else if (!word.startsWith("--session-id=")) break;
  }
  const command = words[index];
  if (command === "--help" || command === "-h") return { words: ["base-dir", "--help"] };
  if (command !== "base-dir") {
    const named = command === undefined ? "no subcommand given" : `unknown subcommand '${command}'`;
    return { usage: `${named}; jig provides only base-dir under this name` };
  }
  const rest = words.slice(index + 1);
  const separator = rest.indexOf("--");
  const before = separator < 0 ? rest : rest.slice(0, separator);
  const json = globals.length > 0 && !before.includes("--json") ? ["--json"] : [];
  // The verb first, so that the added flag belongs to it.
  const [verb, ...others] = rest;
  const own = verb === undefined ? [] : [verb];
  return { words: ["base-dir", ...own, ...json, ...others], ...(pretty ? { pretty } : {}) };
}
