import { EXIT, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { docsRootOf } from "../kernel/config/docs-root.ts";
import { KEYS } from "../kernel/config/keys.ts";
import { type Config, type ParsedLayer, parseLayer, readConfig } from "../kernel/config/layers.ts";
import {
  type Resolved,
  type ResolveOptions,
  resolveKey,
  resolvePacksKey,
  valueText,
} from "../kernel/config/resolve.ts";
import { nearest } from "../kernel/text/nearest.ts";
import { valueLines } from "../kernel/text/printable.ts";
import { docsRoot } from "./docs-root.ts";
import type { ConfigValue, DocsRootReport } from "./schema.ts";

export interface GetFlags {
  override: string | undefined;
  default: string | undefined;
}

/** `config get KEY` (docs/spec/config.md 5.1). Exit 3 when the key is unset, exit 2 for a key that cannot be one. */
export async function getConfig(
  host: Host,
  key: string,
  flags: GetFlags,
): Promise<Outcome<ConfigValue | DocsRootReport>> {
  if (!/^[a-z][a-z0-9_]*$/.test(key)) {
    throw new UsageError(
      `'${key}' cannot be a key; expected lower-case letters, digits and _, such as plan_output`,
    );
  }
  const layered = key !== "docs_root" && key !== "packs";
  if (!layered && flags.override !== undefined) {
    throw new UsageError(`--override is not allowed for ${key}; it is set in the config files alone`);
  }
  if (key === "docs_root") return docsRoot(host, undefined, { absolute: false, create: false });
  const layers = await parsedLayers(await readConfig(host));
  const options = { override: flags.override, callerDefault: flags.default };
  const data = resolve(key, layers, options);
  return {
    data,
    text: data.set ? valueLines(`${valueText(data.value)}\n`) : "",
    exitCode: data.set ? EXIT.done : EXIT.notThisTime,
    notes: [...data.warnings.map((warning) => `warning: ${warning}`), ...mistypedNote(key, data.set)],
  };
}

/** A key nobody set and jig does not know is most likely a known one mistyped. */
function mistypedNote(key: string, isSet: boolean): string[] {
  if (isSet || Object.hasOwn(KEYS, key)) return [];
  const meant = nearest(key, Object.keys(KEYS));
  return meant === undefined ? [] : [`note: ${key} is set nowhere; did you mean ${meant}?`];
}

export interface Layers {
  repo: ParsedLayer | undefined;
  local: ParsedLayer | undefined;
}

/** Both layers parsed; none outside a repository. */
export async function parsedLayers(config: Config): Promise<Layers> {
  const { repo, local } = config;
  return { repo: repo && (await parseLayer(repo)), local: local && (await parseLayer(local)) };
}

/** Any key but `docs_root`. */
export function resolve(key: string, layers: Layers, options: ResolveOptions = {}): Resolved {
  if (key !== "packs") return resolveKey(key, layers, options);
  return resolvePacksKey([layers.repo, layers.local].filter((layer) => layer !== undefined));
}

/** `docs_root` in the form the other keys have; the default outside a repository. */
export function resolvedDocsRoot(config: Config, layers: Layers): Resolved {
  const base = { key: "docs_root", set: true, type: "path" as const };
  if (config.repository.root === undefined || layers.repo === undefined || layers.local === undefined) {
    return { ...base, value: "docs", layer: "default", line: null, shadowed: [], warnings: [] };
  }
  const docs = docsRootOf(config.repository.root, layers.repo, layers.local);
  const line = layers.local.entries.get("docs_root")?.line ?? null;
  const ignored = { layer: "config.local.yaml", line, value: docs.localIgnored, reason: "invalid" } as const;
  return {
    ...base,
    value: docs.root,
    layer: docs.layer,
    line: docs.line,
    shadowed: docs.localIgnored === null ? [] : [ignored],
    warnings: docs.warnings,
  };
}
