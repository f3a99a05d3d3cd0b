/** Rules on metadata and file name (PLAN-M01 to M13). */

import { looseParts } from "../name.ts";
import { collapse, type MetadataValue, type PlanDocument } from "../read/document.ts";
import { CONVENTIONAL_TYPES, isRealDate, SLUG_FORM, TYPE_FORM } from "../terms.ts";
import type { Context } from "./context.ts";

export function checkMetadata(context: Context): void {
  const { document } = context;
  if (document.format === "md" && typeof document.frontMatter === "object") return;
  source(context);
  title(context);
  typeDateTopic(context);
  fields(context);
}

/** Rules on the file's name and its siblings, which hold whatever the frontmatter says. */
export function checkFileName(context: Context): void {
  const { base, document, report, sibling } = context;
  if (!/^\d{4}-\d\d-\d\d-\d{4}-.+-plan(-\d+)?$/.test(base)) {
    const form = "YYYY-MM-DD-HHMM-<type>-<topic>-plan";
    report("PLAN-M09", 1, `file name '${base}' is not of the form ${form}`);
  }
  if (sibling !== undefined)
    report("PLAN-M13", 1, `${sibling} is a second rendering of this document; one of them is canonical`);
  const parts = looseParts(base);
  const date = document.metadata.get("date")?.text;
  if (parts === undefined || date === undefined || !isRealDate(date)) return;
  if (parts.date !== date) {
    report("PLAN-M08", lineOf(context, "date"), `date is ${date}, but the file name says ${parts.date}`);
  }
  const type = document.metadata.get("type")?.value;
  const topic = document.metadata.get("topic")?.value;
  if (type && topic && parts.middle !== `${type}-${topic}`) {
    const message = `file name has '${parts.middle}' where type and topic make '${type}-${topic}'`;
    report("PLAN-M08", lineOf(context, "topic"), message, "warning");
  }
}

function lineOf({ document }: Context, key: string): number {
  return document.metadata.get(key)?.line ?? statedInText(document, key)?.line ?? 1;
}

/** A text `type: feat` of an HTML document: meant as metadata, but without a key of its own. */
function statedInText(document: PlanDocument, key: string): { line: number; value: string } | undefined {
  if (document.format !== "html") return undefined;
  const block = document.blocks.find(({ text }) => text.startsWith(`${key}:`));
  return block && { line: block.line, value: collapse(block.text.slice(key.length + 1)) };
}

/** How HTML shows a key that was not found: as an element of its own, with its value beside it. */
export function rightForm(document: PlanDocument, key: string, example: string): string {
  if (document.format !== "html") return "";
  const stated = statedInText(document, key)?.value ?? "";
  const value = stated !== "" && stated.length <= MAX_EXAMPLE && !/[<>&]/.test(stated) ? stated : example;
  return `; expected <dt>${key}</dt><dd>${value}</dd>`;
}

const MAX_EXAMPLE = 60;

function filled(entry: MetadataValue | undefined): string | undefined {
  return entry?.value?.trim() ? entry.value : undefined;
}

function source(context: Context): void {
  const { document, producer, report } = context;
  const key = "product_contract_source";
  const value = filled(document.metadata.get(key));
  if (value === undefined) {
    const form = rightForm(document, key, producer ?? "ce-brainstorm");
    report("PLAN-M01", lineOf(context, key), `${key} is missing or empty${form}`);
  } else if (producer !== undefined && value !== producer) {
    report("PLAN-M01", lineOf(context, key), `${key} is '${value}', expected '${producer}'`);
  }
}

const COMMIT_PREFIX = new RegExp(`^(?:${CONVENTIONAL_TYPES.join("|")})(?:\\([^)]*\\))?!?:\\s`, "i");

function title(context: Context): void {
  const { document, report } = context;
  const line = lineOf(context, "title");
  const value = filled(document.metadata.get("title"));
  if (value === undefined) {
    const form = document.format === "html" ? "; expected it as the <h1>" : "";
    report("PLAN-M02", line, `title is missing or empty${form}`);
  } else if (!value.endsWith(" - Plan"))
    report("PLAN-M02", line, `title '${value}' does not end in ' - Plan'`);
  const prefix = COMMIT_PREFIX.exec(value ?? "")?.[0].trim();
  if (prefix !== undefined) report("PLAN-M03", line, `title begins with the commit prefix '${prefix}'`);
  const top = document.headings.filter((heading) => heading.level === 1);
  if (top.length !== 1) {
    const found = top.length === 0 ? "no H1" : `${top.length} H1 headings`;
    report("PLAN-M04", top[1]?.line ?? 1, `${found}; expected exactly one, with the title's text`);
  } else if (value !== undefined) {
    const [heading] = top as [(typeof top)[0]];
    const same = [heading.text, heading.source].some((text) => bare(text) === bare(value));
    if (!same) report("PLAN-M04", heading.line, `H1 '${heading.text}' is not the title '${value}'`);
  }
}

/** A title as it is compared: without code, emphasis marks and repeated blanks. */
function bare(text: string): string {
  return text.replaceAll(/[`*_]/g, "").replaceAll(/\s+/g, " ").trim();
}

function typeDateTopic(context: Context): void {
  const { document, report } = context;
  const type = filled(document.metadata.get("type"));
  const typeLine = lineOf(context, "type");
  if (type === undefined)
    report("PLAN-M05", typeLine, `type is missing or empty${rightForm(document, "type", "feat")}`);
  else if (!TYPE_FORM.test(type))
    report("PLAN-M05", typeLine, `type '${type}' is not a lower-case word (letters and digits)`);
  else if (!CONVENTIONAL_TYPES.includes(type)) {
    report("PLAN-M05", typeLine, `type '${type}' is not one of ${CONVENTIONAL_TYPES.join(", ")}`, "warning");
  }
  const date = document.metadata.get("date")?.text;
  if (date === undefined || !isRealDate(date)) {
    const found = date === undefined ? "date is missing" : `date '${date}' is not a real date`;
    const where = document.format === "html" ? " before the first <section>" : "";
    report("PLAN-M06", lineOf(context, "date"), `${found}; expected YYYY-MM-DD in ASCII digits${where}`);
  }
  const topic = filled(document.metadata.get("topic"));
  const topicLine = lineOf(context, "topic");
  if (topic !== undefined && !SLUG_FORM.test(topic))
    report("PLAN-M07", topicLine, `topic '${topic}' is not a slug such as mute-alerts`);
  else if (topic === undefined && isFromBrainstorm(context)) {
    const form = rightForm(document, "topic", "mute-alerts");
    report("PLAN-M07", topicLine, `topic is missing; a brainstorm's plan needs it as its resume key${form}`);
  }
}

export function isFromBrainstorm(context: Context): boolean {
  return context.document.metadata.get("product_contract_source")?.value === "ce-brainstorm";
}

function fields(context: Context): void {
  const { document, generation, report } = context;
  if (document.metadata.has("status")) {
    const milder = generation === "earlier" ? "info" : undefined;
    report("PLAN-M10", lineOf(context, "status"), "status field; shipped state comes from git", milder);
  }
  if (document.metadata.has("artifact_readiness")) {
    report(
      "PLAN-M11",
      lineOf(context, "artifact_readiness"),
      "artifact_readiness: an earlier wording of the contract",
    );
  }
  const execution = document.metadata.get("execution");
  if (execution !== undefined && execution.value !== "code" && execution.value !== "knowledge-work") {
    const found = execution.value ?? "";
    report("PLAN-M12", execution.line, `execution is '${found}', expected code or knowledge-work`);
  }
}
