import { type ArgDef, defineCommand, renderUsage } from "citty";
import type { Command, Flag, Group } from "../kernel/command.ts";
import { flagsOf } from "./parse.ts";
import { positionalName } from "./synopsis.ts";

/** Help for a command or group, as `--help` prints it (spec/cli.md section 2, help). */
export async function helpText(target: Command | Group, colour: boolean): Promise<string> {
  const text = "verbs" in target ? await groupHelp(target) : await commandHelp(target);
  return colour
    ? text.replaceAll(/^[A-Z][A-Z ]+$|^USAGE/gm, (heading) => `\u001b[1m${heading}\u001b[22m`)
    : text;
}

async function commandHelp(command: Command): Promise<string> {
  const parts = [`${command.summary}.`, await usage(command)];
  if (command.details !== undefined) parts.push(command.details.trim());
  parts.push(`EXIT CODES\n\n${exitCodes(command)}`);
  parts.push(`EXAMPLES\n\n${examples(command)}`);
  return parts.join("\n\n") + "\n";
}

async function groupHelp(group: Group): Promise<string> {
  const verbs = Object.entries(group.verbs).filter(([, verb]) => !verb.hidden);
  const width = Math.max(...verbs.map(([name]) => name.length));
  const lines = verbs.map(([name, verb]) => `  ${name.padEnd(width)}  ${verb.summary}`);
  return [
    `${group.summary}.`,
    `USAGE jig ${group.name} COMMAND`,
    `COMMANDS\n\n${lines.join("\n")}`,
    `Run jig ${group.name} COMMAND --help for the flags, exit codes and examples of one.\n`,
  ].join("\n\n");
}

/** Synopsis, arguments and options, drawn by citty from the same declaration the parser uses. */
async function usage(command: Command): Promise<string> {
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
  const body = plain.slice(plain.indexOf("USAGE"));
  return body
    .split("\n")
    .map((line) => alignLeft(line.trimEnd()))
    .join("\n")
    .replace(/<(-- [^>]*)>/, "$1")
    .trim();
}

/** citty sets flags flush right; people look for them at the left. */
function alignLeft(line: string): string {
  return line.replace(/^ {2}( *)(-\S.*?) {4}(?=\S)/, (_, gap: string, flag: string) => `  ${flag}${gap}    `);
}

function flagDefinition(flag: Flag): ArgDef {
  const alias = flag.short === undefined ? {} : { alias: [flag.short] };
  if (flag.type === "boolean") return { type: "boolean", description: flag.summary, ...alias };
  const notes = [
    ...(flag.default === undefined ? [] : [`default ${flag.default}`]),
    ...(flag.repeat ? ["may be repeated"] : []),
  ];
  const description = notes.length === 0 ? flag.summary : `${flag.summary} (${notes.join("; ")})`;
  const required = flag.required ? { required: true } : {};
  if (flag.choices !== undefined) {
    return { type: "enum", options: [...flag.choices], description, ...alias, ...required };
  }
  return { type: "string", valueHint: flag.value, description, ...alias, ...required } as ArgDef;
}

const USUAL_CODES: readonly (readonly [number, string])[] = [
  [0, "done"],
  [1, "failed; the message says what to do"],
  [2, "the words of the call do not fit the command; nothing was done"],
];

function exitCodes(command: Command): string {
  const codes = new Map<number, string>(USUAL_CODES);
  for (const [code, meaning] of command.exitCodes ?? []) codes.set(code, meaning);
  return [...codes]
    .sort(([a], [b]) => a - b)
    .map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`)
    .join("\n");
}

function examples(command: Command): string {
  return command.examples.map((example) => `  ${example.command}\n      ${example.explains}`).join("\n");
}

function stripEscapes(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;]*m/g, "");
}
