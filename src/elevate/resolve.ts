import { JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { type ParsedLayer, parseLayer, readConfig } from "../kernel/config/layers.ts";
import { resolveKey } from "../kernel/config/resolve.ts";
import { jsonText } from "../kernel/text/printable.ts";
import { isSameModel } from "./call/receipt.ts";
import type { ElevateFlags } from "./forms.ts";
import { elevationLine } from "./report.ts";
import { checkModel } from "./request.ts";
import type { ResolvedModel } from "./schema.ts";

const ALIAS = /^[A-Za-z0-9._-]{1,64}$/;

/** Which model a step is elevated to, if any (docs/spec/elevate.md 7.2). Throws (exit 2) for an intent that is no model. */
export async function resolveModel(host: Host, flags: ElevateFlags): Promise<Outcome<ResolvedModel>> {
  const notes: string[] = [];
  const { model, source } = await decide(host, flags, notes);
  const session = flags["session-model"];
  const isSession = model !== null && session !== undefined && isSameModel(model, session);
  const dispatch = model !== null && !isSession;
  // A model the user named is answered, also when it runs already; the request must not look ignored.
  const announce = dispatch || (source === "intent" && isSession);
  const data: ResolvedModel = { model, source, dispatch, announce };
  return { data, text: jsonText(data), notes };
}

async function decide(
  host: Host,
  flags: ElevateFlags,
  notes: string[],
): Promise<Pick<ResolvedModel, "model" | "source">> {
  const key = flags.key!;
  if (flags.intent !== undefined && !flags.headless) {
    if (flags.intent === "none") return { model: null, source: "intent" };
    checkModel(flags.intent);
    return { model: flags.intent, source: "intent" };
  }
  const carried = carrierModel(key, flags.carrier);
  if (carried !== undefined) return { model: carried, source: "carrier" };
  const configured = await configuredModel(host, key, notes);
  return configured === undefined ? { model: null, source: "none" } : { model: configured, source: "config" };
}

/** A token `<key>:<alias>`, or the alias alone. Anything else counts as absent; it is never guessed at. */
export function carrierModel(key: string, carrier: string | undefined): string | undefined {
  if (carrier === undefined) return undefined;
  const colon = carrier.indexOf(":");
  if (colon >= 0 && carrier.slice(0, colon) !== key) return undefined;
  const alias = carrier.slice(colon + 1);
  return ALIAS.test(alias) ? alias : undefined;
}

/** The key by the ordinary config rule. Files that cannot be read mean none: elevation is never needed for a result. */
async function configuredModel(host: Host, key: string, notes: string[]): Promise<string | undefined> {
  try {
    const { repo, local } = await readConfig(host);
    const parsed = async (layer: typeof repo): Promise<ParsedLayer | undefined> => layer && parseLayer(layer);
    const resolved = resolveKey(key, { repo: await parsed(repo), local: await parsed(local) });
    notes.push(...resolved.warnings.map((warning) => elevationLine(`warning: ${warning}`)));
    const { value } = resolved;
    return resolved.set && typeof value === "string" && ALIAS.test(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    notes.push(elevationLine(`warning: ${error.message}`));
    return undefined;
  }
}
