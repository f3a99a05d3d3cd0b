import { type ArgDef, defineCommand, renderUsage } from "citty";
import type { Command, Flag, Group, NumberFlag, StringFlag } from "../../kernel/call/command.ts";
import { rangeOf } from "../parse/number-flag.ts";
import { flagsOf } from "../parse/parse.ts";
import { columns, WIDEST_PAGE, wrap } from "./layout.ts";
import { positionalName, valueName } from "./synopsis.ts";

/** What a page of help is shown on. */
export interface Page {
  colour: boolean;
  /** Columns at hand; a page takes 100 of them at most. */
  width: number;
}

/** Help for a command or group, as `--help` prints it (docs/spec/cli.md section 2, help). */
export async function helpText(target: Command | Group, page: Page): Promise<string> {
  const width = Math.min(page.width, WIDEST_PAGE);
  const text = "verbs" in target ? groupHelp(target, width) : await commandHelp(target, width);
  return page.colour
    ? text.replaceAll(/^[A-Z][A-Z ]+$|^USAGE/gm, (heading) => `\u001b[1m${heading}\u001b[22m`)
    : text;
}

async function commandHelp(command: Command, width: number): Promise<string> {
  const parts = [wrap(`${command.summary}.`, width), await usage(command, width)];
  if (command.details !== undefined) parts.push(wrap(command.details, width));
  parts.push(`EXIT CODES\n\n${columns(exitCodes(command), width)}`);
  parts.push(`EXAMPLES\n\n${examples(command, width)}`);
  return parts.join("\n\n") + "\n";
}

function groupHelp(group: Group, width: number): string {
  const rows = Object.entries(group.verbs).map(([name, verb]) => [name, verb.summary] as const);
  return [
    wrap(`${group.summary}.`, width),
    `USAGE jig ${group.name} COMMAND`,
    `COMMANDS\n\n${columns(rows, width)}`,
    wrap(`Run jig ${group.name} COMMAND --help for the flags, exit codes and examples of one.`, width) + "\n",
  ].join("\n\n");
}

/** Synopsis, arguments and options, drawn by citty from the same declaration the parser uses, and set in columns. */
async function usage(command: Command, width: number): Promise<string> {
  const args: Record<string, ArgDef> = {};
  for (const positional of command.positionals ?? []) {
    args[positionalName(positional)] = {
      type: "positional",
      required: positional.required ?? false,
      description: positional.summary,
    };
  }
  if (command.rest !== undefined) {
    args[`-- ${command.rest.name}`] = {
      type: "positional",
      required: command.rest.required ?? false,
      description: command.rest.summary,
    };
  }
  for (const [name, flag] of Object.entries(flagsOf(command))) {
    if (!flag.hidden) args[name] = flagDefinition(flag);
  }
  const rendered = await renderUsage(defineCommand({ meta: { name: `jig ${command.name}` }, args }));
  const plain = stripEscapes(rendered);
  // citty opens with a line that repeats the summary; ours is already there.
  const body = plain.slice(plain.indexOf("USAGE")).trim();
  return body
    .split(/\n\n(?=\S)/)
    .map((section) => layOut(section, width))
    .join("\n\n");
}

/** citty sets names flush right and never wraps; people look for names at the left. */
function layOut(section: string, width: number): string {
  const [heading, ...lines] = section.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return dataLast(heading!);
  const rows = lines.map((line) => {
    const [, name, description] = /^ *(\S.*?) {4}(\S.*)$/.exec(line.trimEnd())!;
    return [name!, description!] as const;
  });
  return `${heading}\n\n${columns(rows, width)}`;
}

/** citty names the words behind `--` before the required flags, where a flag would be one of them. */
function dataLast(synopsis: string): string {
  return synopsis
    .replace(/ (\[-- [^\]]*\]|<-- [^>]*>)(.*)$/, "$2 $1")
    .replace(/<(-- [^>]*)>/, "$1")
    .trim();
}

/** Choices longer than this are listed in the description, so that they do not push all descriptions away. */
const LONGEST_CHOICE = 40;

function flagDefinition(flag: Flag): ArgDef {
  const alias = flag.short === undefined ? {} : { alias: [flag.short] };
  if (flag.type === "boolean") return { type: "boolean", description: flag.summary, ...alias };
  const required = flag.required ? { required: true } : {};
  const choices = flag.type === "string" ? flag.choices : undefined;
  const isLong = choices !== undefined && choices.join("|").length > LONGEST_CHOICE;
  const summary = isLong ? `${flag.summary}: ${choices.join(", ")}` : flag.summary;
  const notes = notesOf(flag);
  const description = notes.length === 0 ? summary : `${summary} (${notes.join("; ")})`;
  if (choices !== undefined && !isLong) {
    return { type: "enum", options: [...choices], description, ...alias, ...required };
  }
  return {
    type: "string",
    valueHint: flag.type === "number" ? valueName(flag) : flag.value,
    description,
    ...alias,
    ...required,
  } as ArgDef;
}

/** What a flag's declaration says beside its summary. */
function notesOf(flag: StringFlag | NumberFlag): string[] {
  const range = flag.type === "number" ? rangeOf(flag) : undefined;
  return [
    ...(range === undefined ? [] : [range]),
    ...(flag.default === undefined ? [] : [`default ${flag.default}`]),
    ...(flag.type === "string" && flag.repeat ? ["may be repeated"] : []),
  ];
}

const USUAL_CODES: readonly (readonly [number, string])[] = [
  [0, "done"],
  [1, "failed; the message says what to do"],
  [2, "the words of the call do not fit the command; nothing was done"],
];

function exitCodes(command: Command): (readonly [string, string])[] {
  const codes = new Map<number, string | null>(USUAL_CODES);
  for (const [code, meaning] of command.exitCodes ?? []) codes.set(code, meaning);
  return [...codes]
    .sort(([a], [b]) => a - b)
    .flatMap(([code, meaning]) => (meaning === null ? [] : [[String(code).padStart(3), meaning] as const]));
}

function examples(command: Command, width: number): string {
  return command.examples
    .map((example) => `  ${example.command}\n${wrap(example.explains, width, "      ")}`)
    .join("\n");
}

function stripEscapes(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;]*m/g, "");
}
