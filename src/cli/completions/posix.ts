import { shellQuote as quote } from "../../kernel/text/shell-word.ts";
import { type Completable, LISTS, type WordSource } from "./completions.ts";

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
export function renderBash(commands: readonly Completable[]): string {
  return `# bash completion for jig
_jig() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" position="$COMP_CWORD" reached
  COMPREPLY=()
  # --flag=value arrives as three words.
  if [ "$cur" = "=" ]; then cur=""; elif [ "$prev" = "=" ]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
${body(commands, BASH)}
}
complete -o bashdefault -F _jig jig
`;
}

/** zsh with compinit. */
export function renderZsh(commands: readonly Completable[]): string {
  return `#compdef jig
_jig() {
  local cur="$words[CURRENT]" prev="$words[CURRENT-1]"
  local first="$words[2]" second="$words[3]" position="$((CURRENT - 1))" reached
${body(commands, ZSH)}
}
if [ "$funcstack[1]" = "_jig" ]; then _jig "$@"; else compdef _jig jig; fi
`;
}

function body(commands: readonly Completable[], dialect: Dialect): string {
  const tops = [...new Set(commands.map((command) => command.path[0]!))];
  const groups = tops.filter((top) => commands.some((command) => command.path[0] === top && command.path[1]));
  const verbs = (group: string) =>
    commands.filter((command) => command.path[0] === group).map((command) => command.path[1]!);
  const lines = [`if [ "$position" -eq 1 ]; then ${dialect.words(tops)}; return; fi`, 'case "$first" in'];
  for (const group of groups) {
    const pick = `if [ "$position" -eq 2 ]; then ${dialect.words(verbs(group))}; return; fi`;
    lines.push(`  ${group}) ${pick}; reached="$first $second" ;;`);
  }
  lines.push('  *) reached="$first" ;;', "esac", 'case "$reached $prev" in');
  for (const command of commands) {
    for (const flag of command.flags) {
      if (flag.isSwitch) continue;
      const found = flag.takes === undefined ? ":" : candidates(flag.takes, dialect);
      lines.push(`  "${command.path.join(" ")} ${flag.name}") ${found}; return ;;`);
    }
  }
  lines.push("esac", 'case "$reached" in');
  for (const command of commands) {
    const flags = dialect.words(command.flags.map((flag) => flag.name));
    const other = command.positional === undefined ? ":" : candidates(command.positional, dialect);
    lines.push(`  "${command.path.join(" ")}") case "$cur" in -*) ${flags} ;; *) ${other} ;; esac ;;`);
  }
  lines.push("esac");
  return lines.map((line) => `  ${line}`).join("\n");
}

function candidates(source: WordSource, dialect: Dialect): string {
  if ("words" in source) return dialect.words(source.words);
  if (source.source === "file") return dialect.files;
  if (source.source === "directory") return dialect.directories;
  return dialect.command(LISTS[source.source]);
}
