import type { Host } from "../../kernel/call/host.ts";
import { ENTRY_FILE } from "../source/shipment.ts";
import type { CodeSpan, FenceLine, Markdown } from "./markdown.ts";
import { fillPlaceholders } from "./samples.ts";
import { shellWords } from "./shell.ts";
import type { Sink, Tree } from "./tree.ts";

/** A command line of a skill: what follows the prefix. */
export interface CommandLine {
  line: number;
  /** Without the prefix. */
  text: string;
}

const PLACEHOLDER = "{{JIG}}";

/** Rules S020 to S023: every command line parses, is one simple command, and nothing else is called. */
export async function checkCommands(
  tree: Tree,
  file: string,
  markdown: Markdown,
  host: Pick<Host, "parse">,
  sink: Sink,
): Promise<CommandLine[]> {
  const commands: CommandLine[] = [];
  for (const fence of markdown.fences) commands.push(...checkFence(tree, file, fence, sink));
  for (const span of markdown.spans) commands.push(...checkSpan(tree, file, span, sink));
  commands.sort((a, b) => a.line - b.line);
  for (const command of commands) await checkCommand(file, command, host, sink);
  return commands;
}

function checkFence(tree: Tree, file: string, fence: readonly FenceLine[], sink: Sink): CommandLine[] {
  const lines = fence.filter(({ text }) => text !== "");
  for (const { line, text } of lines) {
    const called = interpreterIn(text);
    if (called !== undefined)
      sink.error(file, line, "S023", `${called} in a fenced block; every step is a jig command`);
  }
  if (!lines.some(({ text }) => mentions(tree, text))) {
    for (const { line, text } of lines)
      if (isBareCall(tree, text)) sink.error(file, line, "S022", bareCall(text));
    return [];
  }
  return lines.flatMap(({ line, text }): CommandLine[] => {
    const command = afterPrefix(tree, text);
    if (command !== undefined) return [{ line, text: command }];
    const why = mentions(tree, text)
      ? "a command line begins with the command: no assignment or other word before it"
      : "a fenced block that holds a command line holds nothing else";
    sink.error(file, line, "S021", why);
    return [];
  });
}

function checkSpan(tree: Tree, file: string, span: CodeSpan, sink: Sink): CommandLine[] {
  const command = afterPrefix(tree, span.text);
  if (command !== undefined) return [{ line: span.line, text: command }];
  if (mentions(tree, span.text)) {
    sink.error(
      file,
      span.line,
      "S021",
      "a command line begins with the command: no assignment or other word before it",
    );
  } else if (!span.quoted && isBareCall(tree, span.text)) {
    sink.error(file, span.line, "S022", bareCall(span.text));
  }
  return [];
}

/** The words after the prefix; undefined when the text does not begin with it. */
function afterPrefix(tree: Tree, text: string): string | undefined {
  return text === tree.prefix || text.startsWith(`${tree.prefix} `)
    ? text.slice(tree.prefix.length).trim()
    : undefined;
}

function mentions(tree: Tree, text: string): boolean {
  return text.includes(tree.source ? PLACEHOLDER : `${tree.prefix} `);
}

/** A call of whatever jig is on PATH, in a text whose commands have another prefix. */
function isBareCall(tree: Tree, text: string): boolean {
  return tree.prefix !== "jig" && /^jig [a-z]/.test(text);
}

function bareCall(text: string): string {
  return `'${text}' must begin with ${PLACEHOLDER}, or stand in double quotes when it is told to the user`;
}

const INTERPRETERS = new Set(["python", "python3", "node", "npx", "bash", "jq", "chmod"]);

function interpreterIn(text: string): string | undefined {
  return text.split(/\s+/).find((word) => INTERPRETERS.has(word) || /\.(sh|py|js)$/.test(word));
}

async function checkCommand(
  file: string,
  { line, text }: CommandLine,
  host: Pick<Host, "parse">,
  sink: Sink,
): Promise<void> {
  const { text: filled, unknown } = fillPlaceholders(text);
  for (const name of unknown) sink.error(file, line, "S020", `unknown placeholder <${name}>`);
  const cut = shellWords(filled);
  if ("problem" in cut) {
    sink.error(file, line, "S021", `${cut.problem} in a command line; it must run unchanged in every shell`);
    return;
  }
  const verdict = await host.parse(cut.words);
  if (!verdict.ok) sink.error(file, line, "S020", `${text}: ${verdict.message}`);
}

/** Rule S033: the preflight line comes first, and asks for the API the front matter declares. */
export function checkPreflight(
  tree: Tree,
  commands: readonly CommandLine[],
  api: string | undefined,
  sink: Sink,
): void {
  const first = commands[0];
  const match =
    first === undefined ? null : /^skills preflight (\S+) --api (\S+) --text (\S+)$/.exec(first.text);
  if (first === undefined || match === null) {
    sink.error(ENTRY_FILE, first?.line ?? 1, "S033", "the first command line must be the preflight line");
  } else if (match[1] !== tree.name) {
    sink.error(ENTRY_FILE, first.line, "S033", `the preflight line names ${match[1]}, expected ${tree.name}`);
  } else if (match[2] !== api) {
    sink.error(
      ENTRY_FILE,
      first.line,
      "S033",
      `--api is ${match[2]}, metadata.jig-api is ${api ?? "missing"}`,
    );
  }
}
