import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { isInside, realOrPlain, resolveReal } from "../../kernel/files/contain.ts";
import { Refused } from "../../kernel/files/owned-file.ts";
import { findGitAncestor } from "../../kernel/repository/repository.ts";
import { printable } from "../../kernel/text/printable.ts";
import { failure } from "../common/fail.ts";
import { readInputFile } from "../common/input.ts";
import { looksLikePath, type PlanPart, planParts } from "./plan-parts.ts";
import type { PlanLintReport } from "./schema.ts";

const NAME = "plan-lint";

/** Files a part may declare before it has to be split. */
export const DEFAULT_FILE_CEILING = 6;

/** Largest plan read, in bytes. */
const MAX_PLAN_BYTES = 16 * 1024 * 1024;

/** Check a craft plan: its parts, their sections, how many files each declares (docs/spec/craft-engine.md 15). */
export function planLint(host: Host, options: { plan: string; ceiling: number }): Outcome<PlanLintReport> {
  const text = readPlan(host, options.plan);
  const isRepositoryFile = repositoryFiles(host, options.plan);
  const parts = planParts(text);
  if (parts.length === 0) {
    const data = { ok: false, parts: [], shared: [] };
    return { data, text: `${NAME}: no "## Part" sections found — not a craft plan.\n`, exitCode: 2 };
  }
  const lines: string[] = [];
  const report: PlanLintReport = { ok: true, parts: [], shared: [] };
  let violating = 0;
  for (const part of parts) {
    const files = part.contextSpans.filter((span) => looksLikePath(span) || isRepositoryFile(span)).length;
    const overCeiling = files > options.ceiling;
    report.parts.push({ heading: part.heading, missing: part.missing, files, overCeiling });
    if (part.missing.length > 0) {
      lines.push(`${NAME}: part "${printable(part.heading)}" missing: ${part.missing.join(", ")}`);
    }
    if (overCeiling) {
      lines.push(
        `${NAME}: part "${printable(part.short)}" declares ${files} files — over the ceiling of ${options.ceiling}. Split it.`,
      );
    }
    if (part.missing.length > 0 || overCeiling) violating++;
  }
  report.shared = sharedFiles(parts, isRepositoryFile);
  for (const { file, parts: names } of report.shared) {
    lines.push(
      `${NAME}: cognitive-locality warning — \`${printable(file)}\` is named by ${names.map(printable).join(", ")}`,
    );
  }
  report.ok = violating === 0;
  lines.push(
    report.ok
      ? `${NAME}: ${parts.length} part(s) OK — every section is there, no part over ${options.ceiling} files.`
      : `${NAME}: ${violating} part(s) violate the schema. The plan phase cannot close.`,
  );
  return { data: report, text: `${lines.join("\n")}\n`, exitCode: report.ok ? 0 : 2 };
}

function readPlan(host: Host, path: string): string {
  try {
    return readInputFile(host, path, MAX_PLAN_BYTES);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw failure(NAME, error.reason === "absent" ? `no such file: ${printable(path)}` : error.message);
  }
}

/** Whether a span names an existing regular file of the repository, the plan itself excluded. */
function repositoryFiles(host: Host, plan: string): (span: string) => boolean {
  const root = realOrPlain(findGitAncestor(host.cwd, { dangling: true, uid: host.uid }) ?? host.cwd);
  const planPath = realOrPlain(resolve(host.cwd, plan));
  const known = new Map<string, boolean>();
  const look = (span: string): boolean => {
    if (span.includes("\0") || span.length > 4096) return false;
    try {
      const path = resolveReal(resolve(root, span));
      return (
        isInside(root, path) &&
        path !== planPath &&
        (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)
      );
    } catch {
      // A name the system refuses is no file of the repository.
      return false;
    }
  };
  return (span) => {
    const found = known.get(span) ?? look(span);
    known.set(span, found);
    return found;
  };
}

function sharedFiles(
  parts: readonly PlanPart[],
  isRepositoryFile: (span: string) => boolean,
): PlanLintReport["shared"] {
  const naming = new Map<string, string[]>();
  for (const part of parts) {
    for (const span of part.contextSpans) {
      if (!isRepositoryFile(span)) continue;
      const names = naming.get(span) ?? [];
      names.push(part.short);
      naming.set(span, names);
    }
  }
  return [...naming].filter(([, names]) => names.length > 1).map(([file, names]) => ({ file, parts: names }));
}
