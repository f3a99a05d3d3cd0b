import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { YamlNode } from "../../kernel/yaml/yaml.ts";
import { failure, failureLines, reasonOf } from "../common/fail.ts";
import { problemText } from "../common/problem.ts";
import { phaseId } from "../common/vocabulary.ts";
import { child, entriesOf, isNull } from "../manifest/nodes.ts";
import { readManifest } from "../manifest/read.ts";
import { assembleContract } from "./assemble.ts";
import { type BundleTexts, readBundles } from "./bundles.ts";
import { bundlesOf, type DescriptorSource, readDescriptors } from "./descriptors.ts";
import type { Contract } from "./schema.ts";

const NAME = "contract-assemble";

/** What stands for a call without the one flag it needs. */
export const USAGE =
  "Usage: contract-assemble --descriptor-id ID [--manifest PATH] [--inline] [--contracts-dir DIR] [--descriptor-json PATH|-]";

export interface ContractOptions extends DescriptorSource {
  id: string | undefined;
  manifest: string | undefined;
  inline: boolean;
  contractsDirectory: string | undefined;
}

/** The contract block of one phase (docs/spec/craft-engine.md 11.1). */
export async function contractAssemble(host: Host, options: ContractOptions): Promise<Outcome<Contract>> {
  if (options.id === undefined || options.id === "") throw failureLines([USAGE]);
  const descriptors = await readDescriptors(host, options);
  const descriptor = descriptors.get(options.id) ?? descriptors.get(phaseId(options.id));
  if (descriptor === undefined) {
    const known = printable([...descriptors.keys()].join(", "));
    throw failure(NAME, `unknown descriptor-id ${JSON.stringify(options.id)}. Known ids: ${known}`);
  }
  const contexts = await contextsOf(host, options.manifest || undefined, descriptor.id);
  const texts = bundleTexts(host, options.contractsDirectory || undefined);
  const bundles = bundlesOf(descriptor);
  const execution = options.inline ? "inline" : "agent";
  const text = assembleContract({ bundles, texts, execution, contexts });
  return { data: { id: descriptor.id, bundles, execution, text }, text };
}

function bundleTexts(host: Host, directory: string | undefined): BundleTexts {
  try {
    return readBundles(host, directory);
  } catch (error) {
    throw failure(NAME, `failed to load contract fragments: ${reasonOf(error)}`);
  }
}

/** The declared paths of the manifest's `context`, then of the phase's, under its id or an alias of it. */
async function contextsOf(host: Host, path: string | undefined, id: string): Promise<string[]> {
  if (path === undefined) return [];
  const read = await readManifest(host, path, "resolve");
  if (read.kind === "none") return [];
  if (read.kind === "absent") {
    throw failure(NAME, `failed to parse manifest: ${printable(path)}: no such file, or not a regular one`);
  }
  if (read.kind === "problem") {
    throw failure(NAME, `failed to parse manifest: ${problemText(read.problem, host)}`);
  }
  const phase = entriesOf(child(read.map, "phases")).find(({ key }) => phaseId(key) === id)?.value;
  return [child(read.map, "context"), child(phase, "context")].flatMap(pathsOf);
}

function pathsOf(node: YamlNode | undefined): string[] {
  if (node === undefined || isNull(node)) return [];
  if (node.kind === "list") return node.items.flatMap(pathsOf);
  return node.kind === "scalar" && node.text !== "" ? [node.text] : [];
}
