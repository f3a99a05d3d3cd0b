import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { pythonJson } from "../../kernel/text/python-json.ts";
import { readInput } from "../common/arguments.ts";
import { type ContractReport, checkContract } from "./contract.ts";

export interface ContractCheckOptions {
  kind: string;
  /** stdin without. */
  from: string | undefined;
  strict: boolean;
}

/** `jig flow contract-check` (docs/spec/flow.md 12.2): always exit 0, unless `strict` makes an invalid contract exit 1. */
export async function contractCheck(
  host: Host,
  { from = "-", kind, strict }: ContractCheckOptions,
): Promise<Outcome<ContractReport>> {
  const data = checkContract(kind, await readInput(host, from));
  const text = pythonJson(data);
  return { data, text, json: text, exitCode: strict && !data.valid ? 1 : 0 };
}
