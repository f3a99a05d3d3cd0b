import { join } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { isDirectory } from "../../../kernel/files/look.ts";
import { printable, valueLines } from "../../../kernel/text/printable.ts";
import { type Layout, layoutOf, MEMORY_FILES, type MemoryFile } from "../../common/layout.ts";
import { projectRoot } from "../../common/project.ts";
import { findWorkflow } from "../../common/workflow.ts";
import { findWorkspace } from "../../common/workspace.ts";
import { sectionSummary } from "../../report/query/markdown-summary.ts";
import type { MemoryLoad } from "../schema.ts";
import { type SessionSettings, sessionSettings } from "../settings.ts";
import { ensureDirectory } from "../store/directory.ts";
import { readMemory } from "../store/memory-file.ts";
import { projectTier, TIERS, type TierName, workflowTier, workspaceTier } from "../store/tier.ts";
import { type MergedTiers, mergeTiers } from "./merge-tiers.ts";
import { everyFile, type LoadedTier, loadAsIs, loadHealed, skippedTier } from "./read-tier.ts";

/** Larger files are shown in short, as a large state file is. */
const WHOLE_BYTES = 50_000;

export interface LoadOptions {
  project?: string | undefined;
  wf?: string | undefined;
  "no-heal"?: boolean;
  full?: boolean;
}

/** `jig flow memory load` (docs/spec/flow.md 9.3): what a session has to know, from all tiers. */
export async function load(host: Host, options: LoadOptions): Promise<Outcome<MemoryLoad>> {
  const layout = layoutOf(projectRoot(host, options.project));
  const wf = options.wf === undefined ? undefined : findWorkflow(layout, options.wf, "write");
  const heal = options["no-heal"] !== true;
  if (heal) ensureDirectory(layout.root, layout.projectMemory);
  const workspace = findWorkspace(host, layout.root);
  const tiers: Record<TierName, LoadedTier> = {
    project: await loadHealed(host, projectTier(layout), layout, heal),
    workspace: await loadWorkspace(host, workspace, heal),
    workflow: wf === undefined ? skippedTier() : loadAsIs(workflowTier(layout, wf), heal),
  };
  const constitution = readConstitution(layout);
  const settings = sessionSettings(tiers.project.files["activeContext.md"].text ?? "");
  const short = options.full === true ? [] : tooLarge(tiers);
  const together = shortened(mergeTiers(textsOf(tiers)), short);
  const data = dataOf(layout, workspace, { tiers, together, settings, constitution, short });
  const isReadable = MEMORY_FILES.every(
    (file) => !/^(?:unreadable|not_utf8)$/.test(tiers.project.files[file].status),
  );
  return { data, text: valueLines(textOf(data)), exitCode: isReadable ? 0 : 1 };
}

/** A workspace whose memory was never set up is not set up by reading it. */
async function loadWorkspace(host: Host, workspace: string | undefined, heal: boolean): Promise<LoadedTier> {
  if (workspace === undefined) return skippedTier();
  const tier = workspaceTier(workspace);
  if (isDirectory(tier.directory)) return loadHealed(host, tier, undefined, heal);
  const hint = `workspace ${workspace} has no memory yet (jig flow workspace init --workspace-root DIR)`;
  return { files: loadAsIs(tier, false).files, notes: [hint] };
}

interface Constitution {
  present: boolean;
  path: string;
  must: string[];
  notes: string[];
}

function readConstitution(layout: Layout): Constitution {
  const path = join(layout.projectMemory, "constitution.md");
  try {
    const text = readMemory(layout.root, path);
    const must = (text ?? "").split("\n").filter((line) => /\bMUST-\d/.test(line));
    return { present: text !== undefined, path, must: must.map((line) => line.trim()), notes: [] };
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return { present: true, path, must: [], notes: [error.message] };
  }
}

type LargeFile = { tier: TierName; file: MemoryFile; bytes: number };

function tooLarge(tiers: Record<TierName, LoadedTier>): LargeFile[] {
  return TIERS.flatMap((tier) =>
    MEMORY_FILES.map((file) => ({ tier, file, bytes: tiers[tier].files[file].bytes })),
  ).filter(({ bytes }) => bytes > WHOLE_BYTES);
}

function textsOf(tiers: Record<TierName, LoadedTier>) {
  const of = (tier: TierName) => everyFile((file) => tiers[tier].files[file].text);
  return { project: of("project"), workspace: of("workspace"), workflow: of("workflow") };
}

function shortened({ context, merged }: MergedTiers, short: readonly LargeFile[]): MergedTiers {
  const shorten = <T extends { tier: TierName; file: MemoryFile; text: string }>(section: T): T =>
    short.some(({ file, tier }) => tier === section.tier && file === section.file)
      ? { ...section, text: sectionSummary(section.text).trimEnd() }
      : section;
  return {
    merged: new Map([...merged].map(([name, section]) => [name, shorten(section)])),
    context: context.map(shorten),
  };
}

function dataOf(
  layout: Layout,
  workspace: string | undefined,
  found: {
    tiers: Record<TierName, LoadedTier>;
    together: MergedTiers;
    settings: SessionSettings;
    constitution: Constitution;
    short: readonly LargeFile[];
  },
): MemoryLoad {
  const { constitution, settings, short, tiers, together } = found;
  const { notes, ...rules } = constitution;
  const withoutText = (tier: TierName) =>
    everyFile((file) => {
      const { bytes, healed, path, status } = tiers[tier].files[file];
      return { path, status, bytes, healed };
    });
  return {
    project_root: layout.root,
    workspace_root: workspace ?? null,
    tiers: {
      project: withoutText("project"),
      workspace: withoutText("workspace"),
      workflow: withoutText("workflow"),
    },
    merged: Object.fromEntries(together.merged),
    context: together.context,
    session_settings: settings.settings,
    just_go: settings.justGo,
    constitution: rules,
    notes: [
      ...TIERS.flatMap((tier) => tiers[tier].notes),
      ...notes,
      ...settings.warnings,
      ...short.map(
        ({ bytes, file, tier }) =>
          `${tier} ${file} (${bytes} bytes) is shown in short; --full shows it whole`,
      ),
    ],
  };
}

/** The merged sections under their headings, then what else there is, then notes. */
function textOf({ constitution, context, merged, notes }: MemoryLoad): string {
  const block = (heading: string, text: string) => `${heading}\n${text === "" ? "" : `${text}\n`}\n`;
  return [
    ...Object.entries(merged).map(([name, { text }]) => block(`## ${name}`, text)),
    ...(constitution.must.length === 0 ? [] : [block("# Constitution", constitution.must.join("\n"))]),
    ...context.map(({ file, read_only, section, tier, text }) =>
      block(`# ${tier} ${file}: ${section}${read_only ? " (read-only)" : ""}`, text),
    ),
    ...notes.map((note) => `note: ${printable(note)}\n`),
  ].join("");
}
