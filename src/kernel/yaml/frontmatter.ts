/** The YAML block between two `---` lines at the top of a Markdown file. */
import { parseYaml, type YamlMap, type YamlOptions, type YamlProblem } from "./yaml.ts";

export interface FrontMatter {
  /** The text between the fences; empty when they follow each other. */
  yaml: string;
  /** Line of the file that `yaml` begins with. */
  firstLine: number;
  /** False when no closing fence was found; `yaml` is then the whole rest and the body is empty. */
  closed: boolean;
  body: string;
  /** Line of the file that `body` begins with. */
  bodyLine: number;
}

export interface SplitOptions {
  /** Fences may be indented, as Compound Packs allow (docs/spec/packs.md 7.1). Only trailing blanks are ignored unless given. */
  indentedFences?: boolean;
}

/** The front matter of a text, undefined when its first line is no fence. A byte-order mark and CRLF are tolerated. */
export function splitFrontMatter(text: string, options: SplitOptions = {}): FrontMatter | undefined {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  const fence = options.indentedFences
    ? (line: string) => line.trim() === "---"
    : (line: string) => line.trimEnd() === "---";
  const first = lineAt(source, 0);
  if (!fence(first.text)) return undefined;
  let line = 2;
  for (let at = first.next; at < source.length; line++) {
    const { text: content, next } = lineAt(source, at);
    if (fence(content)) {
      const yaml = source.slice(first.next, at);
      return { yaml, firstLine: 2, closed: true, body: source.slice(next), bodyLine: line + 1 };
    }
    at = next;
  }
  return { yaml: source.slice(first.next), firstLine: 2, closed: false, body: "", bodyLine: line };
}

function lineAt(text: string, start: number): { text: string; next: number } {
  const end = text.indexOf("\n", start);
  return end < 0
    ? { text: text.slice(start), next: text.length }
    : { text: text.slice(start, end), next: end + 1 };
}

export type FrontMatterResult =
  /** The first line is no fence. */
  | { kind: "none" }
  | { kind: "problem"; problems: readonly [YamlProblem, ...YamlProblem[]]; matter: FrontMatter }
  /** An empty block is a mapping without entries. */
  | { kind: "map"; map: YamlMap; matter: FrontMatter };

/**
 * The front matter of a text as a mapping, with positions in the whole file. A missing closing fence, a YAML problem and
 * anything but a mapping are problems.
 */
export async function readFrontMatter(
  text: string,
  options: YamlOptions & SplitOptions = {},
): Promise<FrontMatterResult> {
  const matter = splitFrontMatter(text, options);
  if (matter === undefined) return { kind: "none" };
  const problem = (message: string, line: number, column: number): FrontMatterResult => ({
    kind: "problem",
    problems: [{ line, column, message }],
    matter,
  });
  if (!matter.closed) return problem("front matter is not closed; expected a line ---", 1, 1);
  const result = await parseYaml(matter.yaml, { ...options, firstLine: matter.firstLine });
  if (!result.ok) return { kind: "problem", problems: result.problems, matter };
  const { root } = result;
  if (root.kind === "map") return { kind: "map", map: root, matter };
  if (root.kind === "scalar" && root.value === null) {
    return { kind: "map", map: { kind: "map", entries: [], line: 2, column: 1 }, matter };
  }
  const found = root.kind === "list" ? "a list" : "a single value";
  return problem(`front matter is ${found}; expected a mapping`, root.line, root.column);
}
