import { lstatSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { publishExclusive, writeFileAtomic } from "../../kernel/files/atomic.ts";
import { failure, failureLines, reasonOf } from "../common/fail.ts";
import { readPayload } from "../common/input.ts";
import { testCommandOf } from "../detect/ecosystem.ts";
import { lookIn } from "../detect/look.ts";
import { judgeManifest } from "../manifest/judge.ts";
import { lintNotes } from "../manifest/lint.ts";
import { destinationOf } from "./destination.ts";
import { type Answers, manifestText, parseAnswers } from "./emit.ts";
import { requireScope, shadowNotes } from "./land.ts";
import { requireConfigName } from "./name.ts";
import type { InitReport } from "./schema.ts";

const NAME = "init";

export interface InitOptions {
  name: string | undefined;
  /** A file with answers, `-` for stdin; without it the repository answers. */
  answers: string | undefined;
  scope: string | undefined;
  dryRun: boolean;
  force: boolean;
}

/**
 * Write a named config from answers, or a small one from what the repository shows. It is linted as it would stand and
 * appears whole or not at all (docs/spec/craft-engine.md 14).
 */
export async function init(host: Host, options: InitOptions): Promise<Outcome<InitReport>> {
  const name = requireConfigName(NAME, options.name);
  const scope = requireScope(NAME, options.scope);
  const path = destinationOf(host, NAME, name, scope);
  const manifest = await manifestText(await answersFor(host, options.answers));
  const verdict = await judgeManifest(host, path, { text: manifest });
  const notes = lintNotes(host, verdict);
  if (verdict.status === "invalid") throw failureLines(notes, 1);
  notes.push(...shadowNotes(host, name, scope, NAME));
  if (options.dryRun) {
    const data = { path, written: false, manifest };
    return { data, text: manifest, notes: [...notes, `${NAME}: valid; would write ${path}`] };
  }
  if (!options.force && lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw exists(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (options.force) writeFileAtomic(path, manifest);
    else if (!publishExclusive(path, manifest)) throw exists(path);
  } catch (error) {
    throw error instanceof JigError && error.verbatim ? error : failure(NAME, reasonOf(error), 1);
  }
  return { data: { path, written: true, manifest }, text: path, notes };
}

function exists(path: string) {
  return failure(NAME, `${path} exists; --force replaces it`, 1);
}

/** The answers given, or those the repository gives: its test command as the gate. */
async function answersFor(host: Host, answers: string | undefined): Promise<Answers> {
  if (answers !== undefined) {
    return parseAnswers(NAME, await readPayload(host, NAME, { from: answers }, { exitCode: 1 }));
  }
  const command = testCommandOf(lookIn(host.cwd));
  return command === undefined ? {} : { gate: { phase: command } };
}
