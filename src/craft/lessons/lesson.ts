/** A lesson file (docs/spec/craft-run.md 7.2). */
import { readFrontMatter } from "../../kernel/yaml/frontmatter.ts";
import { type YamlNode, yamlEntry } from "../../kernel/yaml/yaml.ts";
import { type Heading, headingOf } from "../common/heading.ts";
import { isPhaseId } from "../common/run-words.ts";
import { type Subjects, subjectsOf } from "../common/subjects.ts";

/** Largest lesson, in bytes. */
export const MAX_LESSON_BYTES = 64 << 10;

const LONGEST_TRIGGER = 200;
const LONGEST_TITLE = 120;
const LONGEST_LINE = 400;
export const MOST_LINES = 6;

/** A lesson that may be shown. */
export interface Lesson {
  title: string;
  /** Without a leading "when ". */
  trigger: string;
  /** Undefined: any path. */
  subjects: Subjects | undefined;
  /** Undefined: any phase. */
  phases: readonly string[] | undefined;
  /** "How to apply": at most six lines. */
  apply: readonly string[];
  /** How many lines of it there are. */
  applyLines: number;
}

export type LessonRead = { ok: true; lesson: Lesson } | { ok: false; faults: readonly [string, ...string[]] };

/** Read a lesson; everything that is wrong with it is a fault. */
export async function readLesson(text: string): Promise<LessonRead> {
  const faults: string[] = [];
  const matter = await readFrontMatter(text);
  if (matter.kind === "none") return { ok: false, faults: ["no front matter; expected --- on line 1"] };
  if (matter.kind === "problem") {
    const { line, message } = matter.problems[0];
    return { ok: false, faults: [`line ${line}: ${clean(message)}`] };
  }
  const value = (key: string) => yamlEntry(matter.map, key)?.value;
  const trigger = triggerOf(value("trigger"), faults);
  const subjects = listOf("subjects", value("subjects"), faults, subjectsOf, "a list of globs");
  const phases = listOf("phases", value("phases"), faults, phasesOf, "a list of phase ids");
  if (value("subjects") === undefined && value("phases") === undefined) {
    faults.push("neither subjects nor phases; at least one is required");
  }
  const body = headingsOf(matter.matter.body);
  const title = titleOf(body, value("title"), faults);
  const apply = applyOf(body, faults);
  const [first, ...more] = faults;
  if (first !== undefined) return { ok: false, faults: [first, ...more] };
  const shown = apply.slice(0, MOST_LINES).map(shortLine);
  return { ok: true, lesson: { title, trigger, subjects, phases, apply: shown, applyLines: apply.length } };
}

function triggerOf(node: YamlNode | undefined, faults: string[]): string {
  const text = textOf(node);
  if (text === undefined) faults.push("trigger is missing; expected one line");
  else if (/[\n\r]/.test(text)) faults.push("trigger is longer than one line");
  else if (text.length > LONGEST_TRIGGER) faults.push(`trigger is longer than ${LONGEST_TRIGGER} characters`);
  return clean(text ?? "").replace(/^when /i, "");
}

function listOf<T>(
  name: string,
  node: YamlNode | undefined,
  faults: string[],
  read: (node: YamlNode) => T | undefined,
  expected: string,
): T | undefined {
  if (node === undefined) return undefined;
  const list = read(node);
  if (list === undefined) faults.push(`${name} must be ${expected}`);
  return list;
}

function phasesOf(node: YamlNode): string[] | undefined {
  if (node.kind !== "list") return undefined;
  const phases = node.items.map((item) => textOf(item) ?? "");
  return phases.every(isPhaseId) ? phases : undefined;
}

function textOf(node: YamlNode | undefined): string | undefined {
  if (node?.kind !== "scalar" || typeof node.value !== "string") return undefined;
  return node.value.trim() === "" ? undefined : node.value.trim();
}

/** A line of a body: its text, and its level and words when it is a heading. */
interface BodyLine {
  text: string;
  heading?: Heading;
}

/** The lines of a body; nothing in a fence of code is a heading. */
function headingsOf(body: string): BodyLine[] {
  let fence: string | undefined;
  return body.split("\n").map((raw) => {
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(text);
    if (marks !== null) {
      const [, mark, after] = marks as unknown as [string, string, string];
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence) && after.trim() === "") fence = undefined;
      return { text };
    }
    const heading = fence === undefined ? headingOf(text) : undefined;
    return heading === undefined ? { text } : { text, heading };
  });
}

function titleOf(body: readonly BodyLine[], node: YamlNode | undefined, faults: string[]): string {
  const first = body.find(({ heading }) => heading?.level === 1 && heading.words !== "")?.heading?.words;
  const title = clean(first ?? textOf(node) ?? "").trim();
  if (title === "") faults.push("no title; expected a heading # or title in the front matter");
  if (title.length > LONGEST_TITLE) faults.push(`the title is longer than ${LONGEST_TITLE} characters`);
  return title;
}

function applyOf(body: readonly BodyLine[], faults: string[]): string[] {
  const start = body.findIndex(
    ({ heading }) =>
      heading !== undefined &&
      heading.level >= 2 &&
      heading.level <= 4 &&
      heading.words.toLowerCase() === "how to apply",
  );
  if (start < 0) {
    faults.push("no section '## How to apply'");
    return [];
  }
  const { level } = body[start]!.heading!;
  const rest = body.slice(start + 1);
  const end = rest.findIndex(({ heading }) => heading !== undefined && heading.level <= level);
  const lines = (end < 0 ? rest : rest.slice(0, end)).map(({ text }) => clean(text));
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  if (lines.length === 0) faults.push("the section 'How to apply' is empty");
  return lines;
}

/** Without control characters; a tab is a blank. */
export function clean(text: string): string {
  return text.replaceAll("\t", " ").replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "");
}

function shortLine(line: string): string {
  const characters = [...line];
  return characters.length > LONGEST_LINE ? `${characters.slice(0, LONGEST_LINE).join("")}…` : line;
}
