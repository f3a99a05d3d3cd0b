/** From a pipeline, a manifest and flags to a resolution, stage by stage (docs/spec/craft-engine.md 5.2). */
import type { Host } from "../../../kernel/call/host.ts";
import { nearest } from "../../../kernel/text/nearest.ts";
import { printable } from "../../../kernel/text/printable.ts";
import type { YamlMap } from "../../../kernel/yaml/yaml.ts";
import { failure, failureLines, reasonOf } from "../../common/fail.ts";
import { readInputFile } from "../../common/input.ts";
import { MOST_ERRORS, type Problem, problemText, shown } from "../../common/problem.ts";
import { PROFILE_NAMES, unknownProfile } from "../../common/vocabulary.ts";
import { gateDecisions, gateRefusals } from "../../gates/decide.ts";
import { type Manifest, manifestOf } from "../../manifest/manifest.ts";
import { child, emptyMap } from "../../manifest/nodes.ts";
import {
  mergePolicy,
  policyScope,
  requireScope,
  type Scope,
  userScope,
  userScopeNotes,
} from "../../policy/scopes.ts";
import { DEFAULT_PIPELINE } from "../default.ts";
import { type Descriptor, EMBEDDED } from "../descriptor.ts";
import { type GraphError, graphErrors } from "../graph.ts";
import { PROFILES } from "../profiles.ts";
import { strandErrors } from "../strand.ts";
import { inferArchetypes } from "./archetype.ts";
import { addEntries } from "./entries.ts";
import { chooseExecution, executionRefusals, type ProfileChoice } from "./execution.ts";
import { foldOverrides, type Overrides } from "./overrides.ts";
import type { Phase, Refusal } from "./phase.ts";
import { reorderPhases } from "./reorder.ts";
import { declarationRecord, effectivePhases, fanOutRecord, type Resolution } from "./resolution.ts";
import { roleRefusals } from "./roles.ts";
import { swapRecord, togglePhases } from "./toggle.ts";
import { waiverRecord, waiversOf } from "./waivers.ts";

const NAME = "pipeline-resolve";

export interface Request {
  /** A pipeline file; undefined or `@default` is the embedded one. */
  pipeline: string | undefined;
  /** A manifest file; undefined is none at all. */
  manifest: string | undefined;
  overrides: Overrides;
}

export interface Resolved {
  resolution: Resolution;
  /** Whole lines for stderr. */
  notes: string[];
  /** Every phase after the edits, those that are off included, in walk order. */
  phases: readonly Phase[];
  /** The manifest with the flags folded over it. */
  manifest: Manifest;
  /** The profile in force. */
  profile: ProfileChoice | undefined;
}

/** Resolve a run. Throws `JigError` (exit 2) with every error of the first stage that refuses. */
export async function resolveRun(host: Host, request: Request): Promise<Resolved> {
  const { overrides } = request;
  const pipeline = await readPipeline(host, NAME, request.pipeline);
  const root = await readManifest(host, request.manifest);
  const file = request.manifest ?? "";
  const refuse = (refusals: readonly Refusal[]) => {
    if (refusals.length > 0) throw refusalError(host, file, refusals);
  };

  const project = requireScope(host, "project", await policyScope(file, child(root, "policy")), file);
  const user = await userScope(host);
  const policy = mergePolicy(requireScope(host, "user", user), project, overrides.policy);

  const folded = foldOverrides(root, overrides);
  refuse(await shapeRefusals(file, folded, pipeline));
  const manifest = manifestOf(folded);
  if (folded.entries.length > 0) refuse(executionRefusals(manifest));
  const profile = chooseProfile(manifest, refuse);

  const added = addEntries(pipeline, manifest);
  const switches = togglePhases(added.phases, manifest);
  refuse(added.refusals);
  const reordered = reorderPhases(added.phases, manifest.reorder);
  refuse(reordered.refusals);
  const { phases } = reordered;
  const inferences = inferArchetypes(phases);
  const modes = chooseExecution(phases, manifest, profile);

  const descriptors = phases.map(({ descriptor }) => descriptor);
  refuse(strandRefusals(phases, descriptors));
  refuse(graphErrors(descriptors).map((error) => graphRefusal(phases, manifest, error)));
  const running = phases.filter(({ descriptor }) => descriptor.enabled);
  refuse(roleRefusals(host, running, manifest));
  const effective = effectivePhases(phases);
  const decisions = gateDecisions(effective, folded);
  refuse(
    gateRefusals(effective, decisions).map(({ phase, message }) => {
      const entry = running[phase]!.entry;
      return { message, ...(entry === undefined ? {} : { at: entry.node }) };
    }),
  );

  const waivers = waiversOf(phases);
  const record = [
    ...switches,
    ...added.inserts,
    ...swapRecord(phases, manifest),
    ...reordered.record,
    ...inferences,
    ...modes,
    ...declarationRecord(folded),
    ...waiverRecord(waivers),
    ...fanOutRecord(effective),
  ];
  const resolution: Resolution = {
    ok: true,
    errors: [],
    effective,
    record,
    gateDecisions: decisions,
    waivers,
    policy,
  };
  return { resolution, notes: notesOf(user, manifest, phases), phases, manifest, profile };
}

