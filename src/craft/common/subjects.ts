import type { YamlNode } from "../../kernel/yaml/yaml.ts";
import { compileGlob, type Matcher } from "./glob.ts";

/** The globs of a page or a lesson, as written and as tests of paths. */
export interface Subjects {
  globs: readonly string[];
  matches: Matcher;
}

/** More are no subjects but an attempt to keep us busy. */
const MOST_GLOBS = 1_000;

/** What a `subjects` value says; undefined when it is no list of non-empty strings. */
export function subjectsOf(node: YamlNode): Subjects | undefined {
  if (node.kind !== "list" || node.items.length > MOST_GLOBS) return undefined;
  const globs: string[] = [];
  for (const item of node.items) {
    if (item.kind !== "scalar" || typeof item.value !== "string" || item.value.trim() === "")
      return undefined;
    globs.push(item.value);
  }
  const matchers = globs.map(compileGlob);
  return { globs, matches: (path) => matchers.some((matches) => matches(path)) };
}
