/** What the orchestrator says of a finding it defers, and what it says of it later (docs/spec/craft-run.md 2.9, 2.10). */

/** Largest entry of `defer`, in bytes. */
export const MAX_ENTRY_BYTES = 65_536;

const MAX_TITLE = 200;
const MAX_RATIONALE = 1_000;

/** Why a finding is not folded now; exactly one of these. */
export const REASONS = [
  "out of scope",
  "needs its own decision",
  "needs a probe",
  "waits on an external trigger",
  "adds feature behaviour",
  "the fix did not pass its gate",
] as const;

/** A finding as it is deferred. */
export interface ImpactEntry {
  title: string;
  /** Repository-relative path, with `:L<n>` or `:L<n>-L<m>` behind it where it helps. */
  locus: string;
  reason: string;
  /** Lines without their indentation. */
  proof: string;
  expected: string;
}

/** A judgement of a deferred finding. */
export interface VerdictEntry {
  id: string;
  verdict: string;
  rationale: string;
}

export type Read<T> = { ok: true; value: T } | { ok: false; problem: string };

const KEYS = ["title", "locus", "reason", "proof", "expected"] as const;

/** Read one entry of `defer`; the problem names the field. */
export function readImpact(text: string): Read<ImpactEntry> {
  const control = controlProblem(text);
  if (control !== undefined) return { ok: false, problem: control };
  const fields = new Map<string, string>();
  const body: string[] = [];
  let inProof = false;
  for (const line of linesOf(text)) {
    const key = /^([A-Za-z][A-Za-z0-9_-]*):(.*)$/s.exec(line);
    if (inProof && (line.startsWith("  ") || line.trim() === "")) {
      body.push(line.startsWith("  ") ? line.slice(2) : "");
      continue;
    }
    if (line.trim() === "") continue;
    if (key === null) {
      const where = fields.size === 0 ? "before the first key" : "that belongs to no key";
      return { ok: false, problem: `text ${where}: ${line}` };
    }
    const [, name, value] = key;
    if (!(KEYS as readonly string[]).includes(name!)) {
      return { ok: false, problem: `unknown key ${name}; the keys are ${KEYS.join(", ")}` };
    }
    if (fields.has(name!)) return { ok: false, problem: `${name} is given twice` };
    fields.set(name!, value!.trim());
    inProof = name === "proof";
    if (inProof && value!.trim() !== "") body.push(value!.trim());
  }
  while (body.at(-1)?.trim() === "") body.pop();
  const entry: ImpactEntry = {
    title: fields.get("title") ?? "",
    locus: fields.get("locus") ?? "",
    reason: fields.get("reason") ?? "",
    proof: body.join("\n"),
    expected: fields.get("expected") ?? "",
  };
  const problem = impactProblem(entry, fields);
  return problem === undefined ? { ok: true, value: entry } : { ok: false, problem };
}

function impactProblem(entry: ImpactEntry, fields: ReadonlyMap<string, string>): string | undefined {
  if (!fields.has("proof") || entry.proof === "") return "proof is missing or empty; indent its lines by two";
  if (entry.expected === "") return "expected is missing or blank";
  if (entry.title === "") return "title is missing or blank";
  if ([...entry.title].length > MAX_TITLE) return `title is longer than ${MAX_TITLE} characters`;
  for (const key of ["title", "locus", "reason", "expected"] as const) {
    if (entry[key].includes("\t")) return `${key} holds a control character (a tab)`;
  }
  const locus = locusProblem(entry.locus);
  if (locus !== undefined) return `locus ${locus}`;
  if ((REASONS as readonly string[]).includes(entry.reason)) return undefined;
  return `reason must be one of: ${REASONS.join("; ")}`;
}

function locusProblem(locus: string): string | undefined {
  if (locus === "") return "is missing or blank";
  if (/^[/\\]|^[A-Za-z]:/.test(locus)) return "must be relative to the repository, not absolute";
  if (/^(~|\$HOME|\$\{HOME\}|%USERPROFILE%)/i.test(locus)) return "must not start in a home directory";
  if (/\s/.test(locus)) return "holds whitespace";
  const { file, lines } = splitLocus(locus);
  if (file === "") return "names no file";
  if (file.split(/[/\\]/).includes("..")) return "has a .. step";
  if (lines?.some((line) => line < 1)) return "counts lines from 1";
  return undefined;
}

