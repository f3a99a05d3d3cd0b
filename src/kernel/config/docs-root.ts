/** The artifact root, `docs_root` (docs/spec/config.md section 6): one folder below the repository, or an error, never a guess. */
import { statSync } from "node:fs";
import { join, sep } from "node:path";
import { errorCode, JigError, osReason } from "../call/errors.ts";
import { isInside, isStrictlyInside, realOrPlain, resolveReal, samePath } from "../files/contain.ts";
import { type Repository, type RepositoryHost, refusalHint } from "../repository/repository.ts";
import { printable } from "../text/printable.ts";
import { type YamlEntry, yamlValue } from "../yaml/yaml.ts";
import { type Config, type ParsedLayer, parseLayer, readConfig, syntaxError } from "./layers.ts";
import { scanLine, valueText } from "./resolve.ts";

const DEFAULT_ROOT = "docs";

export interface DocsRoot {
  /** Real path of the repository. */
  repository: string;
  /** Repository-relative, forward slashes, no trailing slash. */
  root: string;
  /** Absolute real path of the root; it may not exist. */
  absolute: string;
  layer: "default" | "config.yaml";
  /** 1-based line of the key; null by default. */
  line: number | null;
  /** What the local layer says; it is ignored. */
  localIgnored: string | null;
  /** Without the `warning: ` they are printed with. */
  warnings: string[];
}

/** The artifact root of the working directory's repository. Throws `JigError` (exit 1) outside one or for a wrong value. */
export async function findDocsRoot(host: RepositoryHost): Promise<DocsRoot> {
  const config = await readConfig(host);
  return docsRootOf(
    requireRepository(config),
    await parseLayer(config.repo!),
    await parseLayer(config.local!),
  );
}

/** The root of a repository that has to be there. */
export function requireRepository({ repository }: Config): string {
  if (repository.root !== undefined) return repository.root;
  throw notInRepository(repository);
}

function notInRepository(repository: Repository): JigError {
  const hint = refusalHint(repository) ?? "run it in a git working tree, or git init one";
  return new JigError("not inside a git repository", { hint });
}

/** `docs_root` of parsed layers. Throws `JigError`, exit 1, when the repo layer sets it to something unusable. */
export function docsRootOf(repository: string, repo: ParsedLayer, local: ParsedLayer): DocsRoot {
  const warnings: string[] = [];
  const entry = setEntry(repo, warnings);
  const localIgnored = ignoredValue(local);
  if (entry === undefined) {
    const absolute = realOrPlain(join(repository, DEFAULT_ROOT));
    return { repository, root: DEFAULT_ROOT, absolute, layer: "default", line: null, localIgnored, warnings };
  }
  const { value } = entry;
  const scalar = value.kind === "scalar" ? value.text : undefined;
  const checked = scalar === undefined ? { reason: NOT_A_PATH } : checkDocsRoot(repository, scalar);
  if ("reason" in checked) throw wrongValue(scalar ?? sourceText(repo, entry), checked.reason);
  return { repository, ...checked, layer: "config.yaml", line: entry.line, localIgnored, warnings };
}

function wrongValue(value: string, reason: string): JigError {
  return new JigError(`docs_root '${printable(value)}' in config.yaml: ${reason}`, {
    hint: "set docs_root to a folder below the repository root, or remove it to use docs",
  });
}

/** The entry when it is set: an absent, commented or null key is not. Throws when a broken file may hide it. */
function setEntry(repo: ParsedLayer, warnings: string[]): YamlEntry | undefined {
  if (repo.syntax !== undefined) {
    const named = repo.text.split("\n").some((line) => !/^\s*#/.test(line) && /\bdocs_root\b/.test(line));
    if (named) throw syntaxError(repo, repo.syntax);
    const { line, column, message } = repo.syntax;
    warnings.push(`${repo.name}:${line}: ${message} (column ${column}); docs_root is not named in it`);
    return undefined;
  }
  for (const duplicate of repo.duplicates) {
    if (duplicate.topLevel && duplicate.key === "docs_root") {
      warnings.push(`${repo.name}:${duplicate.line}: ${duplicate.message}; the first is used`);
    }
  }
  const entry = repo.entries.get("docs_root");
  return entry?.value.kind === "scalar" && entry.value.value === null ? undefined : entry;
}

function ignoredValue(local: ParsedLayer): string | null {
  if (local.syntax !== undefined) return scanLine(local.text, "docs_root")?.text ?? null;
  const node = local.entries.get("docs_root")?.value;
  if (node === undefined || (node.kind === "scalar" && node.value === null)) return null;
  return node.kind === "scalar" ? node.text : valueText(yamlValue(node));
}

/** A list or map as it stands in the file, so that a person recognises it. */
function sourceText(layer: ParsedLayer, { line, value }: YamlEntry): string {
  const written = layer.text.split("\n")[line - 1]?.replace(/^[^:]*:/, "") ?? "";
  const text = written.replace(/[ \t]#.*$/, "").trim();
  return text === "" ? valueText(yamlValue(value)) : text;
}

const NOT_A_PATH = "must be a single non-empty path";

/** The tests of section 6 in their order: the normalised root, or the reason it is refused. */
export function checkDocsRoot(
  repository: string,
  value: string,
): { root: string; absolute: string } | { reason: string } {
  if (value === "") return { reason: NOT_A_PATH };
  if (/^([/\\~]|[A-Za-z]:)/.test(value)) return { reason: "absolute paths are not allowed" };
  if (/[\u0000-\u001f\u007f-\u009f]/.test(value) || !value.isWellFormed()) {
    return { reason: "contains an invalid character" };
  }
  if (value.split(/[/\\]/).includes("..")) return { reason: "path traversal ('..') is not allowed" };
  const parts = value.split(sep === "\\" ? /[/\\]/ : "/").filter((part) => part !== "" && part !== ".");
  let absolute: string;
  try {
    absolute = resolveReal(join(repository, ...parts));
  } catch (error) {
    return { reason: `cannot be resolved: ${osReason(error)}` };
  }
  if (!isInside(repository, absolute)) return { reason: "resolves outside the repository" };
  if (samePath(repository, absolute)) return { reason: "resolves to the repository root itself" };
  const real = absolute.slice(repository.length).split(sep);
  if ([...parts, ...real].some((part) => part.toLowerCase() === ".git"))
    return { reason: "resolves inside .git" };
  const obstacle = obstacleAt(repository, absolute);
  return obstacle === undefined ? { root: parts.join("/"), absolute } : { reason: obstacle };
}

/** What already stands where the directory or one of its parents should be. */
function obstacleAt(repository: string, absolute: string): string | undefined {
  try {
    if (!statSync(absolute).isDirectory()) return "names an existing non-directory";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOTDIR") return "an intermediate path component is not a directory";
    if (code !== "ENOENT") return `cannot be looked at in ${repository}: ${osReason(error)}`;
  }
  return undefined;
}

/**
 * A path below the artifact root, for a consumer that is about to use it. Throws `JigError` when links lead a set root
 * out of the repository; the default `docs` may lead anywhere.
 */
export function belowDocsRoot(docs: DocsRoot, subdirectory: string): string {
  const path = realOrPlain(join(docs.absolute, subdirectory));
  if (docs.layer === "config.yaml" && !isStrictlyInside(docs.repository, path)) {
    throw wrongValue(`${docs.root}/${subdirectory}`, "resolves outside the repository");
  }
  return path;
}
