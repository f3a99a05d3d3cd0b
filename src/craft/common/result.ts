import { lstatSync } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { jsonText } from "../../kernel/text/printable.ts";
import { failure, reasonOf } from "./fail.ts";
import { absolutePath } from "./input.ts";

/** A document as the engine prints it: indented by two, characters beyond ASCII as they are, a final newline. */
export function documentText(data: unknown): string {
  return `${jsonText(data, 2)}\n`;
}

/** The outcome of a verb whose result is a JSON document with or without `--json`. */
export function documentOutcome<T>(data: T, notes: readonly string[] = []): Outcome<T> {
  const text = documentText(data);
  return { data, text, json: text, notes };
}

export interface Delivery {
  /** The verb, for its messages. */
  name: string;
  /** `--out FILE`; undefined prints the document. */
  out: string | undefined;
  notes?: readonly string[];
  /** Stands behind the path on the one line that is printed: ` n=2`. */
  tail?: string;
  exitCode?: number;
}

/**
 * A document on stdout, or with `--out` in a file of its own: replaced atomically, in a directory that exists, never
 * through a symlink or onto anything but a regular file. stdout is then the file's absolute path
 * (docs/spec/craft-engine.md 1).
 */
export async function deliverDocument<T>(host: Host, data: T, delivery: Delivery): Promise<Outcome<T>> {
  const outcome = documentOutcome(data, delivery.notes);
  if (delivery.out === undefined) return outcome;
  const path = absolutePath(host, delivery.out);
  const refuse = (why: string) => failure(delivery.name, `--out ${path}: ${why}`, delivery.exitCode);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) throw refuse("is a symlink; name the file itself");
  if (found !== undefined && !found.isFile()) throw refuse("is not a regular file");
  try {
    const { writeFileAtomic } = await import("../../kernel/files/atomic.ts");
    writeFileAtomic(path, outcome.text as string, { keepMode: true });
  } catch (error) {
    throw refuse(reasonOf(error));
  }
  const line = `${path}${delivery.tail ?? ""}\n`;
  return { ...outcome, text: line, json: line };
}
