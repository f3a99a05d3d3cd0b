import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { byCodePoint } from "../../kernel/text/code-point-order.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure } from "../common/fail.ts";
import { decisionRecords, livingPages } from "./pages.ts";
import type { CorpusFiles } from "./schema.ts";

/** `living-corpus` (docs/spec/craft-run.md 6.1): the pages below the working directory, and the backlog. */
export function livingCorpus(host: Host): Outcome<CorpusFiles> {
  const pages = livingPages(host.cwd);
  if (pages.length === 0) throw failure("living-corpus", "enumerated zero living pages", 1);
  return listed([...pages, "BACKLOG.md"].toSorted(byCodePoint));
}

/** `governing-corpus` (docs/spec/craft-run.md 6.4): decision records with a fence, named as the directory was. */
export function governingCorpus(host: Host, directory: string): Outcome<CorpusFiles> {
  const path = absoluteFrom(host.cwd, directory);
  if (directory === "" || !isDirectory(path)) {
    throw failure("governing-corpus", `not a directory: ${printable(directory)}`, 1);
  }
  const prefix = directory.endsWith("/") ? directory : `${directory}/`;
  const files = decisionRecords(path).map((name) => prefix + name);
  if (files.length > 0) return listed(files);
  return {
    ...listed(files),
    notes: ["governing-corpus: no decision record carries a frontmatter fence yet"],
  };
}

/** Names as they are: a program reads them back. */
function listed(files: string[]): Outcome<CorpusFiles> {
  return { data: { files }, text: files.map((file) => `${file}\n`).join("") };
}
