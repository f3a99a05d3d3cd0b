import type { Completable, CompletionTree } from "./completable.ts";

/** Windows PowerShell 5 and PowerShell 7. */
export function renderPowerShell({ commands, groups }: CompletionTree): string {
  const groupEntries = groups.map(
    ({ path, verbs }) => `  ${quote(path.join(" "))} = @(${list(verbs.map(({ name }) => name))})`,
  );
  return `# PowerShell completion for jig
$jigGroups = @{
${groupEntries.join("\n")}
}
$jigCommands = @{
${commands.map(entry).join("\n")}
}
Register-ArgumentCompleter -Native -CommandName jig -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
  if ($wordToComplete -ne '') { $words = @($words | Select-Object -SkipLast 1) }
  $reached = ''
  foreach ($word in @($words | Select-Object -Skip 1)) {
    $next = "$reached $word".Trim()
    if ($jigGroups.ContainsKey($next) -or $jigCommands.ContainsKey($next)) { $reached = $next }
    elseif ($jigGroups.ContainsKey($reached) -and $word -notlike '-*') { return }
  }
  $entry = $jigCommands[$reached]
  $previous = $words[-1]
  $found = if ($jigGroups.ContainsKey($reached)) { $jigGroups[$reached] }
  elseif ($entry.values.ContainsKey($previous)) { $entry.values[$previous] }
  elseif ($wordToComplete -like '-*') { $entry.flags }
  elseif ($entry.lists -ne '') {
    $listing = $entry.lists.Split(' ')
    jig @listing 2>$null | ForEach-Object { $_.Split("\`t")[$entry.column] }
  }
  else { $entry.words }
  $found | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;
}

function entry({ path, flags, positional }: Completable): string {
  const values = flags.flatMap(({ name, takes }) =>
    takes !== undefined && "words" in takes ? [`${quote(name)} = @(${list(takes.words)})`] : [],
  );
  const words = positional !== undefined && "words" in positional ? positional.words : [];
  const listed = positional !== undefined && "list" in positional ? positional.list : undefined;
  const members = [
    `flags = @(${list(flags.map(({ name }) => name))})`,
    `values = @{ ${values.join("; ")} }`,
    `words = @(${list(words)})`,
    `lists = ${quote(listed?.command ?? "")}`,
    `column = ${(listed?.column ?? 1) - 1}`,
  ];
  return `  ${quote(path.join(" "))} = @{ ${members.join("; ")} }`;
}

function list(words: readonly string[]): string {
  return words.map(quote).join(", ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
