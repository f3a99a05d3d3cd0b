/** What is wrong with the items of the two known lists (docs/spec/config.md section 4). */
import { HARNESSES } from "../kernel/config/keys.ts";
import { printable } from "../kernel/text/printable.ts";
import { type YamlNode, yamlEntry, yamlValue } from "../kernel/yaml/yaml.ts";

export interface ItemProblem {
  line: number;
  message: string;
}

const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;
const FEEDBACK_TYPES = ["slack", "github-issues", "email"];

/** Items `{harness, model?}`. */
export function preferenceProblems(items: readonly YamlNode[]): ItemProblem[] {
  return items.flatMap((item) => {
    const found = (message: string, line = item.line) => ({
      line,
      message: `work_engine_preferences: ${message}`,
    });
    if (item.kind !== "map") return [found(`${shown(item)} is no item; expected {harness, model}`)];
    const problems: ItemProblem[] = [];
    for (const { key, line } of item.entries) {
      if (key === "harness" || key === "model") continue;
      problems.push(found(`unknown item key '${printable(key)}'; expected harness and model`, line));
    }
    const harness = textOf(item, "harness");
    const model = textOf(item, "model");
    if (harness === undefined) {
      problems.push(
        found(model === undefined ? "an item has no harness" : `model '${model}' has no harness`),
      );
    } else if (!(HARNESSES as readonly string[]).includes(harness)) {
      problems.push(
        found(`unknown harness '${printable(harness)}'; expected one of ${HARNESSES.join(", ")}`),
      );
    }
    const written = yamlEntry(item, "model")?.value;
    if (written !== undefined && (model === undefined ? written.kind !== "scalar" : !MODEL.test(model))) {
      problems.push(found(`model ${shown(written)} is not valid; expected letters, digits and . _ : / -`));
    }
    return problems;
  });
}

/** Items with `type`, a unique `id`, and `target`. */
export function feedbackProblems(items: readonly YamlNode[]): ItemProblem[] {
  const lines = new Map<string, number>();
  return items.flatMap((item) => {
    const found = (message: string) => ({ line: item.line, message: `feedback_sources: ${message}` });
    if (item.kind !== "map") return [found(`${shown(item)} is no item; expected {type, id, target}`)];
    const problems = ["type", "id", "target"]
      .filter((field) => textOf(item, field) === undefined)
      .map((field) => found(`an item has no ${field}`));
    const type = textOf(item, "type");
    if (type !== undefined && !FEEDBACK_TYPES.includes(type)) {
      problems.push(found(`unknown type '${printable(type)}'; expected one of ${FEEDBACK_TYPES.join(", ")}`));
    }
    const id = textOf(item, "id");
    if (id === undefined) return problems;
    const first = lines.get(id);
    if (first === undefined) lines.set(id, item.line);
    else problems.push(found(`duplicate id '${printable(id)}', first in line ${first}`));
    return problems;
  });
}

/** The text of a field; undefined when it is absent, empty or no scalar. */
function textOf(item: YamlNode, field: string): string | undefined {
  const value = yamlEntry(item, field)?.value;
  if (value?.kind !== "scalar" || value.value === null || value.text === "") return undefined;
  return value.text;
}

function shown(item: YamlNode): string {
  const text = JSON.stringify(yamlValue(item));
  return printable(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