/** The file of a locus and the lines behind it. */
export function splitLocus(locus: string): { file: string; lines?: number[] } {
  const match = /^(.*):L(\d+)(?:-L(\d+))?$/.exec(locus);
  if (match === null) return { file: locus };
  return { file: match[1]!, lines: [match[2], match[3]].filter((n) => n !== undefined).map(Number) };
}

/** Form of an impact's id. */
export const IMPACT_ID = /^I[1-9]\d*$/;

const VERDICT = /^[a-z][a-z0-9-]*(:[A-Za-z0-9][A-Za-z0-9-]*)?$/;

/** Most entries, and most bytes, of one call of `verdict`. */
export const MAX_VERDICTS = 100;
export const MAX_VERDICT_BYTES = 256 * 1024;

/** Read the entries of `verdict`; with an id given as the argument exactly one, which then needs no `id:`. */
export function readVerdicts(text: string, id: string | undefined): Read<VerdictEntry[]> {
  const control = controlProblem(text);
  if (control !== undefined) return { ok: false, problem: control };
  const blocks = blocksOf(text);
  if (blocks.length === 0) return { ok: false, problem: "no entry; the keys are id, verdict, rationale" };
  if (blocks.length > MAX_VERDICTS) return { ok: false, problem: `more than ${MAX_VERDICTS} entries` };
  if (id !== undefined && blocks.length > 1)
    return { ok: false, problem: `${id} is given, so one entry is expected` };
  const entries: VerdictEntry[] = [];
  const seen = new Set<string>();
  for (const block of blocks) {
    const read = readVerdict(block, id);
    if (!read.ok) return read;
    if (seen.has(read.value.id))
      return { ok: false, problem: `id ${read.value.id} stands in the input twice` };
    seen.add(read.value.id);
    entries.push(read.value);
  }
  return { ok: true, value: entries };
}

function readVerdict(lines: readonly string[], given: string | undefined): Read<VerdictEntry> {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const [, key, value] = /^([A-Za-z][A-Za-z0-9_-]*):(.*)$/.exec(line) ?? [];
    if (key === undefined) return { ok: false, problem: `no key in the line: ${line}` };
    if (!["id", "verdict", "rationale"].includes(key)) {
      return { ok: false, problem: `unknown key ${key}; the keys are id, verdict, rationale` };
    }
    if (fields.has(key)) return { ok: false, problem: `${key} is given twice` };
    fields.set(key, value!.trim());
  }
  const id = fields.get("id") ?? given ?? "";
  if (!IMPACT_ID.test(id)) return { ok: false, problem: `id must be I and a number, got '${id}'` };
  if (given !== undefined && id !== given) return { ok: false, problem: `id ${id} is not ${given}` };
  const verdict = fields.get("verdict") ?? "";
  if (!VERDICT.test(verdict))
    return { ok: false, problem: `verdict '${verdict}' of ${id} is none; expected word or word:Word` };
  const rationale = fields.get("rationale") ?? "";
  if (rationale === "") return { ok: false, problem: `rationale of ${id} is missing or blank` };
  if ([...rationale].length > MAX_RATIONALE) {
    return { ok: false, problem: `rationale of ${id} is longer than ${MAX_RATIONALE} characters` };
  }
  if (rationale.includes("\t"))
    return { ok: false, problem: `rationale of ${id} holds a control character (a tab)` };
  return { ok: true, value: { id, verdict, rationale } };
}

function blocksOf(text: string): string[][] {
  const blocks: string[][] = [];
  let block: string[] = [];
  for (const line of [...linesOf(text), ""]) {
    if (line.trim() !== "") block.push(line);
    else if (block.length > 0) {
      blocks.push(block);
      block = [];
    }
  }
  return blocks;
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

/** C0 but for line breaks and tabs, DEL, C1. */
function controlProblem(text: string): string | undefined {
  const found = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n|$)/.exec(text);
  if (found === null) return undefined;
  const line = text.slice(0, found.index).split("\n").length;
  const code = found[0].charCodeAt(0).toString(16).padStart(2, "0");
  return `control character \\x${code} in line ${line}`;
}
