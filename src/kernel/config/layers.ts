/** The two config files of a repository (docs/spec/config.md sections 1 and 2). Kernel, because several rooms obey them. */
import { join } from "node:path";
import { JigError } from "../call/errors.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../files/owned-file.ts";
import { findRepository, type Repository, type RepositoryHost } from "../repository/repository.ts";
import { describeProblem, type YamlDuplicate, type YamlEntry, type YamlProblem } from "../yaml/yaml.ts";

export const CONFIG_DIRECTORY = ".compound-engineering";

/** A larger config file is refused before it is read. */
export const MAX_CONFIG_BYTES = 1 << 20;

export type LayerName = "config.yaml" | "config.local.yaml";

export interface Layer {
  name: LayerName;
  path: string;
  /** Content without byte-order mark; undefined when the file is missing or cannot be read. */
  bytes: Uint8Array | undefined;
  /** Why a file that is there cannot be read, a phrase without its path. */
  problem: { why: string; kind: "not-regular" | "other" } | undefined;
}

export interface Config {
  repository: Repository;
  /** The team's file; undefined outside a repository. */
  repo: Layer | undefined;
  /** This checkout's file; undefined outside a repository. */
  local: Layer | undefined;
}

/** Find the repository and read its two files. A missing file is an empty layer; nothing is parsed. */
export async function readConfig(host: RepositoryHost): Promise<Config> {
  const repository = await findRepository(host);
  if (repository.root === undefined) return { repository, repo: undefined, local: undefined };
  return {
    repository,
    repo: readLayer(repository.root, "config.yaml"),
    local: readLayer(repository.root, "config.local.yaml"),
  };
}

function readLayer(root: string, name: LayerName): Layer {
  const path = join(root, CONFIG_DIRECTORY, name);
  const layer = (bytes: Layer["bytes"], problem?: Layer["problem"]): Layer => ({
    name,
    path,
    bytes,
    problem,
  });
  const refuse = (why: string, kind: "not-regular" | "other" = "other") => layer(undefined, { why, kind });
  try {
    return layer(readOwnedFile(path, { uid: undefined, allowSymlink: true, maxBytes: MAX_CONFIG_BYTES }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.reason === "absent") return layer(undefined);
    return refuse(error.why, error.reason === "not-regular" ? "not-regular" : "other");
  }
}

/** A layer's text. Throws `JigError` that names the file when it is there and cannot be read, or is not UTF-8. */
export function layerText(layer: Layer): string | undefined {
  if (layer.problem !== undefined) throw new JigError(`${layer.path}: ${layer.problem.why}`);
  if (layer.bytes === undefined) return undefined;
  const text = decodeUtf8(layer.bytes);
  if (text === undefined) throw new JigError(`${layer.path}: is not valid UTF-8`);
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** A layer with its top-level keys. */
export interface ParsedLayer {
  name: LayerName;
  path: string;
  exists: boolean;
  text: string;
  /** Top-level keys, the first of equal ones. */
  entries: ReadonlyMap<string, YamlEntry>;
  duplicates: readonly YamlDuplicate[];
  /** What keeps the file from being read as YAML; `entries` is empty then. */
  syntax: YamlProblem | undefined;
}

/** Parse a layer. Throws as `layerText` does; anything wrong in the text itself is in the result. */
export async function parseLayer(layer: Layer): Promise<ParsedLayer> {
  const { name, path } = layer;
  const text = layerText(layer);
  const parsed = (more: Partial<ParsedLayer>): ParsedLayer => ({
    name,
    path,
    exists: text !== undefined,
    text: text ?? "",
    entries: new Map(),
    duplicates: [],
    syntax: undefined,
    ...more,
  });
  // Loading the YAML parser costs more than everything else here, and most files are all comments.
  if (text === undefined || text.split("\n").every((line) => /^\s*(#|$)/.test(line))) return parsed({});
  const { parseYaml } = await import("../yaml/yaml.ts");
  const result = await parseYaml(text, { duplicates: "report" });
  if (!result.ok) return parsed({ syntax: result.problems[0] });
  const { root, duplicates } = result;
  if (root.kind === "map") {
    return parsed({ entries: new Map(root.entries.map((entry) => [entry.key, entry])), duplicates });
  }
  if (root.kind === "scalar" && root.value === null) return parsed({});
  const found = root.kind === "list" ? "a list" : "a single value";
  const message = `the top level is ${found}; expected \`key: value\` lines`;
  return parsed({ syntax: { line: root.line, column: root.column, message } });
}

/** The error for a key that a broken file keeps from being read. */
export function syntaxError(layer: ParsedLayer, problem: YamlProblem): JigError {
  return new JigError(describeProblem(layer.name, problem), {
    hint: `fix ${layer.path}; jig config check lists what is wrong with it`,
  });
}
