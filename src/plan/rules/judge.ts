/** Run every rule over a document. Pure: what the rules need from the file system is handed in. */
import { findDefinitions, owned } from "../read/definitions.ts";
import type { Integrity, PlanDocument } from "../read/document.ts";
import { findQuestions, type Questions } from "../read/questions.ts";
import type { Generation } from "../terms.ts";
import { type Check, RULES, type RuleId, type Severity } from "./catalog.ts";
import { checkContent } from "./content.ts";
import type { Context } from "./context.ts";
import { checkHtml } from "./html.ts";
import { checkHtmlContract } from "./html-contract.ts";
import { checkIdentifiers, checkQuestions } from "./identifiers.ts";
import { checkMarkdown } from "./markdown.ts";
import { checkFileName, checkMetadata } from "./metadata.ts";
import { checkStructure } from "./structure.ts";

export interface Finding {
  rule: RuleId;
  severity: Severity;
  /** 1-based; 1 for what concerns the whole file. */
  line: number;
  message: string;
  /** The source line, at most 120 characters. */
  excerpt: string;
  check: Check;
}

export type Circumstances = Pick<
  Context,
  "base" | "stage" | "generation" | "demanded" | "producer" | "split" | "sibling" | "repository"
> & { ignored: ReadonlySet<RuleId> };

const MAX_EXCERPT = 120;

/** Faults of the file itself, errors whatever wording the document was written under. */
const INTEGRITY: ReadonlySet<RuleId> = new Set(["PLAN-C14", "PLAN-C15", "PLAN-D01"]);

/** Findings in line order, and the open questions. */
export function judge(
  document: PlanDocument,
  integrity: Integrity,
  circumstances: Circumstances,
): { findings: Finding[]; questions: Questions } {
  const { ignored, ...known } = circumstances;
  const definitions = findDefinitions(document);
  const { findings, report } = findingsOf(document, ignored, known.generation);
  const context: Context = {
    ...known,
    document,
    definitions,
    owned: owned(definitions),
    questions: findQuestions(document),
    report,
  };
  checkIntegrity(context, integrity);
  checkMetadata(context);
  checkFileName(context);
  checkStructure(context);
  checkQuestions(context);
  checkIdentifiers(context);
  checkContent(context);
  if (document.format === "md") checkMarkdown({ ...context, document });
  else {
    checkHtml({ ...context, document });
    checkHtmlContract({ ...context, document });
  }
  const order = new Map([...RULES.keys()].map((rule, index) => [rule, index]));
  findings.sort((a, b) => a.line - b.line || order.get(a.rule)! - order.get(b.rule)!);
  return { findings, questions: context.questions };
}

/** A list of findings and what adds to it. */
function findingsOf(
  document: PlanDocument,
  ignored: ReadonlySet<RuleId>,
  generation: Generation,
): { findings: Finding[]; report: Context["report"] } {
  const findings: Finding[] = [];
  const excerpts = new Map<number, string>();
  const excerptOf = (line: number) => {
    const known = excerpts.get(line) ?? cut((document.lines[line - 1] ?? "").trim());
    excerpts.set(line, known);
    return known;
  };
  const report: Context["report"] = (id, line, message, milder) => {
    if (ignored.has(id)) return;
    const rule = RULES.get(id)!;
    const severity = milder ?? rule.severity;
    const forgiven = generation === "earlier" && severity === "error" && !INTEGRITY.has(id);
    findings.push({
      rule: id,
      severity: forgiven ? "warning" : severity,
      line,
      message,
      excerpt: excerptOf(line),
      check: rule.check === "post-write" && document.format === "html" ? "post-compose" : rule.check,
    });
  };
  return { findings, report };
}

/** The faults of the bytes alone, for a document that is not judged otherwise. */
export function judgeIntegrity(
  document: PlanDocument,
  integrity: Integrity,
  ignored: ReadonlySet<RuleId>,
): Finding[] {
  const { findings, report } = findingsOf(document, ignored, "current");
  checkIntegrity({ report }, integrity);
  return findings;
}

function checkIntegrity({ report }: Pick<Context, "report">, integrity: Integrity): void {
  const { byteOrderMark, invalidLine, nulLine, utf16 } = integrity;
  const looks = utf16 ? ": this looks like UTF-16; save it as UTF-8" : "";
  if (invalidLine !== undefined) report("PLAN-C15", invalidLine, `bytes that are not UTF-8${looks}`);
  if (nulLine !== undefined) report("PLAN-C15", nulLine, `a NUL character, so this is no UTF-8 text${looks}`);
  if (byteOrderMark) report("PLAN-C15", 1, "a byte-order mark at the beginning", "warning");
}

function cut(text: string): string {
  // No more than what may be shown is looked at: a line may be megabytes long.
  const characters = [...text.slice(0, 2 * MAX_EXCERPT + 2)];
  return characters.length <= MAX_EXCERPT ? text : `${characters.slice(0, MAX_EXCERPT - 1).join("")}…`;
}
