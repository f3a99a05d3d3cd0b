/**
 * A checkout says what it holds (docs/spec/packs.md section 6). Cleaners of `/tmp` delete by age, file by file, and a
 * checkout that lost some looks like one that never had them.
 */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createExclusive } from "../../kernel/files/atomic.ts";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";

/** In the checkout's own `.git`, where no pack can be and where a cleaner finds it as old as the rest. */
const PROOF = ".git/jig-checkout.json";

const VERSION = 1;

const MAX_BYTES = 64 << 20;

/** Every file and link of the work tree with its size in bytes, by its path from the top. */
interface Proof {
  version: typeof VERSION;
  files: Record<string, number>;
}

export type Completeness = "complete" | "incomplete" | "unproved";

/** Write down what a fresh checkout holds. Throws `FileError`. */
export function writeProof(checkout: string): void {
  const files: Proof["files"] = {};
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of readdirSync(join(checkout, directory), { withFileTypes: true })) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (path === ".git") continue;
      if (entry.isDirectory()) pending.push(path);
      else {
        // A name that is not UTF-8 cannot be asked for again, and no reader of packs can open it.
        const size = sizeOf(`${checkout}/${path}`);
        if (size !== undefined) files[path] = size;
      }
    }
  }
  createExclusive(join(checkout, PROOF), JSON.stringify({ version: VERSION, files } satisfies Proof), 0o600);
}

/** Whether everything a checkout said it holds is there, in its size. */
export function completenessOf(checkout: string, uid: number | undefined): Completeness {
  const proof = readProof(checkout, uid);
  if (proof === undefined) return "unproved";
  for (const [path, size] of Object.entries(proof.files)) {
    if (sizeOf(`${checkout}/${path}`) !== size) return "incomplete";
  }
  return "complete";
}

function sizeOf(path: string): number | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isDirectory() ? undefined : stat?.size;
  } catch {
    return undefined;
  }
}

function readProof(checkout: string, uid: number | undefined): Proof | undefined {
  try {
    const proof = JSON.parse(readOwnedText(join(checkout, PROOF), { uid, maxBytes: MAX_BYTES }));
    return proof?.version === VERSION && typeof proof.files === "object" && proof.files !== null
      ? proof
      : undefined;
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
