import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { assetText } from "../../runtime/assets.ts";
import { failureLines, reasonOf } from "../common/fail.ts";
import { absolutePath, readInputFile } from "../common/input.ts";
import { BUNDLES, type Bundle } from "../common/vocabulary.ts";
import { bundleFileState } from "./bundles.ts";
import { phraseProblems } from "./phrases.ts";
import type { ContractsReport } from "./schema.ts";

const NAME = "contracts-lint";

/** Check the seven bundle files of a directory, or the embedded ones (docs/spec/craft-engine.md 11.4). */
export function contractsLint(
  host: Host,
  options: { directory: string | undefined; markers: boolean },
): Outcome<ContractsReport> {
  const directory = options.directory === undefined ? undefined : absolutePath(host, options.directory);
  const problems = BUNDLES.flatMap((bundle) => bundleProblems(host, directory, bundle, options.markers));
  if (problems.length > 0) throw failureLines(problems.map((problem) => `${NAME}: ${problem}`));
  const data: ContractsReport = { ok: true, bundles: BUNDLES.length, directory: directory ?? null };
  return { data, text: `${NAME}: all ${BUNDLES.length} bundles OK (${directory ?? "embedded"})` };
}

function bundleProblems(
  host: Host,
  directory: string | undefined,
  bundle: Bundle,
  markers: boolean,
): string[] {
  const path = directory === undefined ? `(embedded) ${bundle}.md` : join(directory, `${bundle}.md`);
  let text: string;
  if (directory === undefined) {
    text = assetText(`assets/contracts/${bundle}.md`);
  } else {
    const state = bundleFileState(path);
    if (state === "absent") return [`missing bundle file: ${path}`];
    if (state === "not-regular") return [`not a regular file: ${path}`];
    try {
      text = readInputFile(host, path);
    } catch (error) {
      return [`unreadable bundle file: ${reasonOf(error)}`];
    }
  }
  if (text.trim() === "") return [`bundle file is empty: ${path}`];
  const problems: string[] = [];
  if (/retrieval/i.test(text)) {
    problems.push(`bundle "${bundle}" must not contain "retrieval" (engine derives it): ${path}`);
  }
  if (markers) {
    problems.push(...phraseProblems(bundle, text).map((problem) => `bundle "${bundle}" ${problem}: ${path}`));
  }
  return problems;
}
