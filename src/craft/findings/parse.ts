import { isObject } from "../../kernel/text/json.ts";
import { echo, type Finding, type FindingStatus, SEVERITIES, type Severity, STATUSES } from "./finding.ts";

/** The longest line that is read as a finding, in characters. */
export const MAX_LINE = 16_384;

/** The whole answer of a reviewer who found nothing. */
const NOTHING_FOUND = "NONE";

export type ParsedFindings = { ok: true; findings: Finding[] } | { ok: false; problem: string };

/**
 * Findings from what a reviewer or a tool wrote: a JSON array, or lines `[STATUS: ]SEVERITY FILE:LINE — FINDING[ | FIX]`
 * (docs/spec/craft-engine.md 15). One bad line fails the whole input.
 */
export function parseFindings(text: string): ParsedFindings {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (source.trim() === NOTHING_FOUND) return { ok: true, findings: [] };
  return source.trimStart().startsWith("[") ? fromJson(source) : fromLines(source);
}

function fromLines(text: string): ParsedFindings {
  const findings: Finding[] = [];
  let number = 0;
  for (const raw of text.split("\n")) {
    number++;
    const line = raw.trim();
    if (line === "") continue;
    const found = line.length > MAX_LINE ? `longer than ${MAX_LINE} characters` : readLine(line);
    if (typeof found === "string") return { ok: false, problem: `line ${number} ${found}: ${echo(line)}` };
    findings.push(found);
  }
  return { ok: true, findings };
}

/** A finding, or what is wrong with its line. */
function readLine(line: string): Finding | string {
  const head = /^(?:([A-Z-]+): )?([A-Z]+) /.exec(line);
  if (head === null) return "does not begin with a severity";
  const [whole, status, severity] = head;
  if (status !== undefined && !isStatus(status)) {
    return `has an unknown status (expected one of ${STATUSES.join(", ")})`;
  }
  if (!isSeverity(severity)) return `has an unknown severity (expected one of ${SEVERITIES.join(", ")})`;
  const rest = line.slice(whole.length);
  const place = /:(\d+)\s+[—–-]\s+/.exec(rest);
  if (place === null || place.index === 0) return "has no FILE:LINE followed by a dash";
  const parts = rest.slice(place.index + place[0].length).split(" | ");
  if (parts.length > 2) return "has more than one ' | '";
  const finding = parts[0]!.trim();
  if (finding === "") return "has no text after the dash";
  const fix = parts[1]?.trim();
  return {
    file: rest.slice(0, place.index).trim(),
    line: Number(place[1]),
    severity,
    finding,
    ...(fix === undefined || fix === "" ? {} : { fix }),
    ...(status === undefined ? {} : { status }),
  };
}

function fromJson(text: string): ParsedFindings {
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch (error) {
    return { ok: false, problem: `not valid JSON (${(error as Error).message}): ${echo(text.trim())}` };
  }
  const findings: Finding[] = [];
  for (const [index, item] of (items as unknown[]).entries()) {
    const found = readItem(item);
    if (typeof found === "string") {
      return { ok: false, problem: `item ${index} ${found}: ${echo(JSON.stringify(item))}` };
    }
    findings.push(found);
  }
  return { ok: true, findings };
}

function readItem(item: unknown): Finding | string {
  if (!isObject(item)) return "is no object";
  const { file, line, severity, finding, fix, status } = item;
  if (typeof file !== "string" || file === "") return "has no file";
  const number = typeof line === "string" && /^\d+$/.test(line) ? Number(line) : line;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) {
    return "has no line (expected a number)";
  }
  if (!isSeverity(severity)) return `has no severity (expected one of ${SEVERITIES.join(", ")})`;
  if (typeof finding !== "string" || finding.trim() === "") return "has no finding";
  if (!isAbsent(fix) && typeof fix !== "string") return "has a fix that is no text";
  if (!isAbsent(status) && !isStatus(status)) {
    return `has an unknown status (expected one of ${STATUSES.join(", ")})`;
  }
  return {
    file,
    line: number,
    severity,
    finding: finding.trim(),
    ...(typeof fix === "string" ? { fix: fix.trim() } : {}),
    ...(isAbsent(status) ? {} : { status: status as FindingStatus }),
  };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isSeverity(value: unknown): value is Severity {
  return (SEVERITIES as readonly unknown[]).includes(value);
}

function isStatus(value: unknown): value is FindingStatus {
  return (STATUSES as readonly unknown[]).includes(value);
}
