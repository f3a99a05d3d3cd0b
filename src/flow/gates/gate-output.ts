/** The output that goes with a gate (docs/spec/flow.md 7.1): whole on disk when it is long, cut in the event. */
import { mkdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { createExclusive } from "../../kernel/files/atomic.ts";
import { compactSeconds } from "../../kernel/text/time.ts";
import { readInputBytes } from "../common/arguments.ts";
import type { Layout } from "../common/layout.ts";
import { insideProject } from "../common/state-file.ts";

/** Characters that fit into an event. */
const MOST_CHARACTERS = 8_000;
const MOST_NAMES = 100;

export interface GateOutput {
  /** For the event. */
  details: string;
  /** Where the whole of it is, when it was cut. */
  path?: string;
  /** Take the file away again: the gate was not set. */
  undo(): void;
}

/** Read the output, and keep it beside the workflow when it is long. Throws `JigError`. */
export async function keepOutput(
  host: Host,
  layout: Layout,
  wf: string,
  gate: string,
  file: string,
): Promise<GateOutput> {
  const bytes = await readInputBytes(host, file);
  const text = new TextDecoder().decode(bytes);
  if (text.length <= MOST_CHARACTERS) return { details: text, undo: () => {} };
  const path = store(layout, wf, `gate-${gate}-${compactSeconds(host.now())}`, bytes);
  return { details: cut(text, path), path, undo: () => unlinkSync(path) };
}

function store(layout: Layout, wf: string, stem: string, bytes: Uint8Array): string {
  const directory = insideProject(layout.root, layout.memory(wf));
  mkdirSync(directory, { recursive: true });
  for (let count = 1; count < MOST_NAMES; count++) {
    const path = join(directory, `${stem}${count === 1 ? "" : `-${count}`}.log`);
    if (createExclusive(path, bytes)) return path;
  }
  throw new JigError(`${directory} holds ${MOST_NAMES} files ${stem}-N.log already`);
}

/** Beginning and end, where the reason of a failure mostly stands. */
function cut(text: string, path: string): string {
  const half = MOST_CHARACTERS / 2;
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  return `${head}\n… ${text.length - head.length - tail.length} characters cut, all are in ${path} …\n${tail}`;
}
