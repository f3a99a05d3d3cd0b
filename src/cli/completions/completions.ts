import type { Outcome } from "../../kernel/call/outcome.ts";

import { type CompletionTree, completionTree } from "./completable.ts";
import { renderFish } from "./fish.ts";
import { renderBash, renderZsh } from "./posix.ts";
import { renderPowerShell } from "./powershell.ts";

const RENDERERS: Record<string, (tree: CompletionTree) => string> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
  powershell: renderPowerShell,
};

/** The completion script of a shell, generated from the command tree (docs/spec/cli.md section 6). */
export async function completions(shell: string): Promise<Outcome> {
  const script = RENDERERS[shell]!(await completionTree());
  return { data: script, text: script };
}
