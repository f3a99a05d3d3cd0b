import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { jigWord } from "./session-start.ts";

/** What `hook config` prints: to be merged into the host's settings. */
export interface HookConfig {
  hooks: Record<string, { matcher: string; hooks: { type: "command"; command: string }[] }[]>;
}

/** The settings that make the two hooks fire; no settings file is touched (docs/spec/craft-run.md 11.4). */
export function hookConfig(host: Host, bin: string | undefined): Outcome<HookConfig> {
  const jig = bin === undefined || bin === "" ? jigWord(host) : shellWord(absoluteFrom(host.cwd, bin));
  const entry = (matcher: string, verb: string) => [
    // The payload names the directory that counts; the one a session was started in may be gone, and no program of this
    // runtime starts there.
    { matcher, hooks: [{ type: "command" as const, command: `cd / && ${jig} craft hook ${verb}` }] },
  ];
  const data = {
    hooks: { SessionStart: entry("compact", "sessionstart"), PreCompact: entry("", "precompact") },
  };
  const text = `${JSON.stringify(data, null, 2)}\n`;
  return { data, text, json: text };
}
