import { command } from "../../kernel/call/command.ts";
import { WORKFLOW_TYPES } from "../artifact/fields.ts";
import { requestFlags } from "../common/flags.ts";

/** `jig flow root` (docs/spec/flow.md 2). */
export const root = command({
  name: "flow root",
  summary: "Find the project a session works on; among several repositories only a person chooses",
  flags: {
    cwd: {
      type: "string",
      value: "DIR",
      summary: "Where to look; the working directory without",
      completes: "directory",
    },
    ...requestFlags,
    choose: {
      type: "string",
      value: "PATH",
      summary: "The answer to an ambiguous result: one of its candidates",
      completes: "directory",
    },
  },
  exitCodes: [
    [0, "a project, or the directory itself when it holds no repository"],
    [3, "several repositories are possible; they are on stderr"],
  ],
  details:
    "In a git repository it is that one, and in a workflow's worktree the main tree. Elsewhere the repositories right below the directory count: the only one, or the only one whose directory name is a word of the request. The JSON also carries what .craftflow-workspace.json allows to be written beside them; jig flow new takes it with --root-json.",
  examples: [
    { command: "jig flow root", explains: "the project of the working directory" },
    {
      command: 'jig flow root --cwd /srv/all --request "fix the login of beta" --json',
      explains: "beta, when that is a repository in /srv/all",
    },
  ],
  run: async (host, args) => (await import("./root.ts")).root(host, args.flags),
});

/** `jig flow id` (docs/spec/flow.md 3). */
export const id = command({
  name: "flow id",
  summary: "Make a workflow's id, and the names of its worktree",
  flags: {
    ...requestFlags,
    branch: { type: "string", value: "NAME", summary: "The branch the work is on; git's without" },
    project: {
      type: "string",
      value: "DIR",
      summary: "No id that a workflow there has already",
      completes: "directory",
    },
    "session-id": { type: "boolean", summary: "Print the id of the agent's session, or an empty line" },
    "emit-env": { type: "boolean", summary: "Print NAME=value lines" },
    "init-artifact": { type: "boolean", summary: "Make the workflow's files as well, as jig flow new does" },
    "workflow-type": {
      type: "string",
      value: "TYPE",
      summary: "Of the workflow that --init-artifact makes",
      choices: WORKFLOW_TYPES,
    },
    "task-tools-available": {
      type: "string",
      value: "ANSWER",
      summary: "Whether the agent has task tools, for --init-artifact",
      choices: ["true", "false", "unknown"],
    },
    phase: { type: "string", value: "P", summary: "Phase of the first event, for --init-artifact" },
    "task-id": { type: "string", value: "ID", summary: "Task of the first event, for --init-artifact" },
    "workspace-writable-paths-json": {
      type: "string",
      value: "JSON",
      summary: "The allowlist of jig flow root, for --init-artifact",
    },
    "writable-paths-dropped-json": {
      type: "string",
      value: "JSON",
      summary: "What the allowlist dropped, for --init-artifact",
    },
    "fallback-reason": {
      type: "string",
      value: "R",
      summary: "Why the root is no repository, for --init-artifact",
    },
  },
  exitCodes: [[1, "every id that was tried is taken, or the files cannot be made"]],
  examples: [
    { command: 'jig flow id --request "fix the login"', explains: "wf-login-20260706-141203-1a2b3c4d" },
    { command: "jig flow id --request-file request.txt --json", explains: "with the worktree's names" },
  ],
  run: async (host, args) => (await import("./id.ts")).id(host, args.flags),
});
