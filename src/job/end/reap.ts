import type { Args } from "../../kernel/call/command.ts";
import { EXIT, errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { findJob } from "../record/roots.ts";
import { isWithEngine, readState } from "../record/state.ts";

/**
 * Terminate jobs now (docs/spec/jobs.md 2.6): each ref on its own, in order; one that fails does not stop the others.
 * Exit 0 when all succeeded, the code all failures share, 1 when they differ.
 */
export async function reapJobs(
  host: Host,
  args: Pick<Args, "positionals"> & { flags: { skill: string | undefined; abandon?: boolean } },
): Promise<Outcome<null>> {
  const notes: string[] = [];
  const codes = new Set<number>();
  for (const ref of args.positionals) {
    try {
      const said = await reapJob(host, ref, args.flags.skill, args.flags.abandon ?? false);
      notes.push(...said.map((note) => host.prefix + note));
      // Some hosts show an agent no exit code. Upstream says nothing.
      if (host.invokedAs === undefined)
        notes.push(`${host.prefix}reap ${printable(ref)}: ${standing(host, ref, args.flags.skill)}`);
    } catch (error) {
      const { message, exitCode } = failureOf(error);
      notes.push(host.prefix + message, `${host.prefix}reap ${printable(ref)}: exit ${exitCode}`);
      codes.add(exitCode);
    }
  }
  const exitCode = codes.size === 0 ? EXIT.done : codes.size === 1 ? [...codes][0]! : EXIT.failed;
  return { data: null, text: "", exitCode, notes };
}

/** Where a job stands once it was reaped, in words that need no exit code. */
function standing(host: Host, ref: string, skill: string | undefined): string {
  const state = readState(host, findJob(host, ref, skill).directory);
  return state === "running" ? "asked to end, still running" : state;
}

/** What a failed ref says. Anything but a known failure or the operating system's is a bug, and thrown on. */
function failureOf(error: unknown): { message: string; exitCode: number } {
  if (error instanceof JigError) return error;
  if (errorCode(error) === undefined) throw error;
  return { message: osReason(error), exitCode: EXIT.failed };
}

/** Reap one job. Gives notes for the caller. Throws `JigError`: exit 1 unknown, exit 4 unreadable. */
async function reapJob(
  host: Host,
  ref: string,
  skill: string | undefined,
  abandon: boolean,
): Promise<string[]> {
  const { directory } = findJob(host, ref, skill);
  const state = readState(host, directory);
  if (state === "unreadable") {
    const message = `job state unreadable (ownership or corruption): ${directory}`;
    throw new JigError(message, { exitCode: EXIT.refused });
  }
  if (state !== "running") return [];
  if (isWithEngine(directory)) {
    const { abandonJob, stopJob } = await import("../engine/stop.ts");
    return abandon ? abandonJob(host, ref, directory) : stopJob(host, ref, directory);
  }
  if (abandon) {
    throw new JigError(`job ${printable(ref)} was not started with --on; reap it without --abandon`);
  }
  // Most jobs that are reaped have settled; only a running one needs to know about processes.
  const note = await (await import("./end.ts")).endJob(host, ref, directory);
  return note === undefined ? [] : [note];
}
