import { JigError } from "../../kernel/call/errors.ts";
import { printable } from "../../kernel/text/printable.ts";

/** Longest run-id, in characters. */
const MAX_RUN_ID = 200;

/** Whether a word is a run-id (docs/spec/craft-run.md 1.2). */
export function isRunId(word: string): boolean {
  return word.length <= MAX_RUN_ID && /^[a-z0-9][a-z0-9-]*$/.test(word) && !word.endsWith("\n");
}

/** Whether a word is a phase id. */
export function isPhaseId(word: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(word) && !word.endsWith("\n");
}

/** A run-id, or the verb's usage failure (exit 2) that shows the value. */
export function requireRunId(prefix: string, word: string): string {
  if (isRunId(word)) return word;
  throw new JigError(`${prefix}invalid run-id: ${shown(word)}`, { exitCode: 2, verbatim: true });
}

/** A phase id, or the verb's usage failure (exit 2). */
export function requirePhase(prefix: string, word: string): string {
  if (isPhaseId(word)) return word;
  throw new JigError(`${prefix}invalid phase: ${shown(word)}`, { exitCode: 2, verbatim: true });
}

/** Untrusted text in a diagnostic: control characters escaped as `\xNN`, at most 200 characters. */
export function shown(text: string): string {
  const cut = [...text.slice(0, 400)].slice(0, 200).join("");
  const escaped = cut.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return printable(escaped);
}
