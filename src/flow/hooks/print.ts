import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { stableJigPath } from "../../kernel/shared/jig-path.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { selfCommand } from "../../runtime/self.ts";

/** What `hook print` prints: to be merged into the host's settings. */
export interface HookSettings {
  hooks: Record<string, { matcher?: string; hooks: { type: "command"; command: string }[] }[]>;
}

/** The host's own names of the events, what they are told apart by, and the verb that serves each. */
const EVENTS: readonly (readonly [event: string, matcher: string | undefined, verb: string])[] = [
  ["SessionStart", "startup|resume|compact", "sessionstart"],
  ["PreCompact", undefined, "precompact"],
  ["PostCompact", undefined, "postcompact"],
  ["PreToolUse", "Read|Edit|Write|MultiEdit|NotebookEdit|Bash", "pretooluse"],
  ["PostToolUse", "Edit|Write|MultiEdit|NotebookEdit", "posttooluse"],
  ["Stop", undefined, "stop"],
  ["SubagentStop", undefined, "subagentstop"],
  ["TaskCompleted", undefined, "taskcompleted"],
];

/** The settings that make all hooks of this jig fire; no settings file is touched (docs/spec/flow.md 15.1). */
export function printHooks(host: Host): Outcome<HookSettings> {
  const [program, ...words] = selfCommand();
  const jig = [stableJigPath(program!, host.env), ...words].map((word) => shellWord(word)).join(" ");
  const hooks = Object.fromEntries(
    EVENTS.map(([event, matcher, verb]) => [
      event,
      [
        {
          ...(matcher === undefined ? {} : { matcher }),
          // The payload names the directory that counts; the one a session was started in may be gone, and no program
          // of this runtime starts there.
          hooks: [{ type: "command" as const, command: `cd / && ${jig} flow hook ${verb}` }],
        },
      ],
    ]),
  );
  const data = { hooks };
  const text = `${JSON.stringify(data, null, 2)}\n`;
  return { data, text, json: text };
}
