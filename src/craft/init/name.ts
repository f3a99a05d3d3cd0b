import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { failure } from "../common/fail.ts";
import { configNameProblem } from "../manifest/config-name.ts";

/** The name of a config, judged; the verb's failure (exit 1) when it is wrong. */
export function requireConfigName(verb: string, name: string | undefined): string {
  const problem = configNameProblem(name);
  if (name === undefined || problem !== undefined) throw failure(verb, problem ?? "", 1);
  return name;
}

/** Where a config of this name goes, relative to the repository; whether it exists is not looked at (section 14). */
export function initConfig(_host: Host, name: string | undefined): Outcome<{ path: string }> {
  const path = `.claude/craft-${requireConfigName("init-config", name)}.md`;
  return { data: { path }, text: path };
}
