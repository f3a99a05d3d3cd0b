import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { byCodePoint } from "../../kernel/text/code-point-order.ts";
import { printable } from "../../kernel/text/printable.ts";
import { baseCommit } from "../common/base-revision.ts";
import { literalPrefix } from "../common/glob.ts";
import { documentText } from "../common/result.ts";
import { directoryIn } from "../lessons/hint.ts";
import { lessonsAbout, ratifiedLessons } from "../lessons/ratified.ts";
import { child, stringOf, wordOf } from "../manifest/nodes.ts";
import { askCorpus } from "./ask.ts";
import { type Change, type ChangeFlags, changeOf } from "./change.ts";
import { type Corpus, corpusOf, livingLane } from "./lanes.ts";
import { type Page, readPages, type SkippedPage } from "./pages.ts";
import { type Freshness, FreshnessSchema } from "./schema.ts";

export interface AssertFlags extends ChangeFlags {
  manifest?: string | undefined;
  gate?: string | undefined;
  tokens: boolean;
}

/** `intention assert-fresh` (docs/spec/craft-run.md 6.3). Exit 1 when the gate blocks and a page is stale. */
export async function assertFresh(host: Host, flags: AssertFlags): Promise<Outcome<Freshness>> {
  const corpus = await corpusOf(host, flags.manifest);
  const { change, notes } = await changeOf(host, corpus, flags);
  const report =
    corpus.custom === undefined
      ? await reportOf(host, corpus, change, flags.base)
      : await askCorpus(host, corpus, "assert", change, FreshnessSchema);
  const gate = flags.gate ?? stringOf(child(child(corpus.manifest, "intention"), "gate")) ?? "advisory";
  const blocks = gate === "blocking" && report.stale.some(({ waived }) => !waived);
  const json = documentText(report);
  return {
    data: report,
    text: flags.tokens ? tokenLines(report) : json,
    json,
    exitCode: blocks ? 1 : 0,
    notes,
  };
}

async function reportOf(
  host: Host,
  corpus: Corpus,
  change: Change,
  base: string | undefined,
): Promise<Freshness> {
  const { pages, skipped } = await readPages(corpus.root, livingLane(host, corpus, []));
  const lessons = await staleLessons(host, corpus, change, base);
  return { ...(lessons === undefined ? {} : { lessons }), ...judgeFreshness(pages, skipped, change) };
}

/** Which pages a change leaves behind: pure. Keys stand in alphabetical order. */
export function judgeFreshness(pages: readonly Page[], skipped: SkippedPage[], change: Change): Freshness {
  const touched = new Set(change.touched);
  const stale = pages.flatMap(({ path, subjects }) => {
    const changedPaths = touched.has(path)
      ? []
      : change.changed.filter(subjects.matches).toSorted(byCodePoint);
    return changedPaths.length === 0
      ? []
      : [{ changedPaths, page: path, waived: change.waived.includes(path) }];
  });
  const subjects = pages.flatMap((page) => page.subjects.globs);
  const uncovered = change.covers.filter((scope) => !subjects.some((glob) => overlaps(scope, glob)));
  return {
    ...(subjects.length === 0 ? { note: "no living pages carry subjects" } : {}),
    schemaVersion: 1,
    skipped: skipped.map(({ page, reason }) => ({ page, reason })),
    stale,
    uncovered: uncovered.map((scope) => ({ scope })),
  };
}

/** Whether two globs may meet, by what is literal at their beginnings. */
function overlaps(a: string, b: string): boolean {
  const [one, other] = [literalPrefix(a), literalPrefix(b)].map((prefix) => prefix.replace(/\/$/, "")) as [
    string,
    string,
  ];
  const holds = (outer: string, inner: string) =>
    outer === "" || outer === inner || inner.startsWith(`${outer}/`);
  return holds(one, other) || holds(other, one);
}

const DEFAULT_LESSONS = "docs/lessons";

/** Merged lessons about what changed that the change leaves as they are; undefined without a directory of them. */
async function staleLessons(
  host: Host,
  { root, manifest }: Corpus,
  change: Change,
  base: string | undefined,
): Promise<Freshness["lessons"]> {
  try {
    const directory = directoryIn(
      root,
      wordOf(child(child(manifest, "paths"), "lessons")) ?? DEFAULT_LESSONS,
    );
    const commit = directory === undefined ? undefined : await baseCommit(host, root, base);
    if (commit === undefined) return undefined;
    const found = await ratifiedLessons(host, root, commit, directory!);
    const changed = change.changed.toSorted(byCodePoint);
    return found === undefined
      ? undefined
      : lessonsAbout(found.lessons, changed)
          .filter(({ path }) => !change.touched.includes(path))
          .map(({ path, matched }) => ({ changedPaths: matched, lesson: path }));
  } catch (error) {
    // Without git there is no base.
    if (error instanceof JigError) return undefined;
    throw error;
  }
}

function tokenLines({ stale, lessons = [] }: Freshness): string {
  const drift = stale
    .filter(({ waived }) => !waived)
    .flatMap(({ page, changedPaths }) => changedPaths.map((path) => `INTENTION-DRIFT(${page}): ${path}`));
  const again = lessons.flatMap(({ lesson, changedPaths }) =>
    changedPaths.map((path) => `LESSON-REVERIFY(${lesson}): ${path}`),
  );
  return [...drift, ...again].map((line) => `${printable(line)}\n`).join("");
}
