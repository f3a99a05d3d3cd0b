/** `jig flow id` (docs/spec/flow.md 3). */
import { isAbsolute } from "node:path";
import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { isTaken } from "../artifact/create.ts";
import type { WorkflowType } from "../artifact/fields.ts";
import { textOrFile } from "../common/arguments.ts";
import { layoutOf } from "../common/layout.ts";
import { JsonSyntaxError, parseLossless, toPlain } from "../common/lossless-json.ts";
import { givenProject } from "../common/project.ts";
import { sessionOf } from "../common/session.ts";
import { missingFlags } from "../common/usage.ts";
import { answerOf, begin } from "./begin.ts";
import { currentBranch } from "./branch.ts";
import { mintId } from "./mint.ts";
import type { MintedId } from "./schema.ts";

/** The flags of later upstream releases have upstream's meaning; `init-artifact` is `new`. */
export interface IdArgs {
  request?: string | undefined;
  "request-file"?: string | undefined;
  branch?: string | undefined;
  project?: string | undefined;
  "session-id": boolean;
  "emit-env": boolean;
  "init-artifact": boolean;
  "workflow-type"?: string | undefined;
  "task-tools-available"?: string | undefined;
  phase?: string | undefined;
  "task-id"?: string | undefined;
  "workspace-writable-paths-json"?: string | undefined;
  "writable-paths-dropped-json"?: string | undefined;
  "fallback-reason"?: string | undefined;
}

export async function id(host: Host, args: IdArgs): Promise<Outcome> {
  const session = sessionOf(host);
  if (args["session-id"]) return { data: { session_id: session ?? null }, text: `${session ?? ""}\n` };
  const request = await textOrFile(host, {
    text: args.request,
    file: args["request-file"],
    names: ["--request", "--request-file"],
  });
  if (request === undefined) throw missingFlags(host, ["--request"], "give --request or --request-file");
  const minted = args["init-artifact"]
    ? await initArtifact(host, args, request, session)
    : await mint(host, args, request);
  const data = args["init-artifact"] ? { ...minted, ...sessionFields(session) } : minted;
  return { data, text: args["emit-env"] ? assignments(minted, session) : minted.workflow_uuid };
}

async function mint(host: Host, args: IdArgs, request: string): Promise<MintedId> {
  // Missing is allowed: nothing is taken there.
  const project = args.project === undefined ? undefined : absoluteFrom(host.cwd, args.project);
  const places = project === undefined || host.invokedAs !== undefined ? [host.cwd] : [host.cwd, project];
  const layout = project === undefined ? undefined : layoutOf(project);
  return mintId(host, {
    request,
    branch: args.branch ?? (await currentBranch(host, places)),
    ...(layout === undefined ? {} : { isTaken: (one) => isTaken(layout, one) }),
  });
}

const NEEDED = ["project", "workflow-type", "task-tools-available", "phase"] as const;

async function initArtifact(
  host: Host,
  args: IdArgs,
  request: string,
  session: string | undefined,
): Promise<MintedId> {
  const missing = NEEDED.filter((flag) => args[flag] === undefined).map((flag) => `--${flag}`);
  if (missing.length > 0) throw missingFlags(host, missing, `--init-artifact needs ${missing.join(", ")}`);
  const writablePaths = listOf(args, "workspace-writable-paths-json");
  if (!writablePaths.every((path): path is string => typeof path === "string" && isAbsolute(path))) {
    throw new UsageError("--workspace-writable-paths-json: expected absolute paths");
  }
  const made = await begin(host, givenProject(host, args.project!), {
    type: args["workflow-type"] as WorkflowType,
    request,
    branch: args.branch,
    phase: args.phase!,
    agentHost: "claude-code",
    taskId: args["task-id"] ?? null,
    taskTools: answerOf(args["task-tools-available"]),
    sessionId: session ?? null,
    plan: null,
    design: null,
    fallbackReason: args["fallback-reason"] ?? null,
    writablePaths,
    dropped: listOf(args, "writable-paths-dropped-json"),
  });
  const { workflow_uuid, slug, short_hex, timestamp, iso_timestamp, worktree_dir, worktree_branch } = made;
  return { workflow_uuid, slug, short_hex, timestamp, iso_timestamp, worktree_dir, worktree_branch };
}

function listOf(args: IdArgs, flag: "workspace-writable-paths-json" | "writable-paths-dropped-json") {
  const text = args[flag];
  if (text === undefined || text === "") return [];
  try {
    const value = toPlain(parseLossless(text));
    if (Array.isArray(value)) return value as unknown[];
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw new UsageError(`--${flag}: expected a JSON array`);
}

function sessionFields(session: string | undefined) {
  return { session_id: session ?? null, session_id_json: JSON.stringify(session ?? null) };
}

/** Lines a shell script reads one by one; the last value is a fragment of JSON. */
function assignments(minted: MintedId, session: string | undefined): string {
  const { session_id, session_id_json } = sessionFields(session);
  const { workflow_uuid, iso_timestamp, worktree_dir, worktree_branch } = minted;
  const values = { workflow_uuid, iso_timestamp, worktree_dir, worktree_branch, session_id, session_id_json };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value ?? ""}`)
    .join("\n");
}
