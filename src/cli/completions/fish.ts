import type { Completable, CompletionTree, WordSource } from "./completable.ts";

/** fish 3 or later. */
export function renderFish({ commands, groups }: CompletionTree): string {
  const places = [...groups.slice(1), ...commands].map(({ path }) => written(path));
  const lines = [
    "# fish completion for jig",
    "function __jig_at",
    "  set -l reached jig",
    "  for word in (commandline -opc)[2..-1]",
    '    switch "$reached $word"',
    `      case ${places.join(" ")}`,
    '        set reached "$reached $word"',
    "      case '*'",
    `        if contains -- "$reached" ${groups.map(({ path }) => written(path)).join(" ")}`,
    "          string match -q -- '-*' \"$word\"; or set reached nowhere",
    "        end",
    "    end",
    "  end",
    '  test "$reached" = "$argv[1]"',
    "end",
    "complete -c jig -f",
  ];
  for (const { path, verbs } of groups) {
    for (const { name, summary } of verbs) lines.push(`${at(path)} -a ${name} -d ${quote(summary)}`);
  }
  for (const command of commands) lines.push(...fishWords(command));
  return lines.join("\n") + "\n";
}

function fishWords(command: Completable): string[] {
  const on = at(command.path);
  const lines = command.flags.map((flag) => {
    return `${on} -l ${flag.name.slice(2)}${flag.isSwitch ? "" : valueWords(flag.takes)} -d ${quote(flag.summary)}`;
  });
  if (command.positional !== undefined) lines.push(`${on}${fishSource(command.positional)}`);
  return lines;
}

/** A flag's value; names of files are offered only where it is one. */
function valueWords(takes: WordSource | undefined): string {
  if (takes === undefined) return " -x";
  return ("paths" in takes ? " -r" : " -x") + fishSource(takes);
}

function fishSource(source: WordSource): string {
  if ("words" in source) return ` -a ${quote(source.words.join(" "))}`;
  if ("paths" in source) return source.paths === "file" ? " -F" : " -a '(__fish_complete_directories)'";
  const { command, column } = source.list;
  return ` -a ${quote(`(jig ${command} 2>/dev/null | cut -f${column})`)}`;
}

function at(path: readonly string[]): string {
  return `complete -c jig -n ${quote(`__jig_at ${written(path)}`)}`;
}

/** A place as the script names it. */
function written(path: readonly string[]): string {
  return `"${["jig", ...path].join(" ")}"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
