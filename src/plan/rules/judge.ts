/** Run every rule over a document. Pure: what the rules need from the file system is handed in. */
import { findDefinitions, owned } from "../read/definitions.ts";
import type { Integrity, PlanDocument } from "../read/document.ts";
import { findQuestions, type Questions } from "../read/questions.ts";
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
  const findings: Finding[] = [];
  const context: Context = {
    ...known,
    document,
    definitions,
    owned: owned(definitions),
    questions: findQuestions(document),
    report(id, line, message, milder) {
      if (ignored.has(id)) return;
      const rule = RULES.get(id)!;
      const severity = milder ?? rule.severity;
      const forgiven = known.generation === "earlier" && severity === "error" && !INTEGRITY.has(id);
      findings.push({
        rule: id,
        severity: forgiven ? "warning" : severity,
        line,
        message,
        excerpt: cut((document.lines[line - 1] ?? "").trim()),
        check: rule.check === "post-write" && document.format === "html" ? "post-compose" : rule.check,
      });
    },
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
  const order = [...RULES.keys()];
  findings.sort((a, b) => a.line - b.line || order.indexOf(a.rule) - order.indexOf(b.rule));
  return { findings, questions: context.questions };
}

function checkIntegrity({ report }: Context, integrity: Integrity): void {
  const { byteOrderMark, invalidLine, nulLine } = integrity;
  if (invalidLine !== undefined) report("PLAN-C15", invalidLine, "bytes that are not UTF-8");
  if (nulLine !== undefined) report("PLAN-C15", nulLine, "a NUL character");
  if (byteOrderMark) report("PLAN-C15", 1, "a byte-order mark at the beginning", "warning");
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= MAX_EXCERPT ? text : `${characters.slice(0, MAX_EXCERPT - 1).join("")}…`;
}
