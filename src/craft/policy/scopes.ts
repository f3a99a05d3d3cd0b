/** The three scopes a policy is merged from (docs/spec/craft-engine.md 10.2). */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { YamlNode } from "../../kernel/yaml/yaml.ts";
import { failure } from "../common/fail.ts";
import { type Problem, problemText } from "../common/problem.ts";
import { ACTIONS, type Action, VERDICTS, type Verdict } from "../common/vocabulary.ts";
import { child, itemsOf, stringOf } from "../manifest/nodes.ts";

export type PolicyMap = ReadonlyMap<Action, Verdict>;

/** A scope's explicit verdicts, or what is wrong with it. */
export type Scope =
  | { ok: true; policy: PolicyMap; note?: string }
  | { ok: false; problems: readonly Problem[] };

const NOTHING: Extract<Scope, { ok: true }> = { ok: true, policy: new Map() };

/** The verdicts of a `policy` value in a file; undefined is no scope. */
export async function policyScope(file: string, node: YamlNode | undefined): Promise<Scope> {
  if (node === undefined) return NOTHING;
  const [{ Findings }, { checkPolicy }] = await Promise.all([
    import("../manifest/findings.ts"),
    import("../manifest/rules/policy.ts"),
  ]);
  const findings = new Findings(file);
  checkPolicy(node, findings);
  if (findings.errors.length > 0) return { ok: false, problems: findings.errors };
  const policy = new Map<Action, Verdict>();
  for (const verdict of VERDICTS) {
    for (const item of itemsOf(child(node, verdict))) policy.set(stringOf(item) as Action, verdict);
  }
  return { ok: true, policy };
}

export const USER_POLICY = "~/.claude/craft-policy.md";

/** The user's own policy file. Missing: no scope. A symlink or no regular file: no scope, and a note that says so. */
export async function userScope(host: Host): Promise<Scope> {
  if (host.home === undefined) return NOTHING;
  const path = join(host.home, ".claude", "craft-policy.md");
  const found = look(path);
  if (found === undefined) return NOTHING;
  if (found !== "file") return { ...NOTHING, note: `${USER_POLICY} ignored: ${found}` };
  const { readManifest } = await import("../manifest/read.ts");
  const read = await readManifest(host, path, "resolve");
  switch (read.kind) {
    case "absent":
    case "none":
      return NOTHING;
    case "map":
      return policyScope(USER_POLICY, child(read.map, "policy"));
    case "problem": {
      // A file that the system does not give out is as good as none, but not silently.
      if (read.of === "file" && /permission denied|not permitted/.test(read.problem.message))
        return { ...NOTHING, note: `${USER_POLICY} ignored: ${read.problem.message}` };
      const { message } = read.problem;
      const problem = {
        ...read.problem,
        file: USER_POLICY,
        message: read.of === "yaml" ? `malformed YAML: ${message}` : message,
      };
      return { ok: false, problems: [problem] };
    }
  }
}

function look(path: string): "file" | "is a symlink" | "is not a regular file" | undefined {
  let stat: ReturnType<typeof lstatSync>;
  try {
    stat = lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return "is a symlink";
  return stat.isFile() ? "file" : "is not a regular file";
}

const NAME = "pipeline-resolve";

/** The verdicts of a scope that has to be right. Throws every error of it on one line (docs/spec/craft-engine.md 5.2 stage 4). */
export function requireScope(
  host: Host,
  which: "user" | "project",
  scope: Scope,
  context?: string,
): PolicyMap {
  if (scope.ok) return scope.policy;
  const errors = scope.problems.map((problem) => problemText(problem, host, context)).join("; ");
  throw failure(NAME, `invalid ${which} policy: ${errors}`);
}

/** What to say of a user scope that is there and does not count. */
export function userScopeNotes(scope: Scope): string[] {
  return scope.ok && scope.note !== undefined ? [`${NAME}: note: ${printable(scope.note)}`] : [];
}

/** The scopes merged, the last winning per action; explicit entries only, in the order actions are listed. */
export function mergePolicy(...scopes: readonly PolicyMap[]): Partial<Record<Action, Verdict>> {
  if (scopes.every(({ size }) => size === 0)) return {};
  const merged = new Map(scopes.flatMap((scope) => [...scope]));
  return Object.fromEntries(
    ACTIONS.flatMap((action) => (merged.has(action) ? [[action, merged.get(action)]] : [])),
  );
}
