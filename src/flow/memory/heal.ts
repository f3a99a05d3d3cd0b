import { EXIT, JigError, UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { type Layout, layoutOf, MEMORY_FILES, type MemoryFile } from "../common/layout.ts";
import { withMemoryLock } from "../common/lock.ts";
import { projectRoot } from "../common/project.ts";
import { findWorkflow } from "../common/workflow.ts";
import { findWorkspace } from "../common/workspace.ts";
import type { MemoryHeal } from "./schema.ts";
import { ensureDirectory } from "./store/directory.ts";
import { beginningOf, healFile } from "./store/healed-file.ts";
import { readMemory } from "./store/memory-file.ts";
import { flatPath, projectTier, type Tier, workflowTier, workspaceTier } from "./store/tier.ts";
import { MEMORY_FORMS } from "./text/files.ts";
import { missingSections } from "./text/heal.ts";

export interface HealOptions {
  project?: string | undefined;
  tier?: string | undefined;
  wf?: string | undefined;
  check?: boolean;
}

/** `jig flow memory heal` (docs/spec/flow.md 9.4): every file of a tier gets the sections it has to have. */
export async function heal(host: Host, options: HealOptions): Promise<Outcome<MemoryHeal>> {
  const layout = layoutOf(projectRoot(host, options.project));
  const tier = chosenTier(host, layout, options);
  const flatOf = (file: MemoryFile) =>
    tier.name === "project" ? readMemory(layout.root, flatPath(layout, file)) : undefined;
  const files = options.check ? missingIn(tier, flatOf) : await healed(host, tier, flatOf);
  const lines = files.map(({ file, sections }) => `${file}: ${sections.join(", ")}\n`);
  return {
    data: { tier: tier.name, directory: tier.directory, files },
    text: lines.join(""),
    exitCode: options.check && files.length > 0 ? EXIT.failed : EXIT.done,
  };
}

type FlatOf = (file: MemoryFile) => string | undefined;

function missingIn(tier: Tier, flatOf: FlatOf): MemoryHeal["files"] {
  return changed((file) => {
    const text = readMemory(tier.base, tier.path(file));
    const { sections } = MEMORY_FORMS[file];
    const { did, text: begun } = beginningOf(tier, file, text, flatOf(file));
    return did === "created" ? [...sections] : missingSections(begun, sections);
  });
}

function healed(host: Host, tier: Tier, flatOf: FlatOf): Promise<MemoryHeal["files"]> {
  ensureDirectory(tier.base, tier.directory);
  return withMemoryLock(host, tier.state, () => changed((file) => healFile(tier, file, flatOf(file)).added));
}

function changed(sectionsOf: (file: MemoryFile) => string[]): MemoryHeal["files"] {
  return MEMORY_FILES.map((file) => ({ file, sections: sectionsOf(file) })).filter(
    ({ sections }) => sections.length > 0,
  );
}

/** The tier that is named; a workflow alone names its own. */
function chosenTier(host: Host, layout: Layout, { tier, wf }: HealOptions): Tier {
  const name = tier ?? (wf === undefined ? "project" : "workflow");
  if (wf !== undefined && name !== "workflow") {
    throw new UsageError(`--wf belongs to --tier workflow, not to --tier ${name}`);
  }
  if (name === "project") return projectTier(layout);
  if (name === "workspace") {
    const workspace = findWorkspace(host, layout.root);
    if (workspace !== undefined) return workspaceTier(workspace);
    throw new JigError(`${printable(layout.root)} belongs to no workspace`, {
      hint: "jig flow workspace init --workspace-root DIR sets one up",
    });
  }
  if (wf === undefined) throw new UsageError("--tier workflow needs --wf WF");
  return workflowTier(layout, findWorkflow(layout, wf, "write"));
}
