import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { printable } from "../../kernel/text/printable.ts";
import { readInputFile } from "../common/input.ts";
import { MAX_LESSON_BYTES, readLesson } from "./lesson.ts";
import type { LessonsLint } from "./schema.ts";

/** `lessons-lint` (docs/spec/craft-run.md 7.5): drafts against the form of a lesson. Exit 2 when one has a fault. */
export async function lessonsLint(host: Host, paths: readonly string[]): Promise<Outcome<LessonsLint>> {
  const faults: LessonsLint["faults"] = [];
  for (const path of paths) {
    for (const reason of await faultsOf(host, path)) faults.push({ path, reason });
  }
  const notes = faults.map(({ path, reason }) => `lessons-lint: ${printable(path)}: ${printable(reason)}`);
  return { data: { faults }, text: "", exitCode: faults.length === 0 ? 0 : 2, notes };
}

async function faultsOf(host: Host, path: string): Promise<readonly string[]> {
  try {
    const read = await readLesson(readInputFile(host, path, MAX_LESSON_BYTES));
    return read.ok ? [] : read.faults;
  } catch (error) {
    if (error instanceof Refused) return [error.why];
    throw error;
  }
}
