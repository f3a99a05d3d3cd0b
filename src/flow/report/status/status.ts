import { JigError, UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { compileHotCode } from "../../../runtime/jit.ts";
import { contextUsage } from "../../common/context-usage.ts";
import { type Layout, layoutOf } from "../../common/layout.ts";
import { type JsonValue, toPlain, writeLossless } from "../../common/lossless-json.ts";
import { pythonText } from "../../common/python-text.ts";
import { lastEvent } from "./last-event.ts";
import { lookAtWorkflow, readableWorkflows } from "./look.ts";
import { statusRoot } from "./project.ts";
import { chooseWorkflow, type Wanted } from "./target.ts";

export interface StatusOptions extends Wanted {
  project: string | undefined;
  all: boolean;
  verbose: boolean;
  statusline: boolean;
  json: boolean;
  specs: boolean;
  specDir: string | undefined;
}

/** How long the program that knows the context may take. */
const USAGE_WAIT_MS = 2_000;

/**
 * `jig flow status` (docs/spec/flow.md 14): where a workflow is. Read-only. Throws `JigError` (exit 1) for an id that is
 * not known, no match and a project without workflows.
 */
export async function status(host: Host, options: StatusOptions): Promise<Outcome> {
  checkWords(options);
  const root = statusRoot(host, options.project);
  const layout = layoutOf(root);
  if (options.specs) return specs(host, root, options.specDir);
  if (options.statusline) return statusline(host, layout, options);
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);
  const now = host.now();
  if (options.all) {
    compileHotCode(); // there may be thousands
    return allOutcome(host, layout, options.json);
  }
  const seen = chooseWorkflow(layout, options, note);
  if (seen === undefined) throw noWorkflows(layout, notes);
  const looked = lookAtWorkflow(layout, seen, now);
  if (options.json) {
    const { statusDocument } = await import("./document.ts");
    const usage = await contextUsage(host, USAGE_WAIT_MS);
    return jsonOutcome(host, statusDocument(looked, lastEvent(layout, looked.id), usage), notes);
  }
  const { reportLines } = await import("./report.ts");
  const lines = reportLines(looked, lastEvent(layout, looked.id), now);
  if (options.verbose) lines.push(...(await import("./verbose.ts")).verboseLines(layout, looked));
  return { data: null, text: lines.join("\n"), notes };
}

async function allOutcome(host: Host, layout: Layout, json: boolean): Promise<Outcome> {
  const notes: string[] = [];
  const now = host.now();
  const usage = json ? await contextUsage(host, USAGE_WAIT_MS) : null;
  const [{ allText, rowOf }, { statusDocument }] = await Promise.all([
    import("./all.ts"),
    import("./document.ts"),
  ]);
  const shown: JsonValue[] = [];
  const rows: string[] = [];
  // One after another, so that never more than one artifact is kept.
  for (const seen of readableWorkflows(layout, (line) => void notes.push(line))) {
    const looked = lookAtWorkflow(layout, seen, now);
    if (json) shown.push(statusDocument(looked, lastEvent(layout, looked.id), usage));
    else rows.push(rowOf(looked, now));
  }
  if (shown.length + rows.length === 0) throw noWorkflows(layout, notes);
  return json ? jsonOutcome(host, shown, notes) : { data: null, text: allText(rows), notes };
}

function checkWords({ all, feature, specDir, specs, wf, worktree }: StatusOptions): void {
  const targets = [wf, feature, worktree, all || undefined].filter((target) => target !== undefined);
  if (targets.length > 1) throw new UsageError("give one of --wf, --feature, --worktree and --all");
  if (specDir !== undefined && !specs) throw new UsageError("--spec-dir needs --specs");
}

function noWorkflows({ root }: Layout, notes: readonly string[]): JigError {
  const why = notes.length === 0 ? "" : `that can be read; ${notes[0]}`;
  return new JigError(`no workflows in ${printable(root)} ${why}`.trimEnd(), {
    hint: "jig flow new starts one",
  });
}

/** Indented; under the upstream name in ASCII alone. */
function jsonOutcome(host: Host, document: JsonValue | JsonValue[], notes: readonly string[]): Outcome {
  const json = host.invokedAs === undefined ? writeLossless(document, 2) : pythonText(document, 2);
  return {
    // Thousands of workflows are not turned into plain values for nothing.
    get data() {
      return toPlain(document);
    },
    json,
    text: "",
    notes,
  };
}

async function statusline(host: Host, layout: Layout, wanted: Wanted): Promise<Outcome> {
  const { currentSegment } = await import("../statusline/current.ts");
  return { data: null, text: await currentSegment(host, layout, wanted, USAGE_WAIT_MS) };
}

async function specs(host: Host, root: string, specDir: string | undefined): Promise<Outcome> {
  const [{ specifications }, { table }] = await Promise.all([
    import("./specs.ts"),
    import("../../../kernel/text/table.ts"),
  ]);
  const data = specifications(root, host.cwd, specDir);
  const rows = data.map(({ id, owner, packages, path, status: state, title }) => [
    id,
    title,
    state ?? "-",
    owner ?? "-",
    packages.join(", ") || "-",
    path,
  ]);
  const json = `${JSON.stringify(data, null, 2)}\n`;
  return {
    data,
    json,
    text: (terminal) => table(["ID", "TITLE", "STATUS", "OWNER", "PACKAGES", "PATH"], rows, terminal),
  };
}
