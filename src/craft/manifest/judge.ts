import type { Host } from "../../kernel/call/host.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import type { YamlMap, YamlNode } from "../../kernel/yaml/yaml.ts";
import { absolutePath, readInputFile } from "../common/input.ts";
import type { Problem } from "../common/problem.ts";
import { Findings } from "./findings.ts";
import { child, itemsOf, stringOf } from "./nodes.ts";
import { parseManifest, readManifest } from "./read.ts";
import { contextFor } from "./rules/context.ts";
import { criteriaProblems } from "./rules/dod.ts";
import { checkReference, referencedFile, referenceRoot } from "./rules/refs.ts";
import { checkManifest } from "./rules/top-level.ts";

export type ManifestStatus = "valid" | "invalid" | "no-manifest" | "no-frontmatter";

/** What the lint of one manifest found. */
export interface ManifestVerdict {
  /** As it was given. */
  path: string;
  status: ManifestStatus;
  errors: readonly Problem[];
  warnings: readonly Problem[];
}

export interface JudgeOptions {
  /** Warnings count as errors. */
  strict?: boolean;
  /** Judge the references as if the manifest stood at this path: for one that is renamed into place later. */
  as?: string;
  /** Judge this text as if it were the file's. */
  text?: string;
}

/** Judge a manifest file as `manifest-lint` does, printing nothing (docs/spec/craft-engine.md 3). */
export async function judgeManifest(
  host: Host,
  path: string,
  options: JudgeOptions = {},
): Promise<ManifestVerdict> {
  const { text } = options;
  const read =
    text === undefined ? await readManifest(host, path, "lint") : await parseManifest(path, text, "lint");
  if (read.kind === "absent") return { path, status: "no-manifest", errors: [], warnings: [] };
  if (read.kind === "none") return { path, status: "no-frontmatter", errors: [], warnings: [] };
  if (read.kind === "problem") {
    const { problem } = read;
    const message = read.of === "yaml" ? `malformed YAML frontmatter: ${problem.message}` : problem.message;
    return { path, status: "invalid", errors: [{ ...problem, message }], warnings: [] };
  }
  const findings = new Findings(path);
  const root = referenceRoot(absolutePath(host, options.as ?? path));
  const ref = (label: string, node: YamlNode) => checkReference(root, label, node, findings);
  checkManifest(contextFor(read.map, findings, "lint", { ref }));
  await checkDod(host, root, read.map, findings);
  const { errors, warnings } = findings;
  const all = options.strict ? [...errors, ...warnings] : errors;
  return {
    path,
    status: all.length > 0 ? "invalid" : "valid",
    errors: all,
    warnings: options.strict ? [] : warnings,
  };
}

/** The definition of done that the manifest names, when it is a file a reference may lead to. */
async function checkDod(host: Host, root: string, map: YamlMap, findings: Findings): Promise<void> {
  const node = child(child(map, "paths"), "dod");
  for (const item of node?.kind === "list" ? itemsOf(node) : [node]) {
    const ref = stringOf(item);
    const file = ref === undefined || ref === "" ? undefined : referencedFile(root, ref);
    if (file === undefined) continue;
    for (const problem of await dodProblems(host, file, ref!)) findings.include(problem, item!);
  }
}

async function dodProblems(host: Host, file: string, name: string): Promise<Problem[]> {
  let text: string;
  try {
    text = readInputFile(host, file);
  } catch (error) {
    if (error instanceof Refused) return [{ message: `dod: ${name} ${error.why}`, file: name }];
    throw error;
  }
  const read = await parseManifest(name, text, "lint");
  if (read.kind === "map") return criteriaProblems(name, read.map);
  if (read.kind !== "problem" || read.of !== "yaml") return [];
  const message = `dod: malformed YAML frontmatter — ${read.problem.message}`;
  return [{ ...read.problem, message }];
}
