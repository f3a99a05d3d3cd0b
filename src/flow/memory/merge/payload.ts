import { JigError } from "../../../kernel/call/errors.ts";
import { isObject, type JsonObject } from "../../../kernel/text/json.ts";
import { printable } from "../../../kernel/text/printable.ts";
import type { Change } from "./combine.ts";
import { PayloadProblem, parseNotes } from "./notes.ts";
import type { Unit } from "./section.ts";

/** What `memory merge` is asked to do (docs/spec/flow.md 9.5). */
export interface MergeRequest {
  /** Section mode: the file's text, unless it is read from the file itself. */
  fileText: string | undefined;
  section: string | undefined;
  /** The other mode: a body alone. */
  sectionText: string;
  archive: Archive | undefined;
  unit: Unit;
  change: Change;
}

export interface Archive {
  directory: string;
  slug: string;
  month: string;
}

/** A failure under the name upstream's callers look for. */
export function mergeError(message: string): JigError {
  return new JigError(`Error: ${message}`, { verbatim: true });
}

/** The request a text holds. `fromFile`: the file's text is not part of it. Throws `mergeError`. */
export function parsePayload(input: string, fromFile = false): MergeRequest {
  if (input.trim() === "") throw mergeError("empty input");
  const payload = objectOf(input);
  try {
    return requestOf(payload, fromFile);
  } catch (error) {
    if (error instanceof PayloadProblem) throw mergeError(`invalid payload field: ${error.message}`);
    throw error;
  }
}

function objectOf(input: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch (error) {
    throw mergeError(`invalid JSON: ${printable((error as Error).message)}`);
  }
  if (!isObject(value)) throw mergeError("invalid payload: not a JSON object");
  return value;
}

function requestOf(payload: JsonObject, fromFile: boolean): MergeRequest {
  const fileText = textOf(payload, "file_text");
  const inSection = fromFile || fileText !== undefined;
  const section = payload["section"];
  if (inSection && (typeof section !== "string" || section === "")) {
    throw mergeError("'section' must be a non-empty string when 'file_text' is provided");
  }
  const archive = archiveOf(payload["archive"]);
  if (archive !== undefined && !inSection) {
    throw new PayloadProblem("archive needs file_text and section");
  }
  return {
    fileText: inSection ? (fileText ?? "") : undefined,
    section: inSection ? (section as string) : undefined,
    sectionText: textOf(payload, "section_text") ?? "",
    archive,
    unit: unitOf(payload["unit"]),
    change: {
      retractions: textsOf(payload["retractions"]),
      notes: parseNotes(payload["notes"]),
      cap: capOf(payload["max_bullets"]),
      archivePath: archive === undefined ? undefined : archivePathOf(archive),
    },
  };
}

export function archivePathOf({ directory, month, slug }: Archive): string {
  return `${directory}/${slug}-${month}.md`;
}

function textOf(payload: JsonObject, field: string): string | undefined {
  const value = payload[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new PayloadProblem(`${field} must be a string`);
  return value;
}

function textsOf(value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== "string")) {
    throw new PayloadProblem("retractions must be a list of strings");
  }
  return value;
}

function capOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new PayloadProblem(
    `max_bullets must be an integer of at least 0, not ${printable(JSON.stringify(value))}`,
  );
}

function unitOf(value: unknown): Unit {
  if (value === undefined || value === null || value === "bullets") return "bullets";
  if (value === "entries") return "entries";
  throw new PayloadProblem(`unit must be bullets or entries, not ${printable(JSON.stringify(value))}`);
}

function archiveOf(value: unknown): Archive | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw mergeError("'archive' must be an object");
  const [directory, slug, month] = [value["dir_rel"], value["section_slug"], value["month"]];
  if (!isName(directory) || !isName(slug) || !isName(month)) {
    throw mergeError("'archive' must include 'dir_rel', 'section_slug', and 'month'");
  }
  return { directory, slug, month };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
