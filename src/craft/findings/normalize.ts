import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { failure } from "../common/fail.ts";
import { readPayload } from "../common/input.ts";
import { deliverDocument } from "../common/result.ts";
import type { Finding } from "./finding.ts";
import { parseFindings } from "./parse.ts";

const NAME = "normalize-findings";

/** Largest list of findings that is read, in bytes: several hundred thousand of them. */
export const MAX_FINDINGS_BYTES = 64 * 1024 * 1024;

export interface NormalizeOptions {
  /** FILE; "" or undefined is stdin. */
  file: string | undefined;
  from: string | undefined;
  out: string | undefined;
}

/** Findings in any accepted form as the canonical JSON list (docs/spec/craft-engine.md 15). */
export async function normalizeFindings(host: Host, options: NormalizeOptions): Promise<Outcome<Finding[]>> {
  const source = { from: options.from, positional: options.file };
  const parsed = parseFindings(await readPayload(host, NAME, source, { maxBytes: MAX_FINDINGS_BYTES }));
  if (!parsed.ok) throw failure(NAME, `Cannot parse findings: ${parsed.problem}`);
  const { findings } = parsed;
  return deliverDocument(host, findings, { name: NAME, out: options.out, tail: ` n=${findings.length}` });
}
