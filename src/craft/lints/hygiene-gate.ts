import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure } from "../common/fail.ts";
import { child, offending, stringOf } from "../manifest/nodes.ts";
import { readManifest } from "../manifest/read.ts";
import type { HygieneGate } from "./schema.ts";

const NAME = "hygiene-gate";

/** How the hygiene lints count in a repository: the manifest's `hygiene.gate`, else advisory (craft-engine.md 15). */
export async function hygieneGate(host: Host, manifest: string | undefined): Promise<Outcome<HygieneGate>> {
  if (manifest === undefined || manifest === "") return outcome("advisory");
  const read = await readManifest(host, manifest, "resolve");
  if (read.kind === "problem") {
    const malformed = `${NAME}: ${printable(manifest)} cannot be read as a manifest: ${read.problem.message}`;
    return outcome("advisory", [malformed]);
  }
  const gate = read.kind === "map" ? child(child(read.map, "hygiene"), "gate") : undefined;
  if (gate === undefined) return outcome("advisory");
  const word = stringOf(gate);
  if (word === "advisory" || word === "blocking") return outcome(word);
  throw failure(NAME, `unknown hygiene gate: ${offending(gate)} (expected one of advisory, blocking)`, 1);
}

function outcome(gate: HygieneGate["gate"], notes: readonly string[] = []): Outcome<HygieneGate> {
  return { data: { gate }, text: gate, notes };
}
