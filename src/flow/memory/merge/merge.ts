import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printableJson, valueLines } from "../../../kernel/text/printable.ts";
import { pythonJson } from "../../../kernel/text/python-json.ts";
import { readInput } from "../../common/arguments.ts";
import { mergeError, parsePayload } from "./payload.ts";
import { archivedOf, mergeRequested } from "./requested.ts";

export interface MergeOptions {
  /** The payload's file; stdin without. */
  from?: string | undefined;
  /** The file to merge into, instead of a text in the payload. */
  apply?: string | undefined;
  project?: string | undefined;
}

/** `jig flow memory merge` (docs/spec/flow.md 9.5): the text with notes merged in, or the file itself. */
export async function merge(host: Host, options: MergeOptions): Promise<Outcome> {
  const input = await readPayload(host, options.from ?? "-");
  if (options.apply !== undefined) {
    const { applyMerge } = await import("./apply.ts");
    return applyMerge(host, parsePayload(input, true), options.apply, options.project);
  }
  const request = parsePayload(input);
  const merged = mergeRequested(request);
  if (request.fileText === undefined) {
    return { data: { section_text: merged.text }, text: shown(merged.text), notes: merged.warnings };
  }
  const archived = archivedOf(request, merged);
  return {
    data: { file_text: merged.text, ...archived },
    text:
      request.archive === undefined
        ? shown(merged.text)
        : printableJson(pythonJson({ file_text: merged.text, ...archived })),
    notes: merged.warnings,
  };
}

/** One newline more than the text has, as upstream prints it. */
function shown(text: string): Outcome["text"] {
  return valueLines(`${text}\n`);
}

async function readPayload(host: Host, from: string): Promise<string> {
  try {
    return await readInput(host, from);
  } catch (error) {
    if (error instanceof JigError && !error.verbatim) throw mergeError(`cannot read ${error.message}`);
    throw error;
  }
}
