import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { finding, note, ok } from "../check.ts";
import { decodeJson } from "../nested.ts";
import type { Check } from "../schema.ts";

const NAME = "workflows";

interface Listed {
  workflow_uuid: string;
  state: string;
  error: string | null;
}

interface Trees {
  findings: { kind: string; message: string; what: string; workflow: string | null }[];
  lock: { holder: string; decision: string } | null;
}

const REMOVABLE = /^(?:STALE|SELF)/;

/** The workflows of this directory: state that cannot be read, worktrees left behind, a lock whose holder is gone. */
export async function examineFlow(host: Host): Promise<Check[]> {
  const list = await host.run(["flow", "list", "--json"]);
  if (list.exitCode !== 0) return [finding(NAME, printable(list.stderr.trim()), "jig flow list")];
  const workflows = decodeJson<Listed[]>(list.stdout);
  if (workflows.length === 0) return [note(NAME, "none here")];
  const checks = workflows
    .filter(({ error }) => error !== null)
    .map(({ workflow_uuid: wf, error }) =>
      finding(NAME, `${wf}: ${printable(error!)}`, `jig flow check ${wf}`),
    );
  const { findings, lock } = decodeJson<Trees>(
    (await host.run(["flow", "worktree", "status", "--json"])).stdout,
  );
  for (const { kind, what, message, workflow } of findings) {
    if (kind === "unreadable") continue;
    const mend = workflow === null ? "jig flow worktree status" : `jig flow worktree status ${workflow}`;
    checks.push(finding(NAME, `${printable(what)}: ${printable(message)}`, mend));
  }
  if (lock !== null && REMOVABLE.test(lock.decision)) {
    const message = `the merge lock is held by nobody alive (${printable(lock.decision)})`;
    checks.push(finding(NAME, message, "jig flow worktree unlock"));
  }
  return checks.length > 0
    ? checks
    : [ok(NAME, `${workflows.length} here, all readable, nothing left behind`)];
}
