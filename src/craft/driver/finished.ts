import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import { shown } from "../common/run-words.ts";
import { policyReading, stripPolicy } from "./policy-words.ts";
import { DRIVER_EXIT, driverFailure, PREFIX, requireStateDirectory } from "./state-directory.ts";
import { type Election, publishStatus, refuseExisting, withDriverLock } from "./status.ts";

const MAX_FILE_BYTES = 65_536;
const MAX_URL = 2_048;

export interface FinishedOptions {
  url: string;
  election: string | undefined;
  prompt: string | undefined;
}

/** Tell the driver that the run's pull request is merged, and what to run next (docs/spec/craft-run.md 4.3). */
export async function finished(
  host: Host,
  options: FinishedOptions,
): Promise<Outcome<{ url: string; elected: boolean }>> {
  const { url, election, prompt } = options;
  if (url.length > MAX_URL || !/^https?:\/\/[^\s\u0000-\u001f\u007f-\u009f]+$/.test(url)) {
    throw driverFailure(`not an http or https URL without blanks: ${shown(url)}`);
  }
  if ((election === undefined) !== (prompt === undefined)) {
    throw driverFailure("--election and --prompt come together or not at all");
  }
  const directory = requireStateDirectory(host);
  refuseExisting(directory);
  const notes: string[] = [];
  const elected = election === undefined ? undefined : readElection(host, election, prompt!, notes);
  await withDriverLock(host, directory, () => {
    refuseExisting(directory);
    const lines = [`FINISHED ${url}`, `at: ${isoSeconds(host.now())}`];
    if (elected !== undefined) lines.push("election: next.md", "prompt: next.prompt");
    publishStatus(directory, `${lines.join("\n")}\n`, elected);
  });
  return { data: { url, elected: elected !== undefined }, text: "", notes };
}

function readElection(host: Host, election: string, prompt: string, notes: string[]): Election {
  const rationale = readText(host, "--election", election);
  const stripped = stripPolicy(readText(host, "--prompt", prompt));
  if (stripped.count > 0) notes.push(`${PREFIX}stripped ${stripped.count} --policy flag(s) from the prompt`);
  const reading = policyReading(stripped.text);
  if (reading !== undefined) {
    const { line, column, codePoints } = reading;
    throw driverFailure(
      `prompt still holds a token that reads as --policy at ${line}:${column} (${codePoints})`,
      DRIVER_EXIT.policy,
    );
  }
  if (stripped.text.trim() === "")
    throw driverFailure("the prompt is blank once its --policy flags are gone");
  return { rationale, prompt: stripped.text };
}

function readText(host: Host, flag: string, path: string): string {
  let bytes: Uint8Array;
  try {
    const options = { uid: undefined, allowSymlink: true, maxBytes: MAX_FILE_BYTES };
    bytes = readOwnedFile(absoluteFrom(host.cwd, path), options);
  } catch (error) {
    if (error instanceof Refused) throw driverFailure(`${flag} ${shown(path)}: ${error.why}`);
    throw error;
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw driverFailure(`${flag} ${shown(path)} is not valid UTF-8`);
  if (text.trim() === "") throw driverFailure(`${flag} ${shown(path)} is blank`);
  return text;
}
