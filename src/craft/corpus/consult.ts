import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { byCodePoint } from "../../kernel/text/code-point-order.ts";
import { failure } from "../common/fail.ts";
import { MAX_PATH_LIST_BYTES, pathsOf } from "../common/path-list.ts";
import { readRunPayload } from "../common/payload.ts";
import { deliverDocument } from "../common/result.ts";
import { askCorpus } from "./ask.ts";
import { corpusOf, governingLane, livingLane, NAME } from "./lanes.ts";
import { readPages } from "./pages.ts";
import { type Intention, IntentionSchema } from "./schema.ts";

export interface ConsultFlags {
  manifest?: string | undefined;
  "adr-dir"?: string | undefined;
  page: readonly string[];
  all: boolean;
  from?: string | undefined;
  out?: string | undefined;
}

/** `intention consult` (docs/spec/craft-run.md 6.2): the documents that state intent for a scope. */
export async function consult(host: Host, flags: ConsultFlags): Promise<Outcome<Intention>> {
  if (flags.all && flags.from !== undefined) throw failure(NAME, "--all needs no scope; leave --from out");
  const list = flags.all ? "" : await readRunPayload(host, `${NAME}: `, flags.from, MAX_PATH_LIST_BYTES);
  const corpus = await corpusOf(host, flags.manifest);
  const scope = pathsOf(corpus.root, list);
  const delivery = { name: NAME, out: flags.out };
  if (corpus.custom !== undefined) {
    return deliverDocument(host, await askCorpus(host, corpus, "consult", scope, IntentionSchema), delivery);
  }
  const lanes = [...livingLane(host, corpus, flags.page), ...governingLane(corpus, flags["adr-dir"])];
  // An empty scope means nothing, not everything.
  const wanted = flags.all || scope.length > 0 ? [...new Set(lanes)].toSorted(byCodePoint) : [];
  const { pages, skipped } = await readPages(corpus.root, wanted);
  const entries = pages
    .filter(({ subjects }) => flags.all || scope.some(subjects.matches))
    .map(({ path, purpose, subjects }) => ({
      path,
      purpose,
      ...(flags.all ? { subjects: [...subjects.globs] } : {}),
    }));
  return deliverDocument(host, { entries, skipped }, delivery);
}
