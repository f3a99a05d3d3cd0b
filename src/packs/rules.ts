/** What a pack's rules say about themselves (docs/spec/packs.md section 9): the data to judge by, never the judgement. */

import { osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import { maskPasswords } from "../kernel/config/packs-config.ts";
import { readFrontMatter } from "../kernel/yaml/frontmatter.ts";
import { describeProblem, type YamlMap, yamlEntry, yamlValue } from "../kernel/yaml/yaml.ts";
import { under } from "./directory.ts";
import { rootOf } from "./report.ts";
import type { ResolvedPack } from "./resolve.ts";
import { readRuleStart } from "./rule-file.ts";
import type { PackDetail, PackRule } from "./schema.ts";
import { checkedOutCommit } from "./sources/fetch.ts";

/** A pack with its rules read. A rule whose front matter is no YAML stays, with the problem. */
export async function packDetail(host: Host, pack: ResolvedPack): Promise<PackDetail> {
  const rules: PackRule[] = [];
  for (const name of pack.rules) rules.push(await readRule(under(pack.dir, name), name));
  return {
    ...rootOf(pack),
    source: maskPasswords(String(pack.entry.values.source)),
    label: `${pack.entry.file}:${pack.entry.line}`,
    commit: pack.git === undefined ? null : await checkedOutCommit(host, pack.git.checkout),
    rules,
  };
}

async function readRule(path: string, name: string): Promise<PackRule> {
  const rule = (more: Partial<PackRule>): PackRule => ({
    path: name,
    title: null,
    applies_when: [],
    tags: [],
    frontmatter_error: null,
    ...more,
  });
  let text: string;
  try {
    text = readRuleStart(path);
  } catch (error) {
    return rule({ frontmatter_error: `${name}: ${osReason(error)}` });
  }
  const matter = await readFrontMatter(text, { indentedFences: true });
  if (matter.kind === "none") return rule({ frontmatter_error: `${name}: has no front matter any more` });
  if (matter.kind === "problem")
    return rule({ frontmatter_error: describeProblem(name, matter.problems[0]) });
  const { map } = matter;
  return rule({
    title: strings(map, "title").join(", ") || null,
    applies_when: strings(map, "applies_when"),
    tags: strings(map, "tags"),
  });
}

/** A scalar is a list of one; what is no text is shown as JSON. */
function strings(map: YamlMap, key: string): string[] {
  const value = yamlEntry(map, key)?.value;
  if (value === undefined || (value.kind === "scalar" && value.value === null)) return [];
  const items = value.kind === "list" ? value.items : [value];
  return items.map((item) => (item.kind === "scalar" ? item.text : JSON.stringify(yamlValue(item))));
}
