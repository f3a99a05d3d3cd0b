import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { JigError, osReason } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { appendRecords } from "../../../kernel/files/append.ts";
import { gitText } from "../../../kernel/repository/git.ts";
import { ask, look, type WorkTree } from "../tree/work-tree.ts";

/** The tool's own directories, as lines of `info/exclude`. */
const OWN: readonly (readonly [line: string, inside: string])[] = [
  ["/.claude/worktrees/", ".claude/worktrees/x"],
  ["/.craftflow/", ".craftflow/x"],
];

/**
 * Have git ignore the tool's own directories, in this clone alone (docs/spec/flow-worktree.md 3): what is ignored already
 * stays out, old text is kept byte for byte. The lines that were added, or why it could not be done.
 */
export async function excludeOwnDirectories(
  host: Host,
  tree: WorkTree,
): Promise<{ added: string[]; warning?: string }> {
  try {
    const missing: string[] = [];
    for (const [line, inside] of OWN) {
      const { exitCode } = await look(host, tree, ["check-ignore", "--quiet", inside]);
      if (exitCode === 1) missing.push(line);
    }
    if (missing.length === 0) return { added: [] };
    const words = ["--path-format=absolute", "--git-path", "info/exclude"];
    const path = gitText(await ask(host, tree, ["rev-parse", ...words]));
    mkdirSync(dirname(path), { recursive: true });
    appendRecords(path, missing, { create: 0o644 });
    return { added: missing };
  } catch (error) {
    const why = error instanceof JigError ? error.message : osReason(error);
    return { added: [], warning: `the tool's own directories could not be excluded from git: ${why}` };
  }
}
