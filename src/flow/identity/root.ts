/** `jig flow root` (docs/spec/flow.md 2). */
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom, realOrPlain } from "../../kernel/files/contain.ts";
import { valueLines } from "../../kernel/text/printable.ts";
import { textOrFile } from "../common/arguments.ts";
import { noted } from "../common/notes.ts";
import { resolveAmong } from "./among.ts";
import { resolveRoot } from "./resolve-root.ts";

export interface RootArgs {
  cwd?: string | undefined;
  request?: string | undefined;
  "request-file"?: string | undefined;
  choose?: string | undefined;
}

/** A person has to decide between several. */
const UNDECIDED = 3;

export async function root(host: Host, args: RootArgs): Promise<Outcome> {
  const request = await textOrFile(host, {
    text: args.request,
    file: args["request-file"],
    names: ["--request", "--request-file"],
  });
  if (host.invokedAs !== undefined) return underUpstreamName(host, args.cwd ?? "", request ?? "");
  const { document, notes } = await resolveRoot(host, { cwd: args.cwd, request, choose: args.choose });
  const said = noted(host, notes);
  if (document.project_root !== null)
    return { data: document, text: valueLines(document.project_root), notes: said };
  const choices = [
    `${host.prefix}several repositories; a person chooses, then --choose PATH`,
    ...document.candidates,
  ];
  return { data: document, text: "", notes: [...said, ...choices], exitCode: UNDECIDED };
}

/** Upstream's scan alone: exit 0 for every outcome, keys only where they say something (docs/spec/flow.md 16). */
async function underUpstreamName(host: Host, cwd: string, request: string): Promise<Outcome> {
  const directory = realOrPlain(absoluteFrom(host.cwd, cwd));
  const among = await resolveAmong(host, directory, request);
  if (among.outcome === "RESOLVE_SCRIPT_ERROR") {
    throw new JigError(`cannot scan ${directory}: ${among.reason}`);
  }
  const notes = noted(host, among.notes);
  if (among.outcome === "NO_REPO_FOUND") return { data: { outcome: among.outcome }, text: "", notes };
  const { paths, dropped } = among.allowed;
  const data = {
    outcome: among.outcome,
    ...(among.root === undefined ? { candidates: among.candidates } : { project_root: among.root }),
    ...(paths.length === 0 ? {} : { workspace_writable_paths: paths }),
    ...(dropped.length === 0 ? {} : { workspace_writable_paths_dropped: dropped }),
  };
  return { data, text: "", notes };
}
