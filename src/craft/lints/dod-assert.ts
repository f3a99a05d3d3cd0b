import { statSync } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { containedRealPath } from "../../kernel/files/contain.ts";
import { jsonText, printable } from "../../kernel/text/printable.ts";
import { failure, failureLines } from "../common/fail.ts";
import { absolutePath } from "../common/input.ts";
import { child, itemsOf, stringOf } from "../manifest/nodes.ts";
import { readManifest } from "../manifest/read.ts";
import { criteriaProblems } from "../manifest/rules/dod.ts";
import type { DodReport } from "./schema.ts";

const NAME = "dod-assert";

export interface DodOptions {
  dod: string;
  root: string;
  /** Gates that are green, comma-joined; "" is none. */
  green: string;
}

/**
 * Judge the criteria of a definition of done that can be judged: a gate that is green, a file that is there. Nothing the
 * file names is run (docs/spec/craft-engine.md 15).
 */
export async function dodAssert(host: Host, options: DodOptions): Promise<Outcome<DodReport>> {
  const read = await readManifest(host, options.dod, "lint");
  if (read.kind === "absent") throw failure(NAME, `no such file: ${printable(options.dod)}`, 1);
  if (read.kind === "problem") {
    const { message, line } = read.problem;
    const where = line === undefined ? "" : ` (line ${line})`;
    throw failure(NAME, read.of === "yaml" ? `malformed YAML frontmatter — ${message}${where}` : message, 1);
  }
  const criteria = read.kind === "map" ? child(read.map, "criteria") : undefined;
  if (read.kind === "none" || criteria === undefined) return report({ outcomes: null });
  const problems = criteriaProblems(options.dod, read.map);
  if (problems.length > 0) {
    const lines = problems.map(({ message, line }) => `${NAME}: ${message}${line ? ` (line ${line})` : ""}`);
    throw failureLines(lines, 1);
  }
  const green = new Set(options.green.split(",").map((gate) => gate.trim()));
  green.delete("");
  const root = absolutePath(host, options.root);
  const outcomes = itemsOf(criteria).map((criterion) => {
    const id = stringOf(child(criterion, "id"))!;
    if (stringOf(child(criterion, "kind")) === "judgment") {
      return { id, kind: "judgment" as const, outcome: "judgment" as const };
    }
    const assert = child(criterion, "assert");
    const gate = stringOf(child(assert, "gate"));
    const file = stringOf(child(assert, "file-exists"));
    const met = gate === undefined ? existsInside(root, file!) : green.has(gate);
    return { id, kind: "auto" as const, outcome: met ? ("met" as const) : ("unmet" as const) };
  });
  return report({ outcomes });
}

function report(data: DodReport): Outcome<DodReport> {
  return { data, text: jsonText(data) };
}

/** Whether something stands at a path inside the root, by its real path. */
function existsInside(root: string, path: string): boolean {
  try {
    const real = containedRealPath(root, path);
    return real !== undefined && statSync(real, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A path the system refuses to follow is not there for us.
    return false;
  }
}
