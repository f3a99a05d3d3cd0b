import { CONTEXT_BYTES } from "../../../kernel/shared/annotate-wire.ts";
import { isObject, type JsonObject, parseObject } from "../../../kernel/text/json.ts";
import type { NoteRecord } from "../../schema.ts";
import { isHtml } from "../http/content-types.ts";
import type { NewestScreen } from "../screens/newest-screen.ts";
import { decodePath, type ScreenFiles } from "../screens/screen-files.ts";

/** A note as posted: the record without what the server gives, or why it is refused. */
export type NoteInput =
  | { record: Omit<NoteRecord, "id" | "number">; clientId: string | undefined }
  | { detail: string };

/** Which file a note may be about. */
export interface Screens {
  files: Pick<ScreenFiles, "locate">;
  newest(): NewestScreen | undefined;
}

/** Judge the body of `POST /annotation` (docs/spec/web.md 10.1). */
export function readNote(body: string, screens: Screens): NoteInput {
  const input = parseObject(body);
  if (input === undefined) return { detail: "the body must be a JSON object" };
  const comment = trimmed(input["comment"]);
  if (comment === undefined) return { detail: "comment must be a string that is not blank" };
  const selector = trimmed(input["selector"]);
  if (selector === undefined) return { detail: "selector must be a string that is not blank" };
  const screen = screenOf(input["page"], screens);
  if (screen === undefined) return { detail: "page must name an HTML file of the screens" };
  const record: Omit<NoteRecord, "id" | "number"> = {
    screen,
    comment,
    selector,
    textSnippet: typeof input["textSnippet"] === "string" ? input["textSnippet"] : null,
    variant: variantOf(input["variant"]),
    rect: objectOrNull(input["rect"]),
    point: objectOrNull(input["point"]),
  };
  const context = objectOrNull(input["context"]);
  if (context !== null && byteLength(JSON.stringify(context)) <= CONTEXT_BYTES) record.context = context;
  return { record, clientId: clientIdOf(input["client_id"]) };
}

/** A string with something in it, trimmed. */
export function trimmed(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}

/** Levels of objects and lists in what is kept as it came: far more than any sender's, and no trouble for any reader. */
const DEEPEST = 16;

// Kept as it was parsed and only serialised again: never merged into anything, so no key in it means anything here.
function objectOrNull(value: unknown): JsonObject | null {
  return isObject(value) && !isDeeper(value, DEEPEST) ? value : null;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function variantOf(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  return value.every((name) => typeof name === "string") ? (value as string[]) : null;
}

function clientIdOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length > 0 && value.length <= 64 ? value : undefined;
}

function screenOf(page: unknown, { files, newest }: Screens): string | undefined {
  if (page === undefined || page === "/") {
    const screen = newest();
    return screen === undefined ? undefined : files.locate(screen.entry);
  }
  if (typeof page !== "string" || !page.startsWith("/") || page.includes("?")) return undefined;
  const decoded = decodePath(page);
  return decoded !== undefined && isHtml(decoded) ? files.locate(decoded) : undefined;
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
