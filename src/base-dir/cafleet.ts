import type { Translate } from "../kernel/call/room.ts";

/** `cafleet [--json] [--pretty] [--session-id X] base-dir …` as words of `jig base-dir` (docs/spec/base-dir.md section 2). */
export const translate: Translate = (words) => {
  let asksForJson = false;
  let pretty = false;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index]!;
    if (word === "--json") asksForJson = true;
    else if (word === "--pretty") pretty = true;
    else if (word === "--session-id") index++;
    else if (!word.startsWith("--session-id=")) break;
  }
  const command = words[index];
  if (command === "--help" || command === "-h") return { words: ["--help"] };
  if (command !== "base-dir") {
    const named = command === undefined ? "no subcommand given" : `unknown subcommand '${command}'`;
    return { usage: `${named}; jig provides only base-dir under this name` };
  }
  const rest = words.slice(index + 1);
  const separator = rest.indexOf("--");
  const before = separator < 0 ? rest : rest.slice(0, separator);
  const json = asksForJson && !before.includes("--json") ? ["--json"] : [];
  // The verb first, so that the added flag belongs to it.
  const [verb, ...others] = rest;
  const own = verb === undefined ? [] : [verb];
  return { words: [...own, ...json, ...others], ...(pretty ? { json: "indented" } : {}) };
};
