import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { failure, failureLines, reasonOf } from "../common/fail.ts";
import { readInputFile } from "../common/input.ts";
import { problemText } from "../common/problem.ts";
import { EMBEDDED } from "./descriptor.ts";
import { graphErrors } from "./graph.ts";
import { parsePipeline } from "./parse.ts";
import { readPipeline } from "./resolve/resolve.ts";
import type { PipelineLint } from "./schema.ts";

const NAME = "pipeline-lint";

/** `pipeline-lint [PIPELINE]`: silent and exit 0 when the file parses and its graph holds, exit 2 with the reasons otherwise. */
export async function pipelineLint(
  host: Host,
  path: string | undefined,
  json: boolean,
): Promise<Outcome<PipelineLint>> {
  const pipeline = await readPipelineFile(host, path || EMBEDDED);
  const errors = graphErrors(pipeline).map(({ message }) => message);
  const data: PipelineLint = { ok: errors.length === 0, path: path || EMBEDDED, errors };
  if (errors.length > 0 && !json) throw failureLines(errors.map((error) => `  - ${error}`));
  return { data, text: "", exitCode: data.ok ? 0 : 2 };
}

async function readPipelineFile(host: Host, path: string) {
  if (path === EMBEDDED) return readPipeline(host, NAME, path);
  let text: string;
  try {
    text = readInputFile(host, path);
  } catch (error) {
    throw failure(NAME, reasonOf(error));
  }
  const read = await parsePipeline(path, text);
  if (!read.ok) throw failure(NAME, problemText(read.problem, host));
  return read.pipeline;
}
