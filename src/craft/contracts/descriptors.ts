import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { isTerminal } from "../../runtime/stdio.ts";
import { failure, reasonOf } from "../common/fail.ts";
import { readInputFile, readPayload } from "../common/input.ts";
import { BUNDLES, type Bundle, isOneOf } from "../common/vocabulary.ts";
import { readPipeline } from "../pipeline/resolve/resolve.ts";

const NAME = "contract-assemble";

/** All that a contract needs of a phase. */
export interface ContractDescriptor {
  id: string;
  contract: readonly unknown[];
}

/** Where descriptors come from: the embedded pipeline unless a file is named. */
export interface DescriptorSource {
  pipeline: string | undefined;
  /** A file, or `-`: one descriptor, a list of them, or a whole Resolution. Replaces the pipeline. */
  json: string | undefined;
}

/** The descriptors of a call, by id. Throws the verb's failure (docs/spec/craft-engine.md 11.1). */
export async function readDescriptors(
  host: Host,
  source: DescriptorSource,
): Promise<ReadonlyMap<string, ContractDescriptor>> {
  if (source.json === undefined) {
    const pipeline = await readPipeline(host, NAME, source.pipeline);
    return new Map(pipeline.map((descriptor) => [descriptor.id, descriptor]));
  }
  const value = parseJson(await readJson(host, source.json));
  const found = new Map<string, ContractDescriptor>();
  for (const entry of entriesOf(value)) {
    const { id, contract } = (typeof entry === "object" && entry !== null ? entry : {}) as Record<
      string,
      unknown
    >;
    if (typeof id !== "string" || !Array.isArray(contract)) {
      throw failure(
        NAME,
        `descriptor ${JSON.stringify(id ?? null)}: contract must be a list of bundle names`,
      );
    }
    found.set(id, { id, contract });
  }
  return found;
}

/** The bundles of a descriptor; an unknown one is a failure. */
export function bundlesOf({ contract }: ContractDescriptor): Bundle[] {
  return contract.map((name) => {
    if (isOneOf(BUNDLES, name)) return name;
    throw failure(NAME, `Unknown contract bundle: ${JSON.stringify(name)}`);
  });
}

async function readJson(host: Host, path: string): Promise<string> {
  try {
    if (path !== "-") return readInputFile(host, path);
    if (isTerminal("stdin")) throw failure(NAME, "--descriptor-json - needs input on stdin");
    return await readPayload(host, NAME, { from: "-" });
  } catch (error) {
    if (error instanceof JigError && error.verbatim) throw error;
    throw failure(NAME, `failed to read --descriptor-json: ${reasonOf(error)}`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failure(NAME, `failed to parse --descriptor-json: ${(error as Error).message}`);
  }
}

function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const effective = (value as { effective?: unknown } | null)?.effective;
  return Array.isArray(effective) ? effective : [value];
}
