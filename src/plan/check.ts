/** `plan check`: the part of the ready check and of the audits that a program can decide (docs/spec/plan.md section 3). */

import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { EXIT, JigError, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { findGitAncestor } from "../kernel/repository/repository.ts";
import { counted } from "../kernel/text/count.ts";
import { printable } from "../kernel/text/printable.ts";
import { formatOf, otherFormat, withoutExtension } from "./name.ts";
import { loadPlan, requirePlanBytes } from "./read/load.ts";
import { isRule, JUDGEMENT, RULES, type RuleId, WEBFONT_HOSTS } from "./rules/catalog.ts";
import { judge, judgeIntegrity } from "./rules/judge.ts";
import type { PlanReport, RuleList } from "./schema.ts";
import { CONTRACT_ID } from "./terms.ts";

export interface CheckFlags {
  stage: string | undefined;
  producer: string | undefined;
  split: boolean;
  strict: boolean;
  ignore: readonly string[];
}

/** Check documents. Exit 0 when all pass, 1 when one fails, 2 when one cannot be read; all are reported. */
export async function checkPlans(
  host: Host,
  files: readonly string[],
  flags: CheckFlags,
): Promise<Outcome<PlanReport | PlanReport[]>> {
  if (files.length === 0) throw new UsageError("no FILE given", { hint: "jig plan check docs/plans/*.md" });
  const unknown = flags.ignore.find((rule) => !isRule(rule));
  if (unknown !== undefined) {
    throw new UsageError(`unknown rule '${unknown}' for --ignore`, { hint: "jig plan check --list-rules" });
  }
  const reports: PlanReport[] = [];
  const text: string[] = [];
  const notes: string[] = [];
  let exitCode: number = EXIT.done;
  for (const file of files) {
    try {
      const report = await checkPlan(host, file, flags);
      reports.push(report);
      const code = exitCodeFor(report, flags);
      text.push(render(file, report, files.length > 1, code !== EXIT.done));
      exitCode = Math.max(exitCode, code);
    } catch (error) {
      if (!(error instanceof JigError) || error.exitCode !== EXIT.usage || files.length === 1) throw error;
      notes.push(`${host.prefix}${error.message}`);
      exitCode = EXIT.usage;
    }
  }
  if (files.length > 1) text.push(verdict(reports, notes.length, exitCode));
  return { data: files.length === 1 ? reports[0]! : reports, text: text.join(""), exitCode, notes };
}

async function checkPlan(host: Host, file: string, flags: CheckFlags): Promise<PlanReport> {
  const path = resolve(host.cwd, file);
  const format = formatOf(path);
  if (format === undefined) throw new UsageError(`${file}: is neither .md nor .html`);
  const bytes = requirePlanBytes(path, file);
  const report: PlanReport = {
    file: path,
    status: "pass",
    format,
    generation: null,
    stage: null,
    contract: null,
    errors: 0,
    warnings: 0,
    infos: 0,
    findings: [],
    open_questions: { resolve_before_planning: [], deferred_to_planning: [], unclassified: [] },
    judgement: [...JUDGEMENT],
    reason: null,
  };
  if (bytes.length === 0)
    return { ...report, status: "empty", reason: "0 bytes: a reservation that was not used" };
  const { document, integrity, standing } = await loadPlan(format, bytes, file);
  const ignored = new Set(flags.ignore as RuleId[]);
  if (standing.kind !== "plan") {
    // What cannot be read as text says nothing about what it is.
    const findings = judgeIntegrity(document, integrity, ignored);
    const errors = findings.filter(({ severity }) => severity === "error");
    if (errors.length > 0) {
      const reason = `${errors[0]!.message} (line ${errors[0]!.line}); nothing else was checked`;
      return { ...report, status: "fail", errors: errors.length, findings: errors, reason };
    }
    if (standing.kind === "legacy") return { ...report, status: "legacy", reason: standing.reason };
    const reason = `artifact_contract is '${standing.contract}', expected ${CONTRACT_ID}`;
    return { ...report, status: "unsupported", contract: standing.contract, reason };
  }
  const base = withoutExtension(basename(path));
  const { findings, questions } = judge(document, integrity, {
    base,
    stage: standing.stage,
    generation: standing.generation,
    demanded: flags.stage === "requirements" || flags.stage === "planned" ? flags.stage : "auto",
    producer: flags.producer,
    split: flags.split,
    sibling: siblingOf(path, `${base}.${otherFormat(format)}`),
    repository: repositoryOf(host, path),
    ignored,
  });
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings, infos] = [count("error"), count("warning"), count("info")];
  return {
    ...report,
    status: errors > 0 || (flags.strict && warnings > 0) ? "fail" : "pass",
    generation: standing.generation,
    stage: standing.stage,
    contract: standing.contract,
    errors,
    warnings,
    infos,
    findings,
    open_questions: {
      resolve_before_planning: questions.resolveBeforePlanning,
      deferred_to_planning: questions.deferredToPlanning,
      unclassified: questions.unclassified,
    },
  };
}

