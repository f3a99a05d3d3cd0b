/** What an entry's `source` means, decided from its text alone (docs/spec/packs.md 5.2 and 5.3). */
import { maskPasswords, type PackEntry } from "../../kernel/config/packs-config.ts";
import { credentialProblem } from "./credentials.ts";

export interface GitSource {
  kind: "git";
  /** As the config file has it. */
  declared: string;
  /** Without a tree part. */
  url: string;
  ref: string;
  /** Directory inside the checkout; undefined for its top. */
  path: string | undefined;
  /** Whether ref and path came out of a tree URL, which cannot hold a branch name with a slash. */
  fromTree: boolean;
}

export interface PathSource {
  kind: "path";
  declared: string;
}

/** Why a source cannot be used. */
export interface Refusal {
  kind: "refused";
  error: string;
}

/** Judge the source of an entry that passed the shape checks. No file and no git command is touched. */
export function classifySource(entry: PackEntry): GitSource | PathSource | Refusal {
  const declared = text(entry, "source");
  const tree = splitTreeUrl(declared);
  if (tree !== undefined || isGit(declared)) return gitSource(entry, declared, tree);
  if (entry.values.ref !== undefined) {
    return refused("`ref:` is only valid on git sources; path sources are read live");
  }
  if (entry.values.path !== undefined) {
    return refused("`path:` is only valid on git sources; point `source:` at the directory instead");
  }
  return { kind: "path", declared };
}

function gitSource(entry: PackEntry, declared: string, tree: Tree | undefined): GitSource | Refusal {
  const givenRef = text(entry, "ref");
  const givenPath = text(entry, "path");
  if (tree !== undefined) {
    if (givenRef !== "" && givenRef !== tree.ref) {
      return refused(`tree URL pins ref \`${tree.ref}\` but entry says \`ref: ${givenRef}\` -- remove one`);
    }
    if (givenPath !== "" && tree.path !== "" && trimSlashes(givenPath) !== tree.path) {
      return refused(`tree URL path \`${tree.path}\` conflicts with \`path: ${givenPath}\` -- remove one`);
    }
  }
  const ref = tree?.ref ?? givenRef;
  if (ref === "") return refused(`git source \`${declared}\` requires \`ref:\` (tag, sha, or branch)`);
  if (ref.startsWith("-") || declared.startsWith("-"))
    return refused("git source/ref may not begin with `-`");
  const problem = credentialProblem(tree?.url ?? declared);
  if (problem !== undefined) return refused(`git source \`${declared}\`: ${problem}`);
  const path = tree?.path || givenPath || undefined;
  return { kind: "git", declared, url: tree?.url ?? declared, ref, path, fromTree: tree !== undefined };
}

function refused(error: string): Refusal {
  return { kind: "refused", error: maskPasswords(error) };
}

function text(entry: PackEntry, key: "source" | "ref" | "path"): string {
  return String(entry.values[key] ?? "");
}

function isGit(source: string): boolean {
  return /^(https?|ssh|git|file):\/\//.test(source) || /^[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:/.test(source);
}

interface Tree {
  url: string;
  ref: string;
  /** Without outer slashes; empty for the repository's top. */
  path: string;
}

function splitTreeUrl(source: string): Tree | undefined {
  const match = /^(https?:\/\/github\.com\/[^/]+\/[^/]+?)(?:\.git)?\/tree\/([^/]+)(\/.*)?$/.exec(source);
  if (match === null) return undefined;
  return { url: match[1]!, ref: match[2]!, path: trimSlashes(match[3] ?? "") };
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, "");
}

/** The id of a git source that is a single pack: the last part of its path, else of its url, never the cache key. */
export function gitSourceName({ url, path }: Pick<GitSource, "url" | "path">): string {
  const parts: string[] = [];
  for (const part of (path ?? "").split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.at(-1) ?? lastUrlPart(url);
}

function lastUrlPart(url: string): string {
  const last = url.replace(/\/+$/, "").split(/[/:]/).at(-1) ?? url;
  return last.replace(/\.git$/, "") || last;
}
