import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { byCodePoint } from "../../kernel/text/code-point-order.ts";
import type { YamlMap } from "../../kernel/yaml/yaml.ts";
import { containedTarget, repoRelative, repoRelativeFrom } from "../common/repo-path.ts";
import { workTree } from "../common/work-tree.ts";
import { child, stringOf, wordOf } from "../manifest/nodes.ts";
import { requireManifest } from "../manifest/require.ts";
import { decisionRecords, livingPages } from "./pages.ts";

export const NAME = "intention";

/** What a call of `intention` is about. */
export interface Corpus {
  root: string;
  manifest: YamlMap;
  /** The script that answers instead, when the manifest says so. */
  custom: { ref: string | undefined } | undefined;
}

export async function corpusOf(host: Host, manifestPath: string | undefined): Promise<Corpus> {
  const manifest = await requireManifest(host, NAME, manifestPath);
  const intention = child(manifest, "intention");
  const source = stringOf(child(intention, "source"));
  const custom =
    source !== undefined && source !== "file" ? { ref: wordOf(child(intention, "ref")) } : undefined;
  return { root: await workTree(host), manifest, custom };
}

/** Paths of the living lane: those given, the manifest's one, or where they are by convention. */
export function livingLane(host: Host, { root, manifest }: Corpus, given: readonly string[]): string[] {
  if (given.length > 0) {
    const paths = given.flatMap((page) => repoRelativeFrom(root, host.cwd, page) ?? []);
    return [...new Set(paths)].toSorted(byCodePoint);
  }
  const ref = wordOf(child(child(manifest, "intention"), "ref"));
  if (ref === undefined) return livingPages(root);
  const page = repoRelative(root, ref);
  return page === undefined ? [] : [page];
}

const DEFAULT_ADR_DIRECTORY = "docs/adr";

/** Paths of the governing lane; a directory that is not there, or outside, is an empty lane. */
export function governingLane({ root, manifest }: Corpus, given: string | undefined): string[] {
  const directory = given ?? wordOf(child(child(manifest, "paths"), "adr")) ?? DEFAULT_ADR_DIRECTORY;
  const relative = repoRelative(root, directory);
  const path = relative === undefined ? undefined : containedTarget(root, relative);
  return path === undefined ? [] : decisionRecords(path).map((name) => join(relative!, name));
}
