import { type Command, command, type Group, type UsageErrorFormat } from "../../kernel/call/command.ts";
import type { HookAction } from "./run-hook.ts";

/** A registration with a word too many must not stop the session: exit 2 would deny its tools. */
const harmless: UsageErrorFormat = ({ command: name, message }) => ({
  stderr: `jig ${name}: ${message}; hooks take no arguments\n`,
  exitCode: 0,
});

/** A hook as the host calls it. */
function hook(
  verb: string,
  summary: string,
  load: () => Promise<HookAction>,
  options: { everywhere?: boolean; stops?: string } = {},
): Command {
  return command({
    name: `flow hook ${verb}`,
    summary,
    json: false,
    usageError: harmless,
    flags: {},
    exitCodes: [
      [0, options.stops === undefined ? "always" : "nothing stands against it"],
      [1, null],
      [2, options.stops ?? null],
    ],
    details: "Reads the host's payload on standard input. Makes no state directory where there is none.",
    examples: [
      {
        command: "jig flow hook print --host claude-code",
        explains: "the settings that make the host call it",
      },
      { command: `jig flow hook ${verb} < payload.json`, explains: "try it by hand" },
    ],
    run: async (host) => (await import("./run-hook.ts")).runHook(host, verb, load, options),
  });
}

/** What a host's hooks call, and the settings that make them fire (docs/spec/flow.md 15). */
const group: Group = {
  name: "flow hook",
  summary: "Tell a session where its workflow is, and keep it from writing state by hand",
  anyCase: true,
  verbs: {
    sessionstart: hook(
      "sessionstart",
      "Print one line about the newest workflow",
      async () => (await import("./session-start.ts")).sessionStart,
    ),
    precompact: hook(
      "precompact",
      "Save where the newest workflow is before a compaction",
      async () => (await import("./snapshot.ts")).preCompact,
    ),
    postcompact: hook(
      "postcompact",
      "Note a compaction in the newest workflow's event log",
      async () => (await import("./post-compact.ts")).postCompact,
    ),
    pretooluse: hook(
      "pretooluse",
      "Deny tool calls that write state by hand or leave the session's directory",
      async () => (await import("./pre-tool-use.ts")).preToolUse,
      { everywhere: true },
    ),
    posttooluse: hook(
      "posttooluse",
      "Log what is wrong with the newest workflow after an edit",
      async () => (await import("./post-tool-use.ts")).postToolUse,
    ),
    stop: hook(
      "stop",
      "Save where the newest workflow is at the end of a turn",
      async () => (await import("./snapshot.ts")).stop,
    ),
    subagentstop: hook(
      "subagentstop",
      "Log whether an agent ended with a valid contract",
      async () => (await import("./subagent-stop.ts")).subagentStop,
    ),
    taskcompleted: hook(
      "taskcompleted",
      "Stop the completion of a workflow's task without its metadata or evidence",
      async () => (await import("./task-completed.ts")).taskCompleted,
      { everywhere: true, stops: "the task may not be completed; why is on stderr" },
    ),
    print: command({
      name: "flow hook print",
      summary: "Print the host settings that make all hooks fire",
      flags: {
        host: {
          type: "string",
          value: "NAME",
          summary: "Whose settings",
          choices: ["claude-code"],
          default: "claude-code",
        },
      },
      exitCodes: [[1, null]],
      examples: [
        {
          command: "jig flow hook print --host claude-code",
          explains: "JSON to merge into the host's settings file",
        },
        { command: "jig flow hook print > hooks.json", explains: "keep it in a file" },
      ],
      run: async (host) => (await import("./print.ts")).printHooks(host),
    }),
  },
};

export default group;
