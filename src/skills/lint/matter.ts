import { readFrontMatter } from "../../kernel/yaml/frontmatter.ts";
import type { YamlMap, YamlNode } from "../../kernel/yaml/yaml.ts";
import { splitSkill } from "../source/front-matter.ts";
import { ENTRY_FILE } from "../source/shipment.ts";
import { entryOf, type Sink, type Tree } from "./tree.ts";

/** What other rules need from a front matter that could be read. */
export interface ReadMatter {
  description: string;
  api: string | undefined;
}

/** A sentence that tells the agent what to do instead of saying what the skill does. */
const ORDER = /(?<=[.!?] )(?:Use|Never|Always|Do|Run|Call|Ask|Must|Please)\b[^.]*/;

/** The six keys of the Agent Skills specification. */
const SPECIFIED = ["name", "description", "license", "compatibility", "allowed-tools", "metadata"];
const KEYS = [...SPECIFIED, "argument-hint"];
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;
const LONGEST_COMPATIBILITY = 500;

/** Rules S001 to S004: an entry file with sound front matter. Undefined when it could not be read. */
export async function checkMatter(tree: Tree, sink: Sink): Promise<ReadMatter | undefined> {
  const file = entryOf(tree) ?? ENTRY_FILE;
  const error = (line: number, rule: string, message: string) => sink.error(file, line, rule, message);
  const text = tree.files.get(file);
  if (file !== ENTRY_FILE)
    error(1, "S001", `the file is named ${file}; expected ${ENTRY_FILE}, which is what hosts look for`);
  if (text === undefined) {
    const why = tree.files.has(file) ? "is not readable UTF-8 text of at most 1 MiB" : "is missing";
    error(1, "S001", `${file} ${why}`);
    return undefined;
  }
  if (text.startsWith("\ufeff"))
    error(1, "S001", "a byte-order mark stands before ---; hosts that look for --- see no front matter");
  const read = await readFrontMatter(text, tree.ours ? { maxAliases: 0, tags: "none" } : {});
  if (read.kind === "none") {
    error(1, "S001", "no front matter: the first line must be ---");
    return undefined;
  }
  if (read.kind === "problem") {
    for (const { line, message } of read.problems) error(line, "S001", message);
    return undefined;
  }
  const { map } = read;
  checkName(tree, map, error);
  if (!tree.ours) {
    checkSpecified(map, error, (line, rule, message) => sink.warning(file, line, rule, message));
    return { description: checkDescription(map, error, false), api: undefined };
  }
  if (read.matter.body.trim() === "") error(read.matter.bodyLine, "S001", "the body is empty");
  checkKeys(map, error);
  const description = checkDescription(map, error, true);
  const api = checkMetadata(map, error);
  if (tree.source) checkForm(text, error);
  return { description, api };
}

type Report = (line: number, rule: string, message: string) => void;

function entry(map: YamlMap, key: string) {
  return map.entries.find((candidate) => candidate.key === key);
}

/** A string value; undefined for anything else. */
function textOf(node: YamlNode | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

function checkKeys(map: YamlMap, error: Report): void {
  for (const { key, line } of map.entries) {
    if (!KEYS.includes(key))
      error(line, "S004", `key ${key} is not permitted; permitted are ${KEYS.join(", ")}`);
  }
  checkCompatibility(map, error);
}

/** Keys of a skill that is not jig's: what the specification says of them, and that it says nothing of the others. */
function checkSpecified(map: YamlMap, error: Report, warning: Report): void {
  for (const { key, line } of map.entries) {
    if (!SPECIFIED.includes(key))
      warning(line, "S004", `key ${key} is not of the Agent Skills specification; some hosts drop the skill`);
  }
  checkCompatibility(map, error);
  const metadata = entry(map, "metadata");
  if (metadata === undefined) return;
  if (metadata.value.kind !== "map") error(metadata.line, "S004", "metadata must be a mapping of strings");
  else checkStrings(metadata.value, warning);
}

function checkStrings(metadata: YamlMap, report: Report): void {
  for (const { key, line, value } of metadata.entries) {
    if (textOf(value) === undefined) report(line, "S004", `metadata.${key} must be a string; quote it`);
  }
}

function checkCompatibility(map: YamlMap, error: Report): void {
  const compatibility = entry(map, "compatibility");
  const text = textOf(compatibility?.value);
  if (
    compatibility !== undefined &&
    (text === undefined || [...text].length > LONGEST_COMPATIBILITY || text === "")
  ) {
    error(
      compatibility.line,
      "S004",
      `compatibility must be a string of 1 to ${LONGEST_COMPATIBILITY} characters`,
    );
  }
}

function checkName(tree: Tree, map: YamlMap, error: Report): void {
  const name = entry(map, "name");
  const text = textOf(name?.value);
  const line = name?.line ?? 1;
  if (text === undefined || text.length > LONGEST_NAME || !NAME.test(text)) {
    error(
      line,
      "S002",
      `name must be 1 to ${LONGEST_NAME} of a-z, 0-9 and single hyphens, got ${text ?? "nothing"}`,
    );
  } else if (text !== tree.name) {
    error(line, "S002", `name is ${text}, the directory is ${tree.name}`);
  }
}

function checkDescription(map: YamlMap, error: Report, ours: boolean): string {
  const description = entry(map, "description");
  const line = description?.line ?? 1;
  const text = textOf(description?.value) ?? "";
  const length = [...text].length;
  if (length === 0 || length > LONGEST_DESCRIPTION) {
    error(line, "S003", `description must have 1 to ${LONGEST_DESCRIPTION} characters, has ${length}`);
  }
  if (!ours) return text;
  if (/[<>]/.test(text)) error(line, "S003", "description must hold no < or >");
  if (/[\r\n]/.test(text)) error(line, "S003", "description must be a single line");
  if (!/^\S+s /.test(text))
    error(line, "S013", "the description begins with what the skill does: Shows, Finds");
  const order = ORDER.exec(text)?.[0];
  if (order !== undefined) error(line, "S013", `the description orders its reader: ${order}`);
  return text;
}

function checkMetadata(map: YamlMap, error: Report): string | undefined {
  const metadata = entry(map, "metadata");
  if (metadata === undefined) {
    error(1, "S004", "metadata.jig-api is missing");
    return undefined;
  }
  if (metadata.value.kind !== "map") {
    error(metadata.line, "S004", "metadata must be a mapping of strings");
    return undefined;
  }
  checkStrings(metadata.value, error);
  const api = textOf(entry(metadata.value, "jig-api")?.value);
  if (api === undefined || !/^[1-9]\d*$/.test(api)) {
    error(metadata.line, "S004", "metadata.jig-api must be a string with a positive integer");
  }
  return api;
}

/** A source is also read without a YAML parser, which asks for one written form. */
function checkForm(text: string, error: Report): void {
  try {
    splitSkill(text);
  } catch (problem) {
    error(1, "S004", (problem as Error).message);
  }
}
