import { programOf } from "./program.ts";
import { readShell } from "./read.ts";
import type { ShellCommand, Variables } from "./words.ts";

/** Shells inside shells that are followed. */
const DEEPEST = 8;

const SHELLS = ["sh", "bash", "dash", "ksh", "zsh"];

/** One command, the text it stands in, and whether that is what another shell is given. */
export type CommandVisitor = (command: ShellCommand, text: string, nested: boolean) => void;

/**
 * Read a command text and what the shells in it are given: the argument of `-c`, here-documents and here-strings. Each
 * level is no longer than the one around it, so the whole is linear in the text.
 */
export function readCommands(text: string, variables: Variables, visit: CommandVisitor): void {
  let texts = [text];
  for (let depth = 0; depth <= DEEPEST && texts.length > 0; depth++) {
    const inner: string[] = [];
    for (const one of texts) {
      readShell(one, variables, {
        command(command) {
          visit(command, one, depth > 0);
          for (const script of scriptsOf(command)) inner.push(script);
        },
        hereDocument(command, body) {
          if (isShell(command)) inner.push(body);
        },
      });
    }
    texts = inner;
  }
}

function isShell({ words }: ShellCommand): boolean {
  const program = programOf(words);
  return program !== undefined && SHELLS.includes(program.name);
}

/** What a shell is told to run by the command itself. */
function scriptsOf(command: ShellCommand): string[] {
  const program = programOf(command.words);
  if (program === undefined || !SHELLS.includes(program.name)) return [];
  const scripts = command.redirections
    .filter(({ operator }) => operator === "<<<")
    .map(({ word }) => word.value);
  const at = program.args.findIndex(({ value }) => isCommandOption(value));
  const script = at < 0 ? undefined : program.args[at + 1]?.value;
  return script === undefined ? scripts : [...scripts, script];
}

/** `-c`, also behind other letters: `-lc`. */
function isCommandOption(value: string): boolean {
  return value.startsWith("-") && !value.startsWith("--") && value.endsWith("c");
}
