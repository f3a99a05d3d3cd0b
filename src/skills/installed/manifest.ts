import { createHash } from "node:crypto";
import { join } from "node:path";
import * as v from "valibot";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { isObject } from "../../kernel/text/json.ts";
import { isoSeconds } from "../../kernel/text/time.ts";
import { type Manifest, ManifestSchema } from "../schema.ts";
import { apiOf } from "../source/front-matter.ts";
import type { RenderChoice } from "../source/render.ts";
import { isSemver } from "../source/semver.ts";
import { entryText, type Skill, type SkillFile } from "../source/shipment.ts";

export const MANIFEST_FILE = ".jig-skill.json";
const LARGEST_MANIFEST = 256 * 1024;

export type ManifestReading =
  | { kind: "none" }
  | { kind: "unreadable"; why: string }
  /** Written by a later jig in a form this one does not know. */
  | { kind: "later"; schema: number }
  | { kind: "valid"; manifest: Manifest };

/** The manifest of a skill directory, read as untrusted input: anything out of order is no manifest. */
export function readManifest(directory: string, name: string): ManifestReading {
  let text: string;
  try {
    text = readOwnedText(join(directory, MANIFEST_FILE), { uid: undefined, maxBytes: LARGEST_MANIFEST });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.reason === "unreadable" ? { kind: "unreadable", why: error.message } : { kind: "none" };
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { kind: "none" };
  }
  const schema = isObject(data) ? data["schema"] : undefined;
  if (typeof schema === "number" && Number.isInteger(schema) && schema > 1) return { kind: "later", schema };
  const parsed = v.safeParse(ManifestSchema, data);
  if (!parsed.success) return { kind: "none" };
  const manifest = parsed.output;
  const sound =
    manifest.skill === name &&
    isSemver(manifest.jig_version) &&
    Object.keys(manifest.files).every(isSafePath);
  return sound ? { kind: "valid", manifest } : { kind: "none" };
}

/** Relative, inside the directory, with forward slashes, and not the manifest itself. */
function isSafePath(path: string): boolean {
  if (path === MANIFEST_FILE || /[\\:\u0000]/.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** The manifest for a rendering, as it is written. */
export function makeManifest(
  skill: Skill,
  files: readonly SkillFile[],
  choice: RenderChoice & { agents: readonly string[] },
  version: string,
  now: number,
): Manifest {
  return {
    schema: 1,
    skill: skill.name,
    jig_version: version,
    api: apiOf(entryText(skill)),
    source_digest: sourceDigest(skill),
    render: {
      command: [...choice.prefix.command],
      mode: choice.prefix.mode,
      bin_given: choice.prefix.given,
      host: choice.agents.length === 0 ? null : choice.agents.join(","),
      strict: choice.strict,
      allow_readonly: choice.allowReadonly,
    },
    installed_at: isoSeconds(now),
    files: Object.fromEntries(
      files.map((file) => [file.path, { sha256: textHash(file.text), bytes: Buffer.byteLength(file.text) }]),
    ),
  };
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Digest over a skill's embedded source, so that two binaries know whether they ship the same text. */
export function sourceDigest(skill: Skill): string {
  const hash = createHash("sha256");
  for (const file of skill.files) hash.update(`${file.path}\0${file.text}`);
  return `sha256:${hash.digest("hex")}`;
}

/** Hash of a file's text with line ends normalised: a checkout that converts them has edited nothing. */
export function textHash(content: string | Uint8Array): string {
  const text = typeof content === "string" ? content : Buffer.from(content).toString("latin1");
  const normal = text.replaceAll("\r\n", "\n");
  return createHash("sha256")
    .update(normal, typeof content === "string" ? "utf8" : "latin1")
    .digest("hex");
}
