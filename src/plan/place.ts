/** Where a repository keeps its plans. */
import { join } from "node:path";
import { belowDocsRoot, type DocsRoot, docsRootOf, requireRepository } from "../kernel/config/docs-root.ts";
import { type ParsedLayer, parseLayer, readConfig } from "../kernel/config/layers.ts";
import type { RepositoryHost } from "../kernel/repository/repository.ts";

export interface Place {
  /** Real path of the repository. */
  repository: string;
  /** Artifact root, relative to the repository. */
  root: string;
  /** Absolute path of the plans' directory; it may not exist. */
  plans: string;
  docs: DocsRoot;
  layers: { repo: ParsedLayer; local: ParsedLayer };
}

/** Throws `JigError` (exit 1) outside a repository and for a wrong `docs_root`. */
export async function findPlace(host: RepositoryHost): Promise<Place> {
  const config = await readConfig(host);
  const repository = requireRepository(config);
  const layers = { repo: await parseLayer(config.repo!), local: await parseLayer(config.local!) };
  const docs = docsRootOf(repository, layers.repo, layers.local);
  const place = { repository, root: docs.root, plans: join(repository, docs.root, "plans"), docs, layers };
  checkContained(place);
  return place;
}

/** A `docs_root` that is set keeps its plans inside the repository, whatever links are on the way. Throws `JigError`. */
export function checkContained({ docs }: Pick<Place, "docs">): void {
  belowDocsRoot(docs, "plans");
}
