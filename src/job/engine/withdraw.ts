import { unlinkSync } from "node:fs";
import { errorCode } from "../../kernel/call/errors.ts";
import { lookAt } from "../../kernel/files/look.ts";
import { ENGINE, fileIn, HAND_OVER } from "../record/directory.ts";

/**
 * Take back what a supervisor would begin with (docs/spec/engines.md 2.3): whoever removes it decides. True when this call
 * did, so that a batch job that still starts runs nothing; false when somebody else has it.
 */
export function takeHandOver(directory: string): boolean {
  return remove(fileIn(directory, HAND_OVER));
}

export function isHandOverThere(directory: string): boolean {
  return lookAt(fileIn(directory, HAND_OVER)) !== undefined;
}

/** Say that no engine has the job, nor will; without a `pid` it is then `never-started`. */
export function withdraw(directory: string): void {
  remove(fileIn(directory, ENGINE));
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