/** A file beside this one with the same base name and the other extension, in any letter case. */
function siblingOf(path: string, wanted: string): string | undefined {
  const directory = dirname(path);
  if (lstatSync(`${directory}/${wanted}`, { throwIfNoEntry: false }) !== undefined) return wanted;
  const [base, extension] = [withoutExtension(wanted), formatOf(wanted)];
  try {
    return readdirSync(directory).find(
      (name) => withoutExtension(name) === base && formatOf(name) === extension,
    );
  } catch {
    return undefined;
  }
}

function repositoryOf({ uid }: Pick<Host, "uid">, path: string): string | undefined {
  try {
    return findGitAncestor(dirname(realpathSync(path)), { dangling: true, uid });
  } catch {
    return undefined;
  }
}

function exitCodeFor(report: PlanReport, flags: CheckFlags): number {
  if (report.status === "pass") return EXIT.done;
  if (report.status !== "legacy") return EXIT.failed;
  const mustBePlan = flags.producer !== undefined || (flags.stage !== undefined && flags.stage !== "auto");
  return mustBePlan ? EXIT.failed : EXIT.done;
}

/** One line per finding and one for the whole. */
function render(file: string, report: PlanReport, several: boolean, failed: boolean): string {
  const shown = printable(file);
  const lines = report.findings.map(
    ({ line, message, rule, severity }) => `${shown}:${line}: ${severity} ${rule} ${printable(message)}\n`,
  );
  return lines.join("") + (several ? `${shown}: ` : "") + `${summary(report, failed)}\n`;
}

/** The last line of several files: what the exit code says, for hosts that do not show it. */
function verdict(reports: readonly PlanReport[], unread: number, exitCode: number): string {
  const counts = new Map<string, number>();
  for (const { status } of reports) counts.set(status, (counts.get(status) ?? 0) + 1);
  if (unread > 0) counts.set("not checked", unread);
  const parts = [...counts].map(([status, count]) => `${count} ${status}`).join(", ");
  return `${exitCode === EXIT.done ? "pass" : "fail"}: ${reports.length + unread} files: ${parts}\n`;
}

function summary(report: PlanReport, failed: boolean): string {
  const { errors, format, generation, reason, stage, status, warnings } = report;
  if (status === "legacy") return `${failed ? "fail: " : ""}legacy, not checked: ${reason}`;
  if (reason !== null) return `${status}: ${printable(reason)}`;
  return `${status}: ${counted(errors, "error")}, ${counted(warnings, "warning")} (${format}, ${stage}, ${generation})`;
}

/** `plan check --list-rules`. */
export function listRules(): Outcome<RuleList> {
  const data: RuleList = [...RULES].map(([rule, { check, format, milder, severity, summary }]) => ({
    rule,
    severity,
    ...(milder === undefined ? {} : { milder }),
    format,
    check,
    summary,
    ...(rule === "PLAN-H03" ? { webfont_hosts: [...WEBFONT_HOSTS] } : {}),
  }));
  const lines = data.map(({ format, milder, rule, severity, summary, webfont_hosts }) => {
    const hosts = webfont_hosts === undefined ? "" : ` (${webfont_hosts.join(", ")})`;
    const severities = milder === undefined ? severity : `${severity}, ${milder}`;
    return `${rule}\t${severities}\t${format}\t${summary}${hosts}\n`;
  });
  return { data, text: lines.join("") };
}
