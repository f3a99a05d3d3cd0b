import { CONTEXT_BYTES, NOTE_IMAGES } from "../../../kernel/shared/annotate-wire.ts";
import { isObject, type JsonObject, parseObject } from "../../../kernel/text/json.ts";
import type { NoteRecord } from "../../schema.ts";
import { isHtml } from "../http/content-types.ts";
import type { NewestScreen } from "../screens/newest-screen.ts";
import { decodePath, type ScreenFiles } from "../screens/screen-files.ts";

/** A note as posted: the record without what the server gives, or why it is refused. */
export type NoteInput =
  | { record: Omit<NoteRecord, "id" | "number">; clientId: string | undefined; images: string[] }
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
  const images = imageIds(input["images"]);
  if (images === undefined) return { detail: IMAGES_DETAIL };
  const { screen: file, ...target } = readTarget(input, selector, screen, screens);
  return {
    record: { screen: file, comment, ...target },
    clientId: clientIdOf(input["client_id"]),
    images,
  };
}

type TargetRecord = Omit<NoteRecord, "id" | "number" | "comment">;

/** Where a note points, as its sender says; `screen` is the file of the page it was made on. */
export function readTarget(
  input: JsonObject,
  selector: string,
  screen: string,
  screens: Screens,
): TargetRecord {
  const context = objectOrNull(input["context"]);
  const framed = context === null ? undefined : framedScreen(context, screens);
  const target: TargetRecord = {
    screen: framed ?? screen,
    selector,
    textSnippet: typeof input["textSnippet"] === "string" ? input["textSnippet"] : null,
    variant: variantOf(input["variant"]),
    rect: objectOrNull(input["rect"]),
    point: objectOrNull(input["point"]),
  };
  const kept = context === null ? null : withOuter(context, framed === undefined ? undefined : screen);
  if (kept !== null && byteLength(JSON.stringify(kept)) <= CONTEXT_BYTES) target.context = kept;
  else target.screen = screen;
  return target;
}

/** The screen that a frame around the target shows, when it shows one: that is the file to edit (docs/spec/web.md 10.2). */
function framedScreen({ frame }: JsonObject, screens: Screens): string | undefined {
  return isObject(frame) && typeof frame["page"] === "string" && frame["page"] !== "/"
    ? screenOf(frame["page"], screens)
    : undefined;
}

/** `context.frame.outer` is the server's own word: the file that shows the frame. */
function withOuter(context: JsonObject, outer: string | undefined): JsonObject {
  const { frame } = context;
  if (!isObject(frame) || (outer === undefined && frame["outer"] === undefined)) return context;
  const { outer: _, ...rest } = frame;
  return { ...context, frame: outer === undefined ? rest : { ...rest, outer } };
}

/** The screen that a note's page shows: that of the frame's outer file, if it is about the inside of one. */
export function pageOf({ screen, context }: Pick<NoteRecord, "screen" | "context">): string {
  const frame = context?.["frame"];
  return isObject(frame) && typeof frame["outer"] === "string" ? frame["outer"] : screen;
}

export const IMAGES_DETAIL = `images must be a list of at most ${NOTE_IMAGES} ids`;

/** The ids of a note's images; none when it says nothing. Undefined for what is no such list. */
export function imageIds(value: unknown): string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > NOTE_IMAGES) return undefined;
  return value.every((id) => typeof id === "string") ? [...new Set(value as string[])] : undefined;
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
