import { JigError, osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { readConfig } from "../kernel/config/layers.ts";
import { labelled, maskPasswords, shapeProblem } from "../kernel/config/packs-config.ts";
import { jsonText } from "../kernel/text/printable.ts";
import { readDeclarations } from "./declarations.ts";
import { type Resolution, type ResolvedPack, resolvePacks } from "./resolve.ts";
import type { PacksDeclared, PacksResolved, PacksRoot } from "./schema.ts";

/**
 * `packs resolve` (docs/spec/packs.md section 3): always a JSON object and exit 0, also after an unexpected failure, so that a
 * consumer can tell "no packs" from "no answer". An interruption alone ends otherwise.
 */
export async function reportPacks(
  host: Host,
  flags: { "declared-only": boolean },
): Promise<Outcome<PacksResolved | PacksDeclared>> {
  let data: PacksResolved | PacksDeclared;
  let notes: readonly string[] = [];
  try {
    if (flags["declared-only"]) {
      data = await declaredOnly(host);
    } else {
      const resolution = await resolvePacks(host);
      data = resolvedReport(resolution);
      notes = resolution.notes;
    }
  } catch (error) {
    if (isInterruption(error)) throw error;
    data = failureReport(flags["declared-only"], error);
  }
  return { data, text: jsonText(data), notes };
}

function isInterruption(error: unknown): boolean {
  return error instanceof JigError && error.exitCode >= 128;
}

function failureReport(declaredOnly: boolean, error: unknown): PacksResolved | PacksDeclared {
  const errors = [`packs resolver failed unexpectedly: ${maskPasswords(osReason(error))}`];
  return declaredOnly
    ? { declared: null, entries: 0, errors }
    : { roots: [], warnings: [], errors, entries: 0 };
}

/** What is declared, without looking at any source: no git beyond finding the root, no cache. */
async function declaredOnly(host: Host): Promise<PacksDeclared> {
  const declarations = readDeclarations(await readConfig(host));
  if (declarations.root === undefined) return { declared: null, entries: 0, errors: [] };
  const { entries } = declarations;
  const shapes = entries.map(shapeProblem).filter((problem) => problem !== undefined);
  const errors = [...declarations.errors, ...shapes.map(labelled)];
  return { declared: entries.length > 0 || errors.length > 0, entries: entries.length, errors };
}

/** The object of section 3. */
export function resolvedReport({ packs, warnings, errors, entries }: Resolution): PacksResolved {
  return { roots: packs.map(rootOf), warnings, errors, entries };
}

export function rootOf(pack: ResolvedPack): PacksRoot {
  return {
    id: pack.id,
    dir: pack.dir,
    nested_rule_shaped: pack.nestedRuleShaped,
    ...(pack.git === undefined ? {} : { url: maskPasswords(pack.git.url), ref: pack.git.ref }),
  };
}
