import type { Translate } from "../../kernel/call/room.ts";

/** `governing-corpus.sh`: its words are paths, whatever they begin with (docs/spec/craft-run.md 6.4). */
export const translate: Translate = (words) => ({ words: ["--", ...words] });
