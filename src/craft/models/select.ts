import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { YamlMap } from "../../kernel/yaml/yaml.ts";
import { failure } from "../common/fail.ts";
import { phaseId } from "../common/vocabulary.ts";
import { modelOf } from "../manifest/manifest.ts";
import { requireManifest } from "../manifest/require.ts";
import type { Descriptor } from "../pipeline/descriptor.ts";
import { readOverrides } from "../pipeline/resolve/overrides.ts";
import { readResolution } from "../pipeline/resolve/read-resolution.ts";
import { resolveRun } from "../pipeline/resolve/resolve.ts";
import type { ModelChoice } from "./schema.ts";

const NAME = "model";

/** Tiers of the built-in roles, for one that no effective phase has (docs/spec/craft-engine.md 13.1). */
const ROLE_TIERS: Readonly<Record<string, string>> = {
  "requirements-writer": "opus",
  designer: "opus",
  planner: "opus",
  reviewer: "opus",
  "part-implementer": "sonnet",
  "refactor-executor": "sonnet",
  "harness-triager": "sonnet",
  "docs-writer": "sonnet",
  "impact-triager": "sonnet",
  "backlog-ticker": "haiku",
};

export interface SelectArgs {
  role: string;
  phase?: string | undefined;
  manifest?: string | undefined;
  resolution?: string | undefined;
  degraded: readonly string[];
}

/** `model select ROLE …`: the tier a spawn gets now, or `session` for the session's own model. */
export async function selectModel(host: Host, args: SelectArgs): Promise<Outcome<ModelChoice>> {
  const role = args.role.slice(args.role.indexOf(":") + 1);
  if (role === "") throw failure(NAME, "ROLE is empty");
  const manifest = await requireManifest(host, NAME, args.manifest);
  const effective = await effectiveOf(host, args);
  const descriptor = descriptorFor(effective, args, role);
  const degraded = new Set(args.degraded.flatMap((list) => list.split(",")).map((tier) => tier.trim()));
  const data = chooseTier(role, manifest, descriptor, degraded);
  return { data, text: `${printable(data.tier)}\n` };
}

/** The first tier of the order that is not degraded: pure (docs/spec/craft-engine.md 13.1, 13.2). */
export function chooseTier(
  role: string,
  manifest: YamlMap | undefined,
  descriptor: Pick<Descriptor, "model"> | undefined,
  degraded: ReadonlySet<string>,
): ModelChoice {
  const declared = modelOf(manifest, role);
  const own: [string | undefined, ModelChoice["source"]] =
    declared !== undefined
      ? [declared, "models"]
      : descriptor !== undefined
        ? [descriptor.model, "descriptor"]
        : [ROLE_TIERS[role], "default"];
  const order: [string | undefined, ModelChoice["source"]][] = [
    // When the declared tier is degraded, the descriptor's is not tried in between.
    own,
    [modelOf(manifest, "fallback"), "fallback"],
    ["sonnet", "default"],
  ];
  const skipped: string[] = [];
  for (const [tier, source] of order) {
    if (tier === undefined) continue;
    if (!degraded.has(tier)) return { role, tier, source, skipped };
    if (!skipped.includes(tier)) skipped.push(tier);
  }
  return { role, tier: "session", source: "session", skipped };
}

/** The phases of the run: those of its Resolution, else what the embedded pipeline and the manifest resolve to. */
async function effectiveOf(host: Host, args: SelectArgs): Promise<readonly Descriptor[]> {
  if (args.resolution !== undefined) return (await readResolution(host, NAME, args.resolution)).effective;
  const overrides = readOverrides(NAME, { skip: [], harness: [], policy: [] });
  const { resolution } = await resolveRun(host, {
    pipeline: undefined,
    manifest: args.manifest || undefined,
    overrides,
  });
  return resolution.effective;
}

function descriptorFor(
  effective: readonly Descriptor[],
  { phase, role: given }: SelectArgs,
  role: string,
): Descriptor | undefined {
  if (phase !== undefined) {
    const found =
      effective.find(({ id }) => id === phase) ?? effective.find(({ id }) => id === phaseId(phase));
    if (found === undefined) throw failure(NAME, `${printable(phase)} is no phase of this run`);
    return found;
  }
  return (
    effective.find((descriptor) => descriptor.role === given) ??
    effective.find((descriptor) => descriptor.role?.slice(descriptor.role.indexOf(":") + 1) === role)
  );
}
