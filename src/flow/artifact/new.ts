/** `jig flow new` (docs/spec/flow.md 6.1). */
import { isAbsolute } from "node:path";
import * as v from "valibot";
import { EXIT, JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isSameDirectory } from "../../kernel/files/contain.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { printable } from "../../kernel/text/printable.ts";
import { readInput, requiredText } from "../common/arguments.ts";
import { JsonSyntaxError, parseLossless, toPlain } from "../common/lossless-json.ts";
import { noted } from "../common/notes.ts";
import { givenProject } from "../common/project.ts";
import { sessionOf } from "../common/session.ts";
import { answerOf, begin } from "../identity/begin.ts";
import { resolveRoot } from "../identity/resolve-root.ts";
import { type RootDocument, RootDocumentSchema } from "../identity/schema.ts";
import type { WorkflowType } from "./fields.ts";

export interface NewArgs {
  type: string;
  request?: string | undefined;
  "request-file"?: string | undefined;
  project?: string | undefined;
  "root-json"?: string | undefined;
  branch?: string | undefined;
  plan?: string | undefined;
  design?: string | undefined;
  host?: string | undefined;
  "task-id"?: string | undefined;
  "task-tools"?: string | undefined;
  "session-id"?: string | undefined;
  "fallback-reason"?: string | undefined;
}

export async function newWorkflow(host: Host, args: NewArgs): Promise<Outcome> {
  const request = await requiredText(host, {
    text: args.request,
    file: args["request-file"],
    names: ["--request", "--request-file"],
  });
  const { root, document, notes } = await chooseRoot(host, args, request);
  if (root === undefined) return undecided(host, document!, notes);
  const made = await begin(host, root, {
    type: args.type as WorkflowType,
    request,
    branch: args.branch,
    phase: args.type.toLowerCase(),
    agentHost: args.host ?? "claude-code",
    taskId: args["task-id"] ?? null,
    taskTools: answerOf(args["task-tools"]),
    sessionId: args["session-id"] ?? sessionOf(host) ?? null,
    plan: args.plan ?? null,
    design: args.design ?? null,
    fallbackReason: args["fallback-reason"] ?? document?.fallback_reason ?? null,
    writablePaths: document?.workspace_writable_paths ?? [],
    dropped: document?.workspace_writable_paths_dropped ?? [],
  });
  return { data: made, text: made.workflow_uuid, notes };
}

interface Chosen {
  /** Undefined when a person has to choose. */
  root: string | undefined;
  document: RootDocument | undefined;
  notes: readonly string[];
}

async function chooseRoot(host: Host, args: NewArgs, request: string): Promise<Chosen> {
  const project = args.project === undefined ? undefined : givenProject(host, args.project);
  const file = args["root-json"];
  if (file === undefined && project !== undefined) return { root: project, document: undefined, notes: [] };
  if (file === undefined) {
    const { document, notes } = await resolveRoot(host, { request });
    return { root: rootOf(document), document, notes: noted(host, notes) };
  }
  const document = await readRootDocument(host, file);
  const root = rootOf(document);
  if (project !== undefined && (root === undefined || !isSameDirectory(project, root))) {
    throw new UsageError(
      `--project ${printable(project)} and the root in --root-json (${printable(root ?? "none")}) differ`,
      { hint: "give one of them, or both for the same directory" },
    );
  }
  return { root, document, notes: [] };
}

/** The root a document names; undefined when it names none. Throws `JigError` when it is no directory. */
function rootOf(document: RootDocument): string | undefined {
  const root = document.project_root;
  if (root === null) return undefined;
  if (isAbsolute(root) && isDirectory(root)) return root;
  throw new JigError(`project root ${printable(root)}: not an existing directory`, {
    hint: "run jig flow root again",
  });
}

async function readRootDocument(host: Host, file: string): Promise<RootDocument> {
  const text = await readInput(host, file);
  let value: unknown;
  try {
    value = toPlain(parseLossless(text));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw notADocument(file, `line ${error.line}, column ${error.column}: ${error.message}`);
  }
  const parsed = v.safeParse(RootDocumentSchema, value);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw notADocument(file, `${v.getDotPath(issue) ?? "the top level"}: ${issue.message}`);
  }
  const { output } = parsed;
  const relative = output.workspace_writable_paths.find((path) => !isAbsolute(path));
  if (relative !== undefined)
    throw notADocument(file, `workspace_writable_paths: ${printable(relative)} is not absolute`);
  return output;
}

function notADocument(file: string, why: string): JigError {
  return new JigError(`--root-json ${printable(file)}: ${why}`, {
    hint: "give the output of jig flow root --json as it is",
  });
}

function undecided(host: Host, document: RootDocument, notes: readonly string[]): Outcome {
  const said = [
    `${host.prefix}several repositories, nothing was created; a person chooses, then --project PATH`,
    ...document.candidates,
  ];
  return { data: document, text: "", notes: [...notes, ...said], exitCode: EXIT.notThisTime };
}
