import { DROP_IN_NAMES } from "../../kernel/shared/drop-in-names.ts";
import { withoutExtension } from "./aliases.ts";

/** A call under a drop-in name, as jig's own words. */
export interface AliasCall {
  words: string[];
  /** What errors begin with: `peer-job-runner: `. */
  prefix: string;
  /** JSON indented by two. */
  pretty: boolean;
}

/** Turn the words of a call under a drop-in name into jig's own; a message when the name does not provide them. */
export function aliasCall(name: string, words: readonly string[]): AliasCall | { usage: string } {
  const prefix = `${withoutExtension(name)}: `;
  if (name === "cafleet") return cafleetCall(words, prefix);
  // Upstream has no such flag, and a caller may test for that (docs/spec/packs.md section 1).
  if (name === "packs-resolve.py" && words.includes("--json"))
    return { usage: `${prefix}unknown flag --json` };
  return { words: [...DROP_IN_NAMES[name]!, ...words], prefix, pretty: false };
}

/** `cafleet [--json] [--pretty] [--session-id X] base-dir …` (docs/spec/base-dir.md section 2). */
function cafleetCall(words: readonly string[], prefix: string): AliasCall | { usage: string } {
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
  if (command === "--help" || command === "-h") {
    return { words: ["base-dir", "--help"], prefix, pretty };
  }
  if (command !== "base-dir") {
    const named = command === undefined ? "no subcommand given" : `unknown subcommand '${command}'`;
    return { usage: `${prefix}${named}; jig provides only base-dir under this name` };
  }
  const rest = words.slice(index + 1);
  const separator = rest.indexOf("--");
  const before = separator < 0 ? rest : rest.slice(0, separator);
  const json = globals.length > 0 && !before.includes("--json") ? ["--json"] : [];
  // The verb first, so that the added flag belongs to it.
  const [verb, ...others] = rest;
  const own = verb === undefined ? [] : [verb];
  return { words: ["base-dir", ...own, ...json, ...others], prefix, pretty };
}
