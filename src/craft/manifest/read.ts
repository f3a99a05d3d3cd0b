/**
 * A manifest, policy file or any other Markdown file with YAML at its top, as a mapping that knows its lines
 * (docs/spec/craft-engine.md 1.1, 1.2). Everything in the room reads such files through here.
 */
import { basename } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { splitFrontMatter } from "../../kernel/yaml/frontmatter.ts";
import { parseYaml, type YamlMap, type YamlOptions } from "../../kernel/yaml/yaml.ts";
import { MAX_INPUT_BYTES, readInputFile } from "../common/input.ts";
import type { Problem } from "../common/problem.ts";
import { emptyMap } from "./nodes.ts";

/**
 * Who reads decides what a file without a fence is when its name ends in none of `.md .markdown .yml .yaml`: nothing
 * to lint, a whole manifest to the others.
 */
export type Reader = "lint" | "resolve";

export type ManifestRead =
  /** No such file, a directory, or no regular file. */
  | { kind: "absent" }
  /** No front matter: pure defaults. */
  | { kind: "none" }
  /**
   * Not to be read. `yaml`: the parser's message, which the caller puts its own words before; `shape`: the whole text
   * `manifest frontmatter must be a mapping`; `file`: unreadable, too large, not UTF-8.
   */
  | { kind: "problem"; of: "yaml" | "shape" | "file"; problem: Problem }
  /** The mapping; an empty block is one without entries. Lines are those of the file. */
  | { kind: "map"; map: YamlMap };

/** YAML as the engine reads it: merge keys work, equal keys are refused, at most 100 alias expansions. */
export const ENGINE_YAML: YamlOptions = { merge: true, maxTokens: 400_000 };

/** Read a file as a manifest. `path` is as given and stands in every problem. */
export async function readManifest(host: Host, path: string, reader: Reader): Promise<ManifestRead> {
  let text: string;
  try {
    text = readInputFile(host, path, MAX_INPUT_BYTES);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.reason === "absent" || error.reason === "not-regular") return { kind: "absent" };
    return { kind: "problem", of: "file", problem: { message: error.message, file: path } };
  }
  return parseManifest(path, text, reader);
}

/** The same for a text that was read already; `path` decides by its ending and names the problems. */
export async function parseManifest(path: string, text: string, reader: Reader): Promise<ManifestRead> {
  const part = yamlPart(basename(path), text, reader);
  if (part === undefined) return { kind: "none" };
  const result = await parseYaml(part.yaml, { ...ENGINE_YAML, firstLine: part.firstLine });
  if (!result.ok) {
    const { line, column, message } = result.problems[0];
    return { kind: "problem", of: "yaml", problem: { message, file: path, line, column } };
  }
  const { root } = result;
  if (root.kind === "map") return { kind: "map", map: root };
  if (root.kind === "scalar" && root.value === null) return { kind: "map", map: emptyMap(part.firstLine) };
  const message = "manifest frontmatter must be a mapping";
  return {
    kind: "problem",
    of: "shape",
    problem: { message, file: path, line: root.line, column: root.column },
  };
}

interface YamlPart {
  yaml: string;
  firstLine: number;
}

function yamlPart(name: string, text: string, reader: Reader): YamlPart | undefined {
  const matter = splitFrontMatter(text);
  if (matter !== undefined) {
    // `---` straight after `---` holds nothing; a blank line or a comment between them is an empty manifest.
    if (matter.closed && matter.yaml === "") return undefined;
    return { yaml: matter.yaml, firstLine: matter.firstLine };
  }
  if (firstWordIsFence(text)) return undefined;
  const ending = /\.(md|markdown|ya?ml)$/.exec(name)?.[1];
  const whole = ending === undefined ? reader === "resolve" : ending.startsWith("y");
  return whole ? { yaml: text, firstLine: 1 } : undefined;
}

/** A fence that is the first text of a file but not its first line. */
function firstWordIsFence(text: string): boolean {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  const start = source.length - source.trimStart().length;
  const end = source.indexOf("\n", start);
  return source.slice(start, end < 0 ? undefined : end).trimEnd() === "---";
}
