/** What the words after `env` come to: where the command stands (undefined without one), or why it is refused. */
export type EnvArgv = { command: number | undefined } | { problem: string };

const TAKES_NEXT = new Set(["--unset", "--chdir"]);
const ONE_WORD =
  /^(--unset=.*|--chdir=.*|--ignore-environment|--debug|--list-signal-handling|--(block|default|ignore)-signal(=.*)?)$/s;

/**
 * Read the words after `env` up to its command (docs/spec/jobs.md 12.6). Everything that is not certain is refused: a
 * misread option would make the wrong word the command.
 */
export function parseEnvArgv(words: readonly string[]): EnvArgv {
  let optionsEnded = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (optionsEnded || !word.startsWith("-")) {
      if (!word.includes("=")) return { command: index };
      optionsEnded = true;
      continue;
    }
    if (word === "-" || word === "--") {
      optionsEnded = true;
      continue;
    }
    const step = word.startsWith("--") ? longOption(word) : shortCluster(word);
    if (typeof step === "string") return { problem: step };
    index += step;
  }
  return { command: undefined };
}

/** How many words after this one belong to it, or a problem. */
function longOption(word: string): number | string {
  if (word === "--split-string" || word.startsWith("--split-string=")) return SPLIT_STRING;
  if (word === "--null") return NULL_OUTPUT;
  if (TAKES_NEXT.has(word)) return 1;
  if (ONE_WORD.test(word)) return 0;
  return (
    `unsupported env long option '${word}' for native Windows peer workers; ` +
    "use an exact supported option or pass -- before option-like assignments"
  );
}

function shortCluster(word: string): number | string {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at]!;
    if (letter === "i" || letter === "v") continue;
    // The rest of the word is the operand, or the next word when nothing is left.
    if (letter === "u" || letter === "C") return at === word.length - 1 ? 1 : 0;
    if (letter === "S") return SPLIT_STRING;
    if (letter === "0") return NULL_OUTPUT;
    return (
      `unsupported env short-option cluster '${word}' for native Windows peer workers; ` +
      "pass env options separately"
    );
  }
  return 0;
}

const SPLIT_STRING =
  "env -S/--split-string is unsupported for native Windows peer workers; " +
  "pass env assignments and the command as separate arguments";
const NULL_OUTPUT =
  "env -0/--null cannot be used with a command by native Windows peer workers; remove the null-output option";
