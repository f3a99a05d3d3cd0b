import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isRegularFile } from "../../kernel/files/look.ts";
import { failure, failureLines } from "../common/fail.ts";
import { configNameProblem, configPath, userFileState } from "./config-name.ts";
import type { ConfigFound } from "./schema.ts";

const NAME = "config-resolve";

/** The manifest file that `--config NAME` selects: local scope, then the user's (docs/spec/craft-engine.md 2). */
export function configResolve(host: Host, name: string | undefined): Outcome<ConfigFound> {
  const { found, notes } = findConfig(host, name);
  return { data: found, text: found.path, notes };
}

/** The same as a value, with the advisory lines. Throws the failure `config-resolve` has. */
export function findConfig(host: Host, name: string | undefined): { found: ConfigFound; notes: string[] } {
  const problem = configNameProblem(name);
  if (name === undefined || problem !== undefined) throw failure(NAME, problem ?? "", 1);
  const local = configPath(host, name, "local")!;
  const user = configPath(host, name, "user");
  const state = user === undefined ? "absent" : userFileState(host.home!, user);
  if (isRegularFile(local)) {
    const shadowed = state === "present" ? [`${NAME}: user-scope config ${name} is shadowed by local`] : [];
    return { found: { path: local, scope: "local" }, notes: shadowed };
  }
  if (user !== undefined && state === "present") {
    const note = `${NAME}: ${name} resolved at user scope (~/.claude/craft-${name}.md)`;
    return { found: { path: user, scope: "user" }, notes: [note] };
  }
  const lines = [`${NAME}: no manifest at ./.claude/craft-${name}.md or ~/.claude/craft-${name}.md`];
  if (state === "escaping") {
    lines.unshift(`${NAME}: ~/.claude/craft-${name}.md ignored: symlink outside containment`);
  }
  throw failureLines(lines, 1);
}