/** The pipeline of a call; the embedded one needs no parser. Throws under `name`. */
export async function readPipeline(
  host: Host,
  name: string,
  path: string | undefined,
): Promise<readonly Descriptor[]> {
  if (path === undefined || path === EMBEDDED) return DEFAULT_PIPELINE;
  const fail = (message: string) => failure(name, `failed to parse pipeline: ${message}`);
  let text: string;
  try {
    text = readInputFile(host, path);
  } catch (error) {
    throw fail(reasonOf(error));
  }
  const { parsePipeline } = await import("../parse.ts");
  const read = await parsePipeline(path, text);
  if (!read.ok) throw fail(problemText(read.problem, host));
  return read.pipeline;
}

/** The manifest of a call; what reads one is not loaded without. */
async function readManifest(host: Host, path: string | undefined): Promise<YamlMap> {
  if (path === undefined) return emptyMap(0);
  return (await import("../../manifest/require.ts")).requireManifest(host, NAME, path);
}

/** What has the wrong shape in the manifest as it was folded (stage 5). */
async function shapeRefusals(
  file: string,
  folded: YamlMap,
  pipeline: readonly Descriptor[],
): Promise<Refusal[]> {
  if (folded.entries.length === 0) return [];
  const { checkRunShape } = await import("../../manifest/shape.ts");
  const ids = pipeline.map(({ id }) => id);
  return checkRunShape(file, folded, ids).map(refusalOf);
}

function refusalOf({ message, hint, line, column }: Problem): Refusal {
  return {
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(line === undefined ? {} : { at: { line, column: column ?? 1 } }),
  };
}

/** The lines of a stage that refuses: the pinned text, and natively the manifest line that is to blame. */
function refusalError(host: Host, file: string, refusals: readonly Refusal[]) {
  const lines = refusals.slice(0, MOST_ERRORS).map(({ message, hint, at }) => {
    const place = at === undefined || at.line === 0 ? {} : { file, line: at.line };
    return `  - ${problemText({ message, ...(hint === undefined ? {} : { hint }), ...place }, host)}`;
  });
  if (refusals.length > MOST_ERRORS) lines.push(`  - … and ${refusals.length - MOST_ERRORS} more`);
  return failureLines(lines);
}

function chooseProfile(
  manifest: Manifest,
  refuse: (refusals: readonly Refusal[]) => void,
): ProfileChoice | undefined {
  const name = manifest.profile;
  if (name === undefined) return undefined;
  const profile = PROFILES.get(name) ?? manifest.profiles.get(name);
  if (profile !== undefined) return { name, profile };
  const meant = name.length > 60 ? undefined : nearest(name, [...PROFILE_NAMES, ...manifest.profiles.keys()]);
  const at = child(child(manifest.root, "pipeline"), "profile");
  refuse([
    {
      message: unknownProfile(printable(name)),
      ...(meant === undefined ? {} : { hint: `did you mean ${meant}?` }),
      ...(at === undefined ? {} : { at }),
    },
  ]);
  return undefined;
}

function strandRefusals(phases: readonly Phase[], descriptors: readonly Descriptor[]): Refusal[] {
  const skipped = phases.flatMap(({ state }, index) => (state === "skipped" ? index : []));
  return strandErrors(descriptors, skipped).map(({ at, message }) => ({
    message,
    at: phases[at]!.skip!.node,
  }));
}

/**
 * A graph error with the edit it comes from: a replacement that makes less than what it replaced, the entry of the phase
 * itself, a maker that a block switched off, or the order.
 */
function graphRefusal(phases: readonly Phase[], manifest: Manifest, error: GraphError): Refusal {
  const { message, missing, at } = error;
  const makes = (artifacts: readonly string[] | undefined) =>
    missing !== undefined && artifacts?.includes(missing) === true;
  const lost = phases.find(
    ({ replaced, descriptor }) => makes(replaced?.produces) && !makes(descriptor.produces),
  );
  if (lost !== undefined) {
    const hint = shown`${lost.entry!.label} replaced "${lost.descriptor.id}", which produced "${missing!}"`;
    return { message, hint, at: lost.entry!.node };
  }
  const off = phases.find(({ state, descriptor }) => state === "disabled" && makes(descriptor.produces));
  const place = phases[at]!.entry?.node ?? child(off?.block, "enabled") ?? manifest.reorder[0]?.node;
  return { message, ...(place === undefined ? {} : { at: place }) };
}

function notesOf(user: Scope, { skip }: Manifest, phases: readonly Phase[]): string[] {
  const known = new Set(phases.map(({ descriptor }) => descriptor.id));
  const ids = [...known];
  const unknown = skip.filter(({ id }) => !known.has(id)).slice(0, MOST_ERRORS);
  return [
    ...userScopeNotes(user),
    ...unknown.map(({ written }, index) => {
      const meant = index < 20 && written.length <= 60 ? nearest(written, ids) : undefined;
      const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
      return `${NAME}: note: skip "${printable(written)}" matches no phase${hint}`;
    }),
  ];
}
