/** `jig flow capability` (docs/spec/flow.md 6.4): what the agent's host can do, as far as it was tried. */
import { JigError, UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { requiredText } from "../../common/arguments.ts";
import { layoutOf } from "../../common/layout.ts";
import { noted } from "../../common/notes.ts";
import { projectRoot } from "../../common/project.ts";
import { refuseOthers } from "../../common/usage.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { type Artifact, fieldAt, listAt, setAt } from "../read.ts";
import { record } from "../record.ts";
import type { Capability } from "../schema.ts";
import { type Change, updateArtifact } from "../store.ts";

const FIELD = "capabilities.task_tools_available";
const TASK_TOOLS = ["TaskCreate", "TaskList", "TaskGet", "TaskUpdate"];

type Answer = boolean | "unknown";

export interface CapabilityArgs {
  project?: string | undefined;
  tools?: string | undefined;
  "probe-failed": boolean;
  wf?: string | undefined;
  "failed-call"?: string | undefined;
  error?: string | undefined;
  "error-file"?: string | undefined;
  "new-session": boolean;
}

export function capability(host: Host, words: readonly string[], args: CapabilityArgs): Promise<Outcome> {
  const [first, ...rest] = words as [string, ...string[]];
  if (first === "detect") return detect(host, rest, args);
  const [name, answer] = rest;
  if (name === undefined || answer === undefined) {
    throw new UsageError("capability needs WF task_tools_available true|false|unknown, or detect");
  }
  return recordAnswer(host, first, answer === "unknown" ? answer : answer === "true", args);
}

/** `capability detect`: all four task tools, or none. */
async function detect(host: Host, words: readonly string[], args: CapabilityArgs): Promise<Outcome> {
  refuseOthers("capability detect", args, ["tools", "probe-failed", "wf", "new-session"], words);
  const { tools, wf: word } = args;
  if ((tools === undefined) !== args["probe-failed"]) {
    throw new UsageError("capability detect needs either --tools or --probe-failed");
  }
  const given = new Set(tools?.split(/[\s,]+/));
  const answer = tools !== undefined && TASK_TOOLS.every((tool) => given.has(tool));
  if (word === undefined) {
    return {
      data: { workflow_uuid: null, task_tools_available: answer, flipped: false },
      text: String(answer),
    };
  }
  return store(host, word, answer, args, undefined);
}

/** `capability WF task_tools_available ANSWER`. */
async function recordAnswer(
  host: Host,
  word: string,
  answer: Answer,
  args: CapabilityArgs,
): Promise<Outcome> {
  refuseOthers("capability", args, ["failed-call", "error", "error-file", "new-session"], []);
  const call = args["failed-call"];
  if (call === undefined) {
    if (args.error !== undefined || args["error-file"] !== undefined) {
      throw new UsageError("--error belongs to --failed-call");
    }
    return store(host, word, answer, args, undefined);
  }
  if (answer !== false) throw new UsageError("--failed-call goes with false");
  const names = ["--error", "--error-file"] as const;
  const error = await requiredText(host, { text: args.error, file: args["error-file"], names });
  return store(host, word, answer, args, { call, error });
}

interface FailedCall {
  call: string;
  error: string;
}

async function store(
  host: Host,
  word: string,
  answer: Answer,
  args: CapabilityArgs,
  failed: FailedCall | undefined,
): Promise<Outcome<Capability>> {
  const layout = layoutOf(projectRoot(host, args.project));
  const wf = findWorkflow(layout, word, "write");
  const { result: flipped, notes } = await updateArtifact(host, layout, wf, (artifact, at) =>
    changeTo(artifact, at, answer, args["new-session"], failed),
  );
  return {
    data: { workflow_uuid: wf, task_tools_available: answer, flipped },
    text: String(answer),
    notes: noted(host, notes),
  };
}

function changeTo(
  artifact: Artifact,
  at: string,
  answer: Answer,
  newSession: boolean,
  failed: FailedCall | undefined,
): Change<boolean> {
  const before = answerOf(artifact);
  if (answer === true && before !== true && !newSession && hasFlipped(artifact)) {
    throw new JigError("the task tools failed in this session, so they are not there; nothing was changed", {
      hint: "a later session that has probed them again says --new-session",
    });
  }
  if (before === answer) return { result: false, write: false };
  setAt(artifact, FIELD, answer);
  if (failed === undefined || before !== true) return { result: false };
  const { call, error } = failed;
  const fields = { event: "task_tools_flipped", decision: "false", reason: error, failed_call: call };
  return { result: true, events: [record(artifact, at, fields)] };
}

/** Upstream also wrote the two answers as words. */
function answerOf(artifact: Artifact): Answer {
  const value = fieldAt(artifact, FIELD);
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : "unknown";
}

function hasFlipped(artifact: Artifact): boolean {
  return listAt(artifact, "status_history").some(
    (entry) => entry instanceof Map && entry.get("event") === "task_tools_flipped",
  );
}
