/** A command line cut into words, or why it is not one simple command that every shell reads alike. */
export type ShellWords = { words: string[] } | { problem: string };

const OPERATORS: Readonly<Record<string, string>> = {
  "|": "a pipe",
  ">": "a redirection",
  "<": "a redirection",
  "&": "an & operator",
  ";": "a ;",
  "`": "a backtick",
  $: "a $",
  "(": "a parenthesis",
  ")": "a parenthesis",
};

/** Cut a line as sh, PowerShell and cmd all would (rule S021): quotes group words, and inside them only `$` and backtick count. */
export function shellWords(line: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of line) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else if (character === "$" || character === "`")
        return { problem: `${OPERATORS[character]} inside quotes` };
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "#" && word === undefined) {
      return { problem: "a comment" };
    } else {
      const operator = OPERATORS[character];
      if (operator !== undefined) return { problem: operator };
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return { problem: "a quote that is not closed" };
  if (word !== undefined) words.push(word);
  return { words };
}
