import { CHECKS, type CheckId } from "./checks.ts";

/** What a whole run found (test/hosts/result.json). */
export interface Result {
  hosts: {
    name: string;
    title: string;
    version: string;
    checks: Partial<Record<CheckId, { ok: boolean; seen: string }>>;
  }[];
}

/** `docs/hosts.md`: what the runs showed, and what follows from it for a person or a skill. */
export function hostsPage({ hosts }: Result): string {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const ids = (Object.keys(CHECKS) as CheckId[]).filter((id) => hosts.some(({ checks }) => checks[id]));
  const cell = (seen: { ok: boolean; seen: string } | undefined) =>
    seen === undefined ? "–" : seen.ok ? "yes" : `**no**: ${seen.seen}`;
  const table =
    row(["check", ...hosts.map(({ title, version }) => `${title} ${version}`)]) +
    row(["---", ...hosts.map(() => "---")]) +
    ids.map((id) => row([CHECKS[id], ...hosts.map(({ checks }) => cell(checks[id]))])).join("");
  return `${HEAD}${table}${TAIL}`;
}

const HEAD = `# The agents jig runs under

The real command-line agents against a scripted model, without a network, on Linux. \`npm run test:hosts\` wrote this page;
what it says beside the table stands in \`test/hosts/report.ts\`.

## What was tried

`;

const TAIL = `
A dash: does not apply. Of the four only Codex puts a sandbox around a call by itself; the other rows are without it
(\`-s danger-full-access\`).

## How long to wait in one call

A call that lasts longer than its host lets it is moved to the background, or killed. Nothing is lost by that (above), but
its answer may come late or never, so ask in calls that are shorter. That a call goes on or is killed, and Codex's times, were
seen in runs; the other times are the hosts' own defaults and were not waited for.

| host | what ends a call | \`jig job wait --max-secs\` | \`jig web wait --timeout\` |
|---|---|---|---|
| Claude Code | 120 s, 600 s when the call asks for it; it goes on in the background | up to 110 | up to 110 |
| Codex | 10 s, 30 s when the call asks for it (\`yield_time_ms\`); it goes on, and \`write_stdin\` reads on | 8; 25 with \`yield_time_ms\` 30000 | the same |
| opencode | 120 s, or the time the call asks for; it is killed | up to 110 | up to 110 |
| Gemini CLI | 300 s without output (\`tools.shell.inactivityTimeout\`); it is killed | up to 280 | up to 280 |

## What to know

| host | know |
|---|---|
| all | no terminal, stdin is \`/dev/null\`; nothing asks |
| Codex | its sandbox runs each call in a process namespace of its own: \`job start\` and \`web start\` refuse there, since nothing outlives the call. It also forbids sockets, unless \`sandbox_workspace_write.network_access\` is on. PATH is that of a login shell: a bare \`jig\` must be on it (\`~/.profile\`), which concerns skills installed with \`--scope project\` |
| opencode | shows the model no exit code: the last line of every command says what it would. Its skill tool needs \`rg\` on PATH |
| Gemini CLI | refuses \`$( )\`, backticks and \`<( )\` anywhere in a command. With skills in \`~/.gemini/skills\` and \`~/.agents/skills\` it warns of each twice |

\`jig doctor\` says which of them it runs under, and what the sandbox around it forbids.
`;
