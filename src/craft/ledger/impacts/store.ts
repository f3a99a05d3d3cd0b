import { Refused, readOwnedFile } from "../../../kernel/files/owned-file.ts";
import type { ImpactEntry, VerdictEntry } from "./entry.ts";

/** Largest store read, in bytes. */
const MAX_STORE_BYTES = 64 * 1024 * 1024;

/** A finding as the store has it; a field is missing when a crash cut its entry off. */
export interface StoredImpact extends Partial<ImpactEntry> {
  id: string;
  number: number;
  phase?: string;
  captured?: string;
  /** The last one counts. */
  verdict?: { verdict: string; rationale?: string; at?: string };
}

/** An entry that lacks a field keeps its id for ever, is never restored and gets no verdict. */
export function isComplete(
  impact: StoredImpact,
): impact is Required<Omit<StoredImpact, "verdict">> & StoredImpact {
  const { title, phase, captured, locus, reason, proof, expected } = impact;
  return [title, phase, captured, locus, reason, proof, expected].every((field) => field !== undefined);
}

/** Read a store file; a missing one is empty. Throws `Refused` for anything but a regular file. */
export function readStore(path: string): StoredImpact[] {
  try {
    const bytes = readOwnedFile(path, { uid: undefined, maxBytes: MAX_STORE_BYTES });
    return parseStore(new TextDecoder().decode(bytes));
  } catch (error) {
    if (error instanceof Refused && error.reason === "absent") return [];
    throw error;
  }
}

/** The findings of a store in its order; what is not known is skipped, a line without an end is no line. */
export function parseStore(text: string): StoredImpact[] {
  const impacts = new Map<string, StoredImpact>();
  let current: StoredImpact | undefined;
  let verdict: StoredImpact["verdict"];
  let proof: string[] | undefined;
  const endProof = () => {
    if (proof !== undefined && current !== undefined) {
      while (proof.at(-1) === "") proof.pop();
      current.proof = proof.join("\n");
    }
    proof = undefined;
  };
  for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
    const heading = /^## (I(\d+)) (.*)$/.exec(line);
    const judged = /^### (I\d+) verdict (\S+)$/.exec(line);
    if (heading !== null) {
      endProof();
      verdict = undefined;
      const [, id, number, title] = heading;
      current = impacts.get(id!) ?? { id: id!, number: Number(number), title: title! };
      impacts.set(id!, current);
    } else if (judged !== null) {
      endProof();
      const impact = impacts.get(judged[1]!);
      verdict = { verdict: judged[2]! };
      if (impact !== undefined) impact.verdict = verdict;
      current = undefined;
    } else if (proof !== undefined && (line.startsWith("  ") || line === "")) {
      proof.push(line.slice(2));
    } else if (verdict !== undefined) {
      const [, key, value] = /^(at|rationale): (.*)$/.exec(line) ?? [];
      if (key === "at" || key === "rationale") verdict[key] = value!;
    } else if (current !== undefined) {
      endProof();
      const [, key, value] = /^(phase|captured|locus|reason|proof|expected):(?: (.*))?$/.exec(line) ?? [];
      if (key === "proof") proof = [];
      else if (key !== undefined) current[key as "phase"] = value ?? "";
    }
  }
  endProof();
  return [...impacts.values()];
}

/** The lines of a finding, as they are appended (without the last line's end). */
export function entryLines(id: string, entry: ImpactEntry, phase: string, captured: string): string[] {
  return [
    "",
    `## ${id} ${entry.title}`,
    `phase: ${phase}`,
    `captured: ${captured}`,
    `locus: ${entry.locus}`,
    `reason: ${entry.reason}`,
    "proof:",
    ...entry.proof.split("\n").map((line) => `  ${line}`),
    `expected: ${entry.expected}`,
  ];
}

/** The lines of a judgement, as they are appended. */
export function verdictLines({ id, verdict, rationale }: VerdictEntry, at: string): string[] {
  return ["", `### ${id} verdict ${verdict}`, `at: ${at}`, `rationale: ${rationale}`];
}
