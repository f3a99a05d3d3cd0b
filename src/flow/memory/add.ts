import { JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { nearest } from "../../kernel/text/nearest.ts";
import { printable } from "../../kernel/text/printable.ts";
import { requiredText } from "../common/arguments.ts";
import { layoutOf } from "../common/layout.ts";
import { withMemoryLock } from "../common/lock.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import type { MemoryAdd } from "./schema.ts";
import { SESSION_SETTINGS, withSetting } from "./settings.ts";
import { ensureDirectory } from "./store/directory.ts";
import { healFile } from "./store/healed-file.ts";
import { changeMemory, readMemory } from "./store/memory-file.ts";
import { flatPath, projectTier, workflowTier } from "./store/tier.ts";
import { appendBullet, oneLine } from "./text/add.ts";
import { sectionNamed, sectionWords } from "./text/files.ts";

export interface AddOptions {
  project?: string | undefined;
  section: string;
  text?: string | undefined;
  from?: string | undefined;
  tier?: string | undefined;
  wf?: string | undefined;
}

/** `jig flow memory add` (docs/spec/flow.md 9.9): one bullet at the end of a section, or a setting in place of its
 * earlier lines; no permit is needed. */
export async function add(host: Host, options: AddOptions): Promise<Outcome<MemoryAdd>> {
  const named = sectionNamed(options.section);
  if (named === undefined) throw unknownSection(options.section);
  const { file, section } = named;
  if (options.tier === "workflow" && options.wf === undefined) {
    throw new UsageError("--tier workflow needs --wf WF");
  }
  if (options.tier !== "workflow" && options.wf !== undefined) {
    throw new UsageError("--wf belongs to --tier workflow");
  }
  const names = ["TEXT", "--from"] as const;
  const text = oneLine(await requiredText(host, { text: options.text, file: options.from, names }));
  if (text.trim() === "") throw new UsageError("the text is empty");
  const layout = layoutOf(projectRoot(host, options.project));
  const tier =
    options.wf === undefined
      ? projectTier(layout)
      : workflowTier(layout, findWorkflow(layout, options.wf, "write"));
  const path = tier.path(file);
  ensureDirectory(tier.base, tier.directory);
  const added = await withMemoryLock(host, layout.state, () => {
    const flat = tier.name === "project" ? readMemory(layout.root, flatPath(layout, file)) : undefined;
    healFile(tier, file, flat);
    return changeMemory(tier.base, path, (before) => {
      const old = before ?? "";
      const after = section === SESSION_SETTINGS ? withSetting(old, text) : appendBullet(old, section, text);
      if (after === undefined) throw new JigError(`${printable(path)} has lost its section ${section}`);
      return after;
    });
  });
  return { data: { path, section, text, added }, text: "" };
}

function unknownSection(word: string): UsageError {
  const words = sectionWords();
  const near = nearest(word, words);
  return new UsageError(`no memory file has a section ${printable(JSON.stringify(word))} to add to`, {
    hint: near === undefined ? `sections: ${words.join(", ")}` : `did you mean ${near}?`,
  });
}
