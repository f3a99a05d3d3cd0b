import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { layoutOf } from "../common/layout.ts";
import { withMemoryLock } from "../common/lock.ts";
import { projectRoot } from "../common/project.ts";
import { sectionBody } from "../common/sections.ts";
import { findWorkflow } from "../common/workflow.ts";
import type { Marker } from "./schema.ts";
import { healFile } from "./store/healed-file.ts";
import { changeMemory } from "./store/memory-file.ts";
import { workflowTier } from "./store/tier.ts";
import { appendLine } from "./text/add.ts";

const SECTION = "Recent Changes";

/** Each with its word; only a debug reset may stand more than once. */
export const MARKERS = {
  "build-start": { word: "BUILD-START", once: true },
  "debug-reset": { word: "DEBUG-RESET", once: false },
  "plan-start": { word: "PLAN-START", once: true },
} as const;
export type MarkerName = keyof typeof MARKERS;

/** `jig flow marker` (docs/spec/flow.md 8.3): where a workflow's own notes of a kind begin. */
export async function marker(
  host: Host,
  word: string,
  name: MarkerName,
  project: string | undefined,
): Promise<Outcome<Marker>> {
  const layout = layoutOf(projectRoot(host, project));
  const wf = findWorkflow(layout, word, "write");
  const tier = workflowTier(layout, wf);
  const path = tier.path("activeContext.md");
  const line = `[${MARKERS[name].word}: wf:${wf}]`;
  const added = await withMemoryLock(host, layout.state, () => {
    healFile(tier, "activeContext.md", undefined);
    return changeMemory(tier.base, path, (text = "") => {
      const lines = sectionBody(text, SECTION)?.split("\n") ?? [];
      if (MARKERS[name].once && lines.some((one) => one.trim().replace(/^- /, "") === line)) return text;
      const changed = appendLine(text, SECTION, line);
      if (changed === undefined) throw new JigError(`${printable(path)} has lost its section ${SECTION}`);
      return changed;
    });
  });
  return { data: { path, marker: line, added }, text: "" };
}
