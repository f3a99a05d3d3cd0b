import type { Translate } from "../../kernel/call/room.ts";

const KNOWN = new Set(["--run", "--session", "--phase", "--since", "--until", "--dir", "--ledger"]);

/** Under its upstream names `metrics emit` passes over what it does not know (docs/spec/craft-run.md 1.2). */
export const translate: Translate = (words) => {
  const kept: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const [name] = word.split("=", 1);
    if (!KNOWN.has(name!)) continue;
    kept.push(word);
    if (word === name && index + 1 < words.length) kept.push(words[++index]!);
  }
  return { words: kept };
};
