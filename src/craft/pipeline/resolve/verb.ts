import type { Host } from "../../../kernel/call/host.ts";
import type { Outcome } from "../../../kernel/call/outcome.ts";
import { failure } from "../../common/fail.ts";
import { deliverDocument } from "../../common/result.ts";
import { mergePolicy, type PolicyMap, requireScope, userScope, userScopeNotes } from "../../policy/scopes.ts";
import { EMBEDDED } from "../descriptor.ts";
import { DEFAULT_RESOLUTION } from "./default-resolution.ts";
import { type Flags, type Overrides, readOverrides } from "./overrides.ts";
import type { Resolution } from "./resolution.ts";

const NAME = "pipeline-resolve";

export interface ResolveArgs extends Flags {
  /** PIPELINE, MANIFEST; further ones count for nothing, and an empty one is not given. */
  positionals: readonly string[];
  manifest?: string | undefined;
  out?: string | undefined;
}

/** `pipeline-resolve [PIPELINE] [MANIFEST] …`: the Resolution of a run, or every error of the first stage that refuses. */
export async function pipelineResolve(host: Host, args: ResolveArgs): Promise<Outcome<Resolution>> {
  const dash = args.positionals.indexOf("-");
  if (dash >= 0) throw failure(NAME, "unknown option -");
  const [pipeline, positional] = args.positionals.map((word) => word || undefined);
  if (args.manifest !== undefined && positional !== undefined) {
    throw failure(NAME, `--manifest ${args.manifest} and ${positional} both name the manifest; give one`);
  }
  const overrides = readOverrides(NAME, args);
  const manifest = (args.manifest || undefined) ?? positional;
  const isDefault = (pipeline === undefined || pipeline === EMBEDDED) && manifest === undefined;
  const { resolution, notes } =
    isDefault && changesNothing(overrides)
      ? await defaultRun(host, overrides.policy)
      : await (await import("./resolve.ts")).resolveRun(host, { pipeline, manifest, overrides });
  return deliverDocument(host, resolution, { name: NAME, out: args.out, notes });
}

function changesNothing({ profile, skip, knobs }: Overrides): boolean {
  return profile === undefined && skip.length + knobs.length === 0;
}

/** The run that nothing but a policy changes: prepared, so that the stages are not gone through for what is known. */
async function defaultRun(host: Host, policy: PolicyMap) {
  const user = await userScope(host);
  const merged = mergePolicy(requireScope(host, "user", user), policy);
  const resolution: Resolution = { ...DEFAULT_RESOLUTION, policy: merged };
  return { resolution, notes: userScopeNotes(user) };
}
