interface Position {
  /** 1-based. */
  line: number;
  /** 1-based, in UTF-16 units. */
  column: number;
}

export interface YamlScalar extends Position {
  kind: "scalar";
  value: string | number | boolean | null;
  /** As written: the source of a plain scalar, the content of a quoted or block one. */
  text: string;
  /** Whether it was written in quotes or as a block, so that it can only be a string. */
  quoted: boolean;
}

export interface YamlList extends Position {
  kind: "list";
  items: readonly YamlNode[];
}

export interface YamlMap extends Position {
  kind: "map";
  /** In file order, keys unique; the position is the key's. */
  entries: readonly YamlEntry[];
}

export interface YamlEntry extends Position {
  key: string;
  value: YamlNode;
}

export type YamlNode = YamlScalar | YamlList | YamlMap;

/** Something wrong at a place in the text; the file is the caller's to name. */
export interface YamlProblem extends Position {
  message: string;
}

/** A key that was there before in the same mapping; the first one counts. */
export interface YamlDuplicate extends YamlProblem {
  key: string;
  /** Whether it stands in the outermost mapping. */
  topLevel: boolean;
}

export interface YamlOptions {
  /** Line number of the text's first line in its file; 1 unless given. */
  firstLine?: number;
  /** How often aliases may be expanded in all, those inside aliased values counted too; 100 unless given. */
  maxAliases?: number;
  /** `report`: keep the first of equal keys and list the rest. A problem unless given. */
  duplicates?: "refuse" | "report";
  /** Whether `<<` takes over the keys of the mapping (or mappings) it names. It is an ordinary key unless given. */
  merge?: boolean;
  /** How many lexical tokens are read; `MAX_YAML_TOKENS` unless given. For texts whose size has a cap of its own. */
  maxTokens?: number;
  /** `none` refuses even the tags of the core schema (`!!str`). Other tags are always refused. */
  tags?: "core" | "none";
}

export type YamlResult =
  | { ok: true; root: YamlNode; duplicates: readonly YamlDuplicate[] }
  | { ok: false; problems: readonly [YamlProblem, ...YamlProblem[]] };

/** Deepest nesting read. Far beyond what a person writes, far below what overflows a stack. */
export const MAX_YAML_DEPTH = 100;

/** Most lexical tokens read, about ten thousand lines: bounds the memory that a hostile text can ask for. */
export const MAX_YAML_TOKENS = 50_000;
