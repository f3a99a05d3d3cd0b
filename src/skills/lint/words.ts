import { ENTRY_FILE } from "../source/shipment.ts";
import type { Markdown } from "./markdown.ts";
import type { Sink, Tree } from "./tree.ts";

/** Names of agents' own tools: a text says what a tool does instead. */
const TOOL_NAMES = [
  "AskUserQuestion",
  "request_user_input",
  "ask_user",
  "TaskCreate",
  "TaskUpdate",
  "TaskList",
  "TaskGet",
  "TodoWrite",
  "update_plan",
  "ToolSearch",
  "EnterPlanMode",
  "ExitPlanMode",
  "spawn_agent",
  "NotebookEdit",
  "MultiEdit",
  "WebFetch",
  "WebSearch",
  "apply_patch",
  "exec_command",
  "sandbox_permissions",
  "require_escalated",
  "slack_search_public",
  "slack_search_public_and_private",
  "slack_read_thread",
  "slack_read_channel",
];

/** Where a text needs such a name as a literal. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "jig-brainstorm/references/reasoning-elevation.md": ["sandbox_permissions", "require_escalated"],
  "jig-flow-router/references/routing.md": ["TaskCreate", "TaskList", "TaskGet", "TaskUpdate"],
  "jig-brainstorm/references/slack-researcher.md": [
    "slack_search_public",
    "slack_search_public_and_private",
    "slack_read_thread",
    "slack_read_channel",
  ],
};

const TOOL = new RegExp(`(?<![A-Za-z0-9_])(?:${TOOL_NAMES.join("|")})(?![A-Za-z0-9_])`, "g");
const UNFINISHED = /\b(TODO|TBD|FIXME|XXX)\b/;
const KNOWN_PLACEHOLDERS = new Set(["{{JIG}}", "{{JIG_VERSION}}", "{{SKILL_DIR}}"]);

/** Rules S030 to S032: no leftover placeholder, nothing unfinished, no agent's tool name. */
export function checkWords(tree: Tree, file: string, text: string, markdown: Markdown, sink: Sink): void {
  const allowed = ALLOWED[`${tree.name}/${file}`] ?? [];
  text.split(/\r?\n/).forEach((line, index) => {
    for (const [token] of line.matchAll(/\{\{(?:\w*\}\})?/g)) {
      const problem = placeholderProblem(tree, file, line, token);
      if (problem !== undefined) sink.error(file, index + 1, "S030", problem);
    }
    for (const [tool] of line.matchAll(TOOL)) {
      if (!allowed.includes(tool))
        sink.error(file, index + 1, "S032", `${tool} is one host's tool; name what it does`);
    }
  });
  for (const { line, text: words } of [...markdown.prose, ...markdown.fences.flat()]) {
    const found = UNFINISHED.exec(words)?.[1];
    if (found !== undefined) sink.error(file, line, "S031", `${found} outside inline code`);
  }
  for (const { line, text: words } of markdown.prose) {
    if (tree.source && words.includes("{{JIG}}"))
      sink.error(file, line, "S030", "{{JIG}} outside a command line");
  }
}

function placeholderProblem(tree: Tree, file: string, line: string, token: string): string | undefined {
  if (!tree.source) return `${token} left over after rendering`;
  if (!KNOWN_PLACEHOLDERS.has(token))
    return `${token} is no placeholder; a literal double brace is written { {`;
  if (token === "{{SKILL_DIR}}" && file !== ENTRY_FILE) return `${token} stands only in ${ENTRY_FILE}`;
  if (token === "{{JIG_VERSION}}" && !/jig-version:|skills preflight /.test(line)) {
    return `${token} stands only in metadata.jig-version and in the preflight line`;
  }
  return undefined;
}

/** Rule S034: the last line says what to read again once the agent has compacted the conversation. */
export function checkLastLine(text: string, sink: Sink): void {
  const lines = text.trimEnd().split(/\r?\n/);
  const last = lines.at(-1) ?? "";
  const says = /compact/i.test(last) && /\b(read|print)/i.test(last) && /\.md\b|skills show/.test(last);
  if (!says) {
    sink.error(
      ENTRY_FILE,
      lines.length,
      "S034",
      "the last line must name what to read again after a compaction",
    );
  }
}
