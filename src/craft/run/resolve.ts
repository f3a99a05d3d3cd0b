import { statSync } from "node:fs";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { failure, failureLines } from "../common/fail.ts";
import { absolutePath } from "../common/input.ts";
import { deliverDocument } from "../common/result.ts";
import { type Flags, readOverrides } from "../pipeline/resolve/overrides.ts";
import type { Resolution } from "../pipeline/resolve/resolution.ts";
import { type Resolved, resolveRun } from "../pipeline/resolve/resolve.ts";

/** What selects a run: a config by name, a manifest by path, or the repository's own, and the flags. */
export interface RunSelection extends Flags {
  config?: string | undefined;
  manifest?: string | undefined;
  pipeline?: string | undefined;
}

/** A Resolution with where it came from. */
export interface RunResolution extends Resolution {
  manifestPath: string | null;
  notes: string[];
}

export interface ResolvedRun extends Resolved {
  /** Absolute; undefined without a manifest. */
  manifestPath: string | undefined;
  /** The manifest as it was found or given. */
  manifestName: string | undefined;
}

/**
 * Find, lint and resolve, in one call (docs/spec/craft-engine.md 5.7). Throws the failure of the first step that fails:
 * exit 1 when the config is not found, 2 when the manifest is invalid or does not resolve.
 */
export async function resolveSelection(
  host: Host,
  name: string,
  selection: RunSelection,
): Promise<ResolvedRun> {
  if (selection.config !== undefined && selection.manifest !== undefined)
    throw failure(name, "--config and --manifest both name the manifest; give one");
  const overrides = readOverrides(name, selection);
  const notes: string[] = [];
  const manifest = await findManifest(host, selection, notes);
  if (manifest !== undefined) {
    const [{ judgeManifest }, { lintNotes }] = await Promise.all([
      import("../manifest/judge.ts"),
      import("../manifest/lint.ts"),
    ]);
    const verdict = await judgeManifest(host, manifest);
    const lines = lintNotes(host, verdict);
    if (verdict.status === "invalid") throw failureLines([...notes, ...lines]);
    notes.push(...lines);
  }
  const resolved = await resolveRun(host, {
    pipeline: selection.pipeline || undefined,
    manifest,
    overrides,
  });
  return {
    ...resolved,
    notes: [...notes, ...resolved.notes],
    manifestPath: manifest === undefined ? undefined : absolutePath(host, manifest),
    manifestName: manifest,
  };
}

const DEFAULT_MANIFEST = ".claude/workflow.md";

async function findManifest(
  host: Host,
  { config, manifest }: RunSelection,
  notes: string[],
): Promise<string | undefined> {
  if (config !== undefined) {
    const { findConfig } = await import("../manifest/config-resolve.ts");
    const { found, notes: advice } = findConfig(host, config);
    notes.push(...advice);
    return found.path;
  }
  if (manifest !== undefined && manifest !== "") return manifest;
  const own = statSync(absolutePath(host, DEFAULT_MANIFEST), { throwIfNoEntry: false });
  return own?.isFile() ? DEFAULT_MANIFEST : undefined;
}

/** `resolve …`: the Resolution, with the manifest's path and the advisory lines last. */
export async function resolve(
  host: Host,
  selection: RunSelection & { out?: string | undefined },
): Promise<Outcome<RunResolution>> {
  const { resolution, manifestPath, notes } = await resolveSelection(host, "resolve", selection);
  const data: RunResolution = { ...resolution, manifestPath: manifestPath ?? null, notes };
  return deliverDocument(host, data, { name: "resolve", out: selection.out, notes });
}
