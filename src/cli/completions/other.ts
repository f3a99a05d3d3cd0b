import { type Completable, LISTS, type WordSource } from "./completions.ts";

/** fish 3 or later. */
export function renderFish(commands: readonly Completable[]): string {
  const lines = ["# fish completion for jig", "complete -c jig -f"];
  const groups = new Map<string, Completable[]>();
  for (const command of commands) {
    const [top] = command.path;
    groups.set(top!, [...(groups.get(top!) ?? []), command]);
  }
  for (const [top, members] of groups) {
    lines.push(`complete -c jig -n __fish_use_subcommand -a ${top}`);
    const verbs = members.flatMap((member) => member.path.slice(1));
    for (const member of members) {
      const verb = member.path[1];
      const reached = verb === undefined ? seen([top]) : `${seen([top])}; and ${seen([verb])}`;
      if (verb !== undefined) {
        const before = `${seen([top])}; and not ${seen(verbs)}`;
        lines.push(`complete -c jig -n ${quote(before)} -a ${verb} -d ${quote(member.summary)}`);
      }
      lines.push(...fishWords(reached, member));
    }
  }
  return lines.join("\n") + "\n";
}

function fishWords(condition: string, command: Completable): string[] {
  const on = `complete -c jig -n ${quote(condition)}`;
  const lines = command.flags.map((flag) => {
    const value = flag.isSwitch ? "" : ` -r${flag.takes === undefined ? "" : fishSource(flag.takes)}`;
    return `${on} -l ${flag.name.slice(2)}${value} -d ${quote(flag.summary)}`;
  });
  if (command.positional !== undefined) lines.push(`${on}${fishSource(command.positional)}`);
  return lines;
}

function fishSource(source: WordSource): string {
  if ("words" in source) return ` -a ${quote(source.words.join(" "))}`;
  if (source.source === "file") return " -F";
  if (source.source === "directory") return " -a '(__fish_complete_directories)'";
  return ` -a ${quote(`(${LISTS[source.source]})`)}`;
}

function seen(words: readonly string[]): string {
  return `__fish_seen_subcommand_from ${words.join(" ")}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** Windows PowerShell 5 and PowerShell 7. */
export function renderPowerShell(commands: readonly Completable[]): string {
  const entries = commands.map((command) => {
    const values = command.flags
      .filter((flag) => flag.takes !== undefined && "words" in flag.takes)
      .map((flag) => `${powerQuote(flag.name)} = @(${powerList((flag.takes as { words: string[] }).words)})`);
    const positional = command.positional;
    const words = positional !== undefined && "words" in positional ? positional.words : [];
    const source = positional !== undefined && "source" in positional ? positional.source : "";
    return `  ${powerQuote(command.path.join(" "))} = @{ flags = @(${powerList(command.flags.map((flag) => flag.name))}); values = @{ ${values.join("; ")} }; words = @(${powerList(words)}); source = '${source}' }`;
  });
  return `# PowerShell completion for jig
$jigCommands = @{
${entries.join("\n")}
}
Register-ArgumentCompleter -Native -CommandName jig -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
  if ($wordToComplete -ne '') { $words = @($words | Select-Object -SkipLast 1) }
  $path = if ($words.Count -ge 3 -and $jigCommands.ContainsKey("$($words[1]) $($words[2])")) { "$($words[1]) $($words[2])" } elseif ($words.Count -ge 2) { $words[1] } else { '' }
  $entry = $jigCommands[$path]
  $previous = $words[-1]
  $found = if ($words.Count -eq 1) { $jigCommands.Keys | ForEach-Object { $_.Split(' ')[0] } | Sort-Object -Unique }
  elseif ($null -eq $entry) { $jigCommands.Keys | Where-Object { $_ -like "$path *" } | ForEach-Object { $_.Split(' ')[1] } }
  elseif ($entry.values.ContainsKey($previous)) { $entry.values[$previous] }
  elseif ($wordToComplete -like '-*') { $entry.flags }
  elseif ($entry.source -eq 'job') { jig job list --no-header 2>$null | ForEach-Object { $_.Split("\`t")[3] } }
  elseif ($entry.source -eq 'skill') { jig skills list 2>$null | ForEach-Object { $_.Split("\`t")[0] } }
  else { $entry.words }
  $found | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;
}

function powerList(words: readonly string[]): string {
  return words.map(powerQuote).join(", ");
}

function powerQuote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
