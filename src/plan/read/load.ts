/** A plan file read from disk and told apart: unified plan, legacy document, another contract. */
import { UsageError } from "../../kernel/call/errors.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../../kernel/files/owned-file.ts";
import {
  CONTRACT_ID,
  type Format,
  type Generation,
  MAX_PLAN_BYTES,
  PLAN_ONLY,
  type Stage,
} from "../terms.ts";
import type { Integrity, PlanDocument } from "./document.ts";
import { BeyondLimit, MAX_MARKDOWN_BYTES } from "./limits.ts";

/** What a document is, by what it says of itself (docs/spec/plan.md sections 1 and 3.1). */
export type Standing =
  | { kind: "plan"; contract: string | null; generation: Generation; stage: Stage }
  | { kind: "legacy"; reason: string }
  | { kind: "unsupported"; contract: string };

export interface LoadedPlan {
  format: Format;
  bytes: Uint8Array;
  document: PlanDocument;
  integrity: Integrity;
  standing: Standing;
}

/** The bytes of a plan file; symlinks are followed. Throws `Refused`. */
export function readPlanBytes(path: string): Uint8Array {
  return readOwnedFile(path, { uid: undefined, allowSymlink: true, maxBytes: MAX_PLAN_BYTES });
}

/** As `readPlanBytes`, for a file that somebody names: throws `UsageError`, which calls it what they called it. */
export function requirePlanBytes(path: string, shown: string): Uint8Array {
  try {
    return readPlanBytes(path);
  } catch (error) {
    if (error instanceof Refused) throw new UsageError(`${shown}: ${error.why}`, { cause: error });
    throw error;
  }
}

/**
 * Read a document's structure and standing. The parsers are loaded here, only the one that is needed. Throws
 * `UsageError` that names file and line of what is beyond a limit.
 */
export async function loadPlan(format: Format, bytes: Uint8Array, shown: string): Promise<LoadedPlan> {
  const { integrity, source } = decode(bytes);
  const document = await withinLimits(shown, async () => {
    if (format === "html") return (await import("./html.ts")).readHtml(source);
    if (bytes.length > MAX_MARKDOWN_BYTES)
      throw new BeyondLimit(1, `${bytes.length} bytes of Markdown, more than ${MAX_MARKDOWN_BYTES}`);
    return (await import("./markdown.ts")).readMarkdown(source);
  });
  return { format, bytes, document, integrity, standing: standingOf(document) };
}

/** What `read` gives, a limit that it meets as an error that names the file. */
async function withinLimits<T>(shown: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof BeyondLimit)) throw error;
    const hint = "jig reads documents within the limits that docs/spec/plan.md 1.1 lists";
    throw new UsageError(`${shown}:${error.line}: ${error.message}`, { hint, cause: error });
  }
}

/** Text of a file with every fault in it replaced, and where the faults are. */
function decode(bytes: Uint8Array): { integrity: Integrity; source: string } {
  const strict = decodeUtf8(bytes);
  const text = strict ?? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const byteOrderMark = text.startsWith("\ufeff");
  const nul = text.indexOf("\0");
  return {
    source: byteOrderMark ? text.slice(1) : text,
    integrity: {
      byteOrderMark,
      invalidLine: strict === undefined ? firstInvalidLine(bytes) : undefined,
      nulLine: nul < 0 ? undefined : text.slice(0, nul).split("\n").length,
      utf16: looksLikeUtf16(bytes),
    },
  };
}

/** A byte-order mark of UTF-16, or ASCII characters of two bytes each. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  if (bytes.length < 4) return false;
  return (first === 0 && third === 0) || (second === 0 && fourth === 0);
}

function firstInvalidLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start <= bytes.length; line++) {
    const end = bytes.indexOf(10, start);
    const stop = end < 0 ? bytes.length : end;
    if (decodeUtf8(bytes.subarray(start, stop)) === undefined) return line;
    start = stop + 1;
  }
  return 1;
}

function standingOf(document: PlanDocument): Standing {
  const contract = document.metadata.get("artifact_contract");
  if (document.format === "html") return htmlStanding(document);
  const { frontMatter } = document;
  if (frontMatter === "none") return { kind: "legacy", reason: "no frontmatter" };
  if (typeof frontMatter === "object") {
    const block = frontMatter.text.split(/\n(?=#|```)/)[0]!;
    if (!/^artifact_contract:/m.test(block)) {
      return { kind: "legacy", reason: "frontmatter cannot be read and names no artifact_contract" };
    }
    const generation = /^artifact_readiness:/m.test(block) ? "earlier" : "current";
    return { kind: "plan", contract: null, generation, stage: stageOf(document) };
  }
  if (contract === undefined) return { kind: "legacy", reason: "no artifact_contract in the frontmatter" };
  if (contract.text !== CONTRACT_ID) return { kind: "unsupported", contract: contract.text };
  const generation = document.metadata.has("artifact_readiness") ? "earlier" : "current";
  return { kind: "plan", contract: CONTRACT_ID, generation, stage: stageOf(document) };
}

function htmlStanding(document: Extract<PlanDocument, { format: "html" }>): Standing {
  const stated = document.metadata.get("artifact_contract")?.value?.split(/\s/)[0];
  const shown = new RegExp(`${CONTRACT_ID}(?![\\w-]|\\.\\d)`).test(document.visibleText);
  if (!shown) {
    if (stated !== undefined) return { kind: "unsupported", contract: stated };
    return { kind: "legacy", reason: `${CONTRACT_ID} is nowhere in the visible text` };
  }
  const generation = /(?<![\w-])artifact_contract(?![\w-])/.test(document.visibleText)
    ? "current"
    : "earlier";
  return { kind: "plan", contract: CONTRACT_ID, generation, stage: stageOf(document) };
}

/** `planned` as soon as one plan-only section is there. */
function stageOf(document: PlanDocument): Stage {
  const planned = document.headings.some(({ anchor, level, text }) =>
    PLAN_ONLY.some(
      (name) =>
        (level === 2 && text === name) ||
        (document.format === "html" && anchor === name.toLowerCase().replaceAll(" ", "-")),
    ),
  );
  return planned ? "planned" : "requirements-only";
}
