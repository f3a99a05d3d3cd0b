import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { writeFileAtomic } from "../../kernel/files/atomic.ts";
import { absoluteFrom, isInside, realOrPlain } from "../../kernel/files/contain.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure, reasonOf } from "../common/fail.ts";
import { documentText } from "../common/result.ts";
import { pendingOf, whyBlocked } from "./blocked.ts";
import type { BacklogEntry } from "./entries.ts";
import type { Election } from "./schema.ts";
import { backlogSource, NAME, readBacklog, type SourceFlags } from "./source.ts";

export interface ElectFlags extends SourceFlags {
  out?: string | undefined;
}

/** `backlog elect` (docs/spec/craft-run.md 8.3): the next thing to do. Exit 1 when there is none. */
export async function elect(host: Host, flags: ElectFlags): Promise<Outcome<Election>> {
  const source = await backlogSource(host, flags);
  const out = flags.out === undefined ? undefined : await outDirectory(host, flags.out);
  if (source.kind === "none") return outcome(nothing("the manifest has no backlog: key"));
  if (source.kind === "custom") return outcome(nothing("source: custom has no list operation"));
  const election = electFrom(readBacklog(source));
  if (out !== undefined && election.elected !== null)
    writeElection(out, election.elected, election, source.ref);
  return outcome(election);
}

const nothing = (note: string): Election => ({ elected: null, skipped: [], note });

function outcome(election: Election): Outcome<Election> {
  const text = documentText(election);
  return { data: election, text, json: text, exitCode: election.elected === null ? 1 : 0 };
}

/** The first open entry that nothing blocks: pure. */
export function electFrom(entries: readonly BacklogEntry[]): Election {
  const skipped: Election["skipped"] = [];
  const pending = pendingOf(entries);
  for (const entry of entries) {
    if (entry.state !== "open") continue;
    const { id = null, title, line, brief } = entry;
    const reason = whyBlocked(entry, pending);
    if (reason === undefined) {
      const prompt = `/craft:run ${(id ?? title).replaceAll(/\s+/g, " ")}`;
      return { elected: { id, title, line, brief, prompt }, skipped, note: null };
    }
    skipped.push({ line, title, reason });
  }
  return {
    elected: null,
    skipped,
    note: skipped.length === 0 ? "no open entry" : "every open entry is blocked",
  };
}

/** A directory that is there and in no work tree: what it gets must not be committed. Throws (exit 2). */
async function outDirectory(host: Host, given: string): Promise<string> {
  const refuse = (why: string) => failure(NAME, `--out ${printable(given)} ${why}`);
  const path = absoluteFrom(host.cwd, given);
  if (given === "" || !isDirectory(path)) throw refuse("is not a directory");
  const real = realOrPlain(path);
  const trees = await workTrees(host);
  const holder = trees.find((tree) => isInside(tree, real));
  if (holder !== undefined) throw refuse(`lies in the work tree ${printable(holder)}; name one outside`);
  return real;
}

async function workTrees(host: Host): Promise<string[]> {
  const { git, gitRecords, GitError } = await import("../../kernel/repository/git.ts");
  try {
    const { exitCode, stdout } = await git(host, ["worktree", "list", "--porcelain", "-z"]);
    if (exitCode !== 0) return [];
    return gitRecords(stdout).flatMap((record) =>
      record.startsWith("worktree ") ? [realOrPlain(record.slice("worktree ".length))] : [],
    );
  } catch (error) {
    if (error instanceof GitError && error.failure === "missing") return [];
    throw error;
  }
}

type Elected = NonNullable<Election["elected"]>;

/** The draft first, the prompt last: who sees the prompt sees both. Throws (exit 1). */
function writeElection(directory: string, elected: Elected, { skipped }: Election, ref: string): void {
  const lines = skipped.map(({ line, title, reason }) => `- line ${line}: ${title} — ${reason}`);
  const passedOver = lines.length === 0 ? "" : `\n## Passed over\n\n${lines.join("\n")}\n`;
  const draft = `# ${elected.title}\n\nThe first open entry of ${ref} that nothing blocks (line ${elected.line}).\n\n${elected.brief}\n${passedOver}`;
  try {
    writeFileAtomic(join(directory, "next.md"), draft);
    writeFileAtomic(join(directory, "next.prompt"), `${elected.prompt}\n`);
  } catch (error) {
    throw failure(NAME, reasonOf(error), 1);
  }
}
