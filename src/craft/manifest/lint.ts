import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import { type Problem, problemText } from "../common/problem.ts";
import { judgeManifest, type ManifestVerdict } from "./judge.ts";
import type { ManifestLint } from "./schema.ts";

/** Where a repository's manifest is unless a path is given. */
export const DEFAULT_MANIFEST = ".claude/workflow.md";

export interface LintArgs {
  path?: string | undefined;
  strict: boolean;
  json: boolean;
}

/** `manifest-lint [PATH]`: exit 0 when the manifest is valid or there is none, 2 otherwise. */
export async function manifestLint(host: Host, args: LintArgs): Promise<Outcome<ManifestLint>> {
  const verdict = await judgeManifest(host, args.path || DEFAULT_MANIFEST, { strict: args.strict });
  const { path, status, errors, warnings } = verdict;
  const data: ManifestLint = {
    ok: status !== "invalid",
    path,
    status,
    errors: errors.map((problem) => report(problem, path)),
    warnings: warnings.map((problem) => report(problem, path)),
  };
  return {
    data,
    text: summary(verdict),
    notes: args.json ? [] : lintNotes(host, verdict),
    exitCode: data.ok ? 0 : 2,
  };
}

function report({ message, hint, file, line }: Problem, path: string) {
  return { message, hint: hint ?? null, file: file ?? path, line: line ?? null };
}

function summary({ path, status }: ManifestVerdict): string {
  const name = printable(path);
  switch (status) {
    case "no-manifest":
      return `craft-manifest: no manifest at ${name} — pure defaults via capability probing.`;
    case "no-frontmatter":
      return `craft-manifest: ${name} has no YAML frontmatter — pure defaults.`;
    case "valid":
      return `craft-manifest: ${name} valid.`;
    case "invalid":
      return "";
  }
}

/** The stderr lines of a lint: its warnings, and the block of an invalid manifest (docs/spec/craft-engine.md 3). */
export function lintNotes(host: Host, { path, status, errors, warnings }: ManifestVerdict): string[] {
  const lines = warnings.map((problem) => `craft-manifest: warning: ${problemText(problem, host, path)}`);
  if (status !== "invalid") return lines;
  return [
    ...lines,
    `craft-manifest: INVALID manifest ${printable(path)}:`,
    ...errors.map((problem) => `- ${problemText(problem, host, path)}`),
    "Fix the manifest and run this again; nothing of it was used.",
  ];
}
