import type { DropInName, JsonForm } from "../../kernel/call/room.ts";
import type { Variant } from "../parse/reach.ts";
import { dropInNames, knownName, withoutExtension } from "./names.ts";
import { variantOf } from "./variant.ts";

/** A call made under a drop-in name. */
export interface Alias extends Variant {
  name: string;
  /** What errors begin with: `peer-job-runner: `. */
  prefix: string;
  json: JsonForm | undefined;
}

/** Jig's own words for a call, with the name it was made under if that is a drop-in name; or why there are none. */
export async function underName(
  invokedAs: string,
  words: readonly string[],
  platform: NodeJS.Platform,
): Promise<{ words: readonly string[]; alias?: Alias } | { usage: string }> {
  if (words[0] !== "--as") {
    const known = knownName(invokedAs, platform);
    return known === undefined ? { words } : calledAs(known.name, known.meaning, words);
  }
  const known = words[1] === undefined ? undefined : knownName(words[1], platform);
  if (known !== undefined) return calledAs(known.name, known.meaning, words.slice(2));
  const problem = words[1] === undefined ? "--as needs a name" : `--as: unknown name '${words[1]}'`;
  return { usage: `jig: ${problem}; expected one of ${dropInNames().join(", ")}` };
}

async function calledAs(
  name: string,
  meaning: DropInName,
  words: readonly string[],
): Promise<{ words: readonly string[]; alias: Alias } | { usage: string }> {
  const prefix = meaning.prefix ?? `${withoutExtension(name)}: `;
  const said = meaning.translate === undefined ? { words } : (await meaning.translate()).translate(words);
  if ("usage" in said) return { usage: prefix + said.usage };
  const json = ("json" in said ? said.json : undefined) ?? meaning.json;
  return { words: [...meaning.words, ...said.words], alias: { ...variantOf(meaning), name, prefix, json } };
}
