import { shellQuote as quote } from "../../kernel/text/shell-word.ts";
import type { CompletionTree, WordSource } from "./completable.ts";

/** How one shell turns a source of words into candidates. */
interface Dialect {
  words(words: readonly string[]): string;
  command(line: string): string;
  files: string;
  directories: string;
}

const BASH: Dialect = {
  words: (words) => `COMPREPLY=($(compgen -W ${quote(words.join(" "))} -- "$cur"))`,
  command: (line) => `COMPREPLY=($(compgen -W "$(${line})" -- "$cur"))`,
  files: 'COMPREPLY=($(compgen -f -- "$cur"))',
  directories: 'COMPREPLY=($(compgen -d -- "$cur"))',
};

const ZSH: Dialect = {
  words: (words) => `compadd -- ${words.map(quote).join(" ")}`,
  command: (line) => `compadd -- \${(f)"$(${line})"}`,
  files: "_files",
  directories: "_files -/",
};

/** bash 3.2 or later. */
export function renderBash(tree: CompletionTree): string {
  return `# bash completion for jig
_jig() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" reached="jig" word
  COMPREPLY=()
  # --flag=value arrives as three words.
  if [ "$cur" = "=" ]; then cur=""; elif [ "$prev" = "=" ]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${walk(tree)}
  done
${candidates(tree, BASH)}
}
complete -o bashdefault -F _jig jig
`;
}

/** zsh with compinit. */
export function renderZsh(tree: CompletionTree): string {
  return `#compdef jig
_jig() {
  local cur="$words[CURRENT]" prev="$words[CURRENT-1]" reached="jig" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
${walk(tree)}
  done
${candidates(tree, ZSH)}
}
if [ "$funcstack[1]" = "_jig" ]; then _jig "$@"; else compdef _jig jig; fi
`;
}

/** One step from `reached` by `word`; a word that is no verb of a group leads nowhere. */
function walk({ commands, groups }: CompletionTree): string {
  const places = [...groups.slice(1), ...commands].map(({ path }) => written(path));
  return [
    'case "$reached $word" in',
    `  ${places.join("|")}) reached="$reached $word" ;;`,
    `  *) case "$word" in -*) ;; *) case "$reached" in ${groups.map(({ path }) => written(path)).join("|")}) reached="" ;; esac ;; esac ;;`,
    "esac",
  ]
    .map((line) => `    ${line}`)
    .join("\n");
}

function candidates({ commands, groups }: CompletionTree, dialect: Dialect): string {
  const lines = ['case "$reached $prev" in'];
  for (const command of commands) {
    for (const flag of command.flags) {
      if (flag.isSwitch) continue;
      const found = flag.takes === undefined ? ":" : valuesOf(flag.takes, dialect);
      lines.push(`  ${written([...command.path, flag.name])}) ${found}; return ;;`);
    }
  }
  lines.push("esac", 'case "$reached" in');
  for (const { path, verbs } of groups) {
    lines.push(`  ${written(path)}) ${dialect.words(verbs.map(({ name }) => name))} ;;`);
  }
  for (const command of commands) {
    const flags = dialect.words(command.flags.map((flag) => flag.name));
    const other = command.positional === undefined ? ":" : valuesOf(command.positional, dialect);
    lines.push(`  ${written(command.path)}) case "$cur" in -*) ${flags} ;; *) ${other} ;; esac ;;`);
  }
  lines.push("esac");
  return lines.map((line) => `  ${line}`).join("\n");
}

/** A place as the scripts name it. */
function written(path: readonly string[]): string {
  return `"${["jig", ...path].join(" ")}"`;
}

function valuesOf(source: WordSource, dialect: Dialect): string {
  if ("words" in source) return dialect.words(source.words);
  if ("paths" in source) return source.paths === "file" ? dialect.files : dialect.directories;
  const { command, column } = source.list;
  return dialect.command(`jig ${command} 2>/dev/null | cut -f${column}`);
}
