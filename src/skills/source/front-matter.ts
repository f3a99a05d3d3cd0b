import { JigError } from "../../kernel/call/errors.ts";
import { splitFrontMatter } from "../../kernel/yaml/frontmatter.ts";

/** Front matter of an embedded skill, in the one form its sources use: every scalar a double-quoted string. */
export interface SkillMatter {
  name: string;
  description: string;
  license: string;
  compatibility: string;
  argumentHint: string | undefined;
  /** Without `argument-hint`, which is added where an agent does not know the top-level key. */
  metadata: Readonly<Record<string, string>>;
}

export interface SplitSkill {
  matter: SkillMatter;
  /** Everything below the closing fence. */
  body: string;
}

/**
 * Read an embedded `SKILL.md` without a YAML parser: its sources hold only `key: "JSON string"` lines and a `metadata`
 * block of such lines, which the lint enforces. Throws for any other form.
 */
export function splitSkill(text: string): SplitSkill {
  const split = splitFrontMatter(text);
  if (split === undefined || !split.closed) throw new JigError("SKILL.md has no closed front matter");
  const top: Record<string, string> = {};
  const metadata: Record<string, string> = {};
  let inMetadata = false;
  for (const line of split.yaml.split("\n").filter((candidate) => candidate !== "")) {
    if (line === "metadata:") {
      inMetadata = true;
      continue;
    }
    const match = /^( {2})?([a-z][a-z-]*): (".*")$/.exec(line);
    if (match === null || (match[1] !== undefined) !== inMetadata) {
      throw new JigError(`SKILL.md front matter: expected key: "value", got ${line}`);
    }
    (inMetadata ? metadata : top)[match[2]!] = JSON.parse(match[3]!) as string;
  }
  const required = (key: string): string => {
    const value = top[key];
    if (value === undefined) throw new JigError(`SKILL.md front matter: no ${key}`);
    return value;
  };
  return {
    matter: {
      name: required("name"),
      description: required("description"),
      license: required("license"),
      compatibility: required("compatibility"),
      argumentHint: top["argument-hint"],
      metadata,
    },
    body: split.body,
  };
}

/** The API number a skill's text asks for (docs/spec/skills.md section 7). */
export function apiOf(text: string): number {
  return Number(splitSkill(text).matter.metadata["jig-api"]);
}

export interface MatterOptions {
  /** Keep `argument-hint` at the top level; it moves to `metadata` otherwise. */
  argumentHint: boolean;
  /** The value of `allowed-tools`, when it is wanted. */
  allowedTools: string | undefined;
}

/** The front matter as it is written to disk: fixed key order, every scalar quoted (docs/spec/skills.md 3.3). */
export function renderMatter(matter: SkillMatter, options: MatterOptions): string {
  const hint = matter.argumentHint;
  const pairs: [string, string | undefined][] = [
    ["name", matter.name],
    ["description", matter.description],
    ["license", matter.license],
    ["compatibility", matter.compatibility],
    ["argument-hint", options.argumentHint ? hint : undefined],
    ["allowed-tools", options.allowedTools],
  ];
  const metadata = Object.entries({
    ...matter.metadata,
    ...(hint === undefined || options.argumentHint ? {} : { "argument-hint": hint }),
  });
  return [
    "---",
    ...pairs.filter(([, value]) => value !== undefined).map(([key, value]) => `${key}: ${quoted(value!)}`),
    "metadata:",
    ...metadata.map(([key, value]) => `  ${key}: ${quoted(value)}`),
    "---\n",
  ].join("\n");
}

/** A JSON string is a valid double-quoted YAML scalar. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
