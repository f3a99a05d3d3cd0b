import { closeSync, openSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { EXIT, osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import { lookAt } from "../kernel/files/look.ts";
import { findExecutable } from "../kernel/process/executable.ts";
import { randomHex } from "../kernel/text/random.ts";
import { elevationError } from "./report.ts";

/** One model call, checked; paths are absolute. */
export interface Request {
  model: string;
  promptFile: string;
  resultPath: string;
  prompt: Uint8Array;
  /** Path of the program; undefined when it is not on `PATH`. */
  claude: string | undefined;
}

const LONGEST_MODEL = 200;

/**
 * The checks before any model call, in the order of docs/spec/elevate.md section 1, so that no paid call is made whose
 * result could not be kept. Throws with that section's texts and exit codes; only a missing `claude` is left to the
 * caller.
 */
export function checkRequest(host: Host, words: readonly string[]): Request {
  const [model = "", promptFile = "", resultPath = ""] = words;
  if (model === "") throw elevationError("model required", EXIT.failed);
  if (promptFile === "") throw elevationError("prompt-file required", EXIT.failed);
  if (resultPath === "") throw elevationError("result-path required", EXIT.failed);
  checkModel(model);
  const absolutePrompt = resolve(host.cwd, promptFile);
  const prompt = readPrompt(absolutePrompt, promptFile);
  const absoluteResult = resolve(host.cwd, resultPath);
  checkResultPath(absoluteResult, resultPath, absolutePrompt);
  const claude = findExecutable("claude", host.env);
  return { model, promptFile: absolutePrompt, resultPath: absoluteResult, prompt, claude };
}

/** Throws (exit 2) for what cannot be a model's name and would be read as something else in an argv. */
export function checkModel(model: string): void {
  const bad =
    model === "" || model.startsWith("-") || /[\s\p{Cc}]/u.test(model) || model.length > LONGEST_MODEL;
  if (!bad) return;
  const shown = model.length > LONGEST_MODEL ? `${model.slice(0, LONGEST_MODEL)}…` : model;
  throw elevationError(
    `invalid model: '${shown}' (no leading -, white space or control characters, at most ${LONGEST_MODEL} characters)`,
    EXIT.usage,
  );
}

function readPrompt(path: string, asGiven: string): Uint8Array {
  try {
    if (statSync(path).isFile()) return readFileSync(path);
  } catch (error) {
    throw elevationError(`prompt file not found: ${asGiven} (${osReason(error)})`, EXIT.usage);
  }
  throw elevationError(`prompt file not found: ${asGiven} (not a regular file)`, EXIT.usage);
}

/** A real write beside the result: permission bits alone do not tell what a sandbox allows. */
function checkResultPath(path: string, asGiven: string, promptFile: string): void {
  const refuse = (why: string) => elevationError(`cannot write result to ${asGiven}: ${why}`, EXIT.failed);
  const there = lookAt(path);
  if (basename(path) === "" || there?.isDirectory()) throw refuse("is a directory");
  // Publishing would put a file in the place of a device; a symlink may be replaced.
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink())
    throw refuse("is not a regular file");
  if (path === promptFile) throw refuse("is the prompt file");
  const probe = join(dirname(path), `.tmp-${randomHex(8)}`);
  try {
    closeSync(openSync(probe, "wx", 0o600));
    unlinkSync(probe);
  } catch (error) {
    throw refuse(osReason(error));
  }
}
