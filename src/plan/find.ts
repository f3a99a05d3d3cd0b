/** `plan find`: plans that a run may resume (docs/spec/plan.md section 4). */
import { join, relative, sep } from "node:path";
import { JigError, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { printable } from "../kernel/text/printable.ts";
import { isoSeconds } from "../kernel/text/time.ts";
import { readFrontMatter } from "../kernel/yaml/frontmatter.ts";
import { type Candidate, readCandidates } from "./candidates.ts";
import { looseParts, parseBaseName, withoutExtension } from "./name.ts";
import { findPlace } from "./place.ts";
import { BeyondLimit, MAX_MARKDOWN_BYTES } from "./read/limits.ts";
import { type LoadedPlan, loadPlan } from "./read/load.ts";
import { findQuestions } from "./read/questions.ts";
import type { FoundPlan, PlanList } from "./schema.ts";
import { CONTRACT_ID, CONVENTIONAL_TYPES, isRealDate, PLAN_ONLY, SLUG_FORM } from "./terms.ts";

export interface FindFlags {
  topic: string | undefined;
  match: string | undefined;
  type: string | undefined;
  stage: string | undefined;
  source: string | undefined;
  legacy: boolean;
}

/** Scan the plans. Exit 0 whatever is found, also outside a repository: a scan must not stop a run. */
export async function findPlans(host: Host, flags: FindFlags): Promise<Outcome<PlanList>> {
  if (flags.topic !== undefined && !SLUG_FORM.test(flags.topic))
    throw new UsageError(`--topic '${flags.topic}' is not a slug such as mute-alerts`);
  const list: PlanList = { root: null, skipped: null, ignored: 0, plans: [] };
  try {
    const place = await findPlace(host);
    list.root = place.root;
    const own = readCandidates(place.repository, place.plans, list);
    list.plans.push(...(await currentPlans(place.repository, own, flags, list)));
    if (flags.legacy) {
      const old = readCandidates(place.repository, join(place.repository, "docs/brainstorms"), list);
      list.plans.push(...(await legacyPlans(place.repository, old, flags, list)));
    }
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return { data: { ...list, skipped: error.message }, text: "", notes: [`skipped: ${error.message}`] };
  }
  list.plans.sort(newestFirst);
  const text = list.plans.map((plan) =>
    [plan.relative, plan.stage, plan.date, plan.topic, plan.title]
      .map((cell) => printable(cell ?? ""))
      .join("\t"),
  );
  return { data: list, text: text.map((line) => `${line}\n`).join("") };
}

function newestFirst(a: FoundPlan, b: FoundPlan): number {
  const key = ({ relative: path }: FoundPlan) => {
    const parts = looseParts(withoutExtension(path.slice(path.lastIndexOf("/") + 1)));
    return `${parts?.date ?? ""} ${parts?.time ?? ""}`;
  };
  const order = (x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0);
  return order(key(b), key(a)) || order(b.mtime, a.mtime) || order(a.relative, b.relative);
}

async function currentPlans(
  repository: string,
  candidates: readonly Candidate[],
  flags: FindFlags,
  counter: { ignored: number },
): Promise<FoundPlan[]> {
  const byBase = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const base = withoutExtension(candidate.name);
    const group = byBase.get(base) ?? [];
    group.push(candidate);
    byBase.set(base, group);
  }
  const found: FoundPlan[] = [];
  for (const group of byBase.values()) {
    // Alone, a document that the frontmatter already rules out need not be parsed.
    if (group.length === 1 && !(await mayMatch(group[0]!, flags))) continue;
    const plans: { candidate: Candidate; plan: FoundPlan }[] = [];
    for (const candidate of group) {
      const plan = await describe(repository, candidate, counter);
      if (plan !== undefined) plans.push({ candidate, plan });
    }
    supersede(plans);
    for (const { plan } of plans) {
      const wantsAll = flags.stage === "any";
      if ((plan.superseded_by === null || wantsAll) && matches(plan, flags)) found.push(plan);
    }
  }
  return found;
}

/** Mark the sibling that is not the canonical one. */
function supersede(plans: readonly { candidate: Candidate; plan: FoundPlan }[]): void {
  const [a, b] = plans;
  if (a === undefined || b === undefined) return;
  const canonical = canonicalOf(a, b);
  if (canonical === undefined) return;
  const other = canonical === a ? b : a;
  other.plan.superseded_by = canonical.plan.relative;
}

function canonicalOf<T extends { candidate: Candidate; plan: FoundPlan }>(a: T, b: T): T | undefined {
  if (a.plan.stage !== b.plan.stage) return a.plan.stage === "planned" ? a : b;
  const [first, second] = [Math.floor(a.candidate.mtime / 1000), Math.floor(b.candidate.mtime / 1000)];
  if (first === second) return undefined;
  return first > second ? a : b;
}

/** Whether a Markdown document's frontmatter and words leave it a chance; HTML is always looked at. */
async function mayMatch(candidate: Candidate, flags: FindFlags): Promise<boolean> {
  if (candidate.format === "html") return true;
  const matter = await readFrontMatter(candidate.text);
  if (matter.kind !== "map") return false;
  const value = (key: string) => {
    const node = matter.map.entries.find((entry) => entry.key === key)?.value;
    return node?.kind === "scalar" && node.value !== null ? node.text : null;
  };
  if (value("artifact_contract") !== CONTRACT_ID) return false;
  const source = flags.source ?? "ce-brainstorm";
  if (source !== "any" && value("product_contract_source") !== source) return false;
  if (flags.type !== undefined && value("type") !== null && value("type") !== flags.type) return false;
  if (flags.topic !== undefined && value("topic") !== null && value("topic") !== flags.topic) return false;
  const namesPlan = PLAN_ONLY.some((name) => candidate.text.includes(name));
  if (flags.stage === "planned") return namesPlan;
  if (flags.stage !== undefined && flags.stage !== "requirements-only") return true;
  // Beyond the limits it is looked at with the others, where it is counted.
  if (!namesPlan || candidate.bytes.length > MAX_MARKDOWN_BYTES) return true;
  const { hasSection } = await import("./read/markdown.ts");
  try {
    return !hasSection(matter.matter.body, PLAN_ONLY);
  } catch (error) {
    if (error instanceof BeyondLimit) return true;
    throw error;
  }
}

/** A candidate's plan. One beyond the limits of the parsers is counted, like a file that cannot be read. */
async function load(candidate: Candidate, counter: { ignored: number }): Promise<LoadedPlan | undefined> {
  try {
    return await loadPlan(candidate.format, candidate.bytes, candidate.path);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    counter.ignored += 1;
    return undefined;
  }
}

async function describe(
  repository: string,
  candidate: Candidate,
  counter: { ignored: number },
): Promise<FoundPlan | undefined> {
  const plan = await load(candidate, counter);
  return plan?.standing.kind === "plan" ? found(repository, candidate, plan) : undefined;
}

function found(repository: string, candidate: Candidate, { document, standing }: LoadedPlan): FoundPlan {
  const { format, mtime, name, path } = candidate;
  const value = (key: string) => document.metadata.get(key)?.value || null;
  const base = withoutExtension(name);
  const loose = looseParts(base);
  const named = nameParts(base);
  const questions = findQuestions(document);
  const date = value("date");
  return {
    path,
    relative: relative(repository, path).split(sep).join("/"),
    format,
    status: standing.kind === "plan" ? "unified" : "legacy",
    stage: standing.kind === "plan" ? standing.stage : null,
    generation: standing.kind === "plan" ? standing.generation : null,
    title: value("title") ?? document.headings.find(({ level }) => level === 1)?.text ?? null,
    topic: value("topic") ?? named.topic,
    type: value("type") ?? named.type,
    date: date !== null && isRealDate(date) ? date : (loose?.date ?? null),
    time: loose?.time ?? null,
    source: value("product_contract_source"),
    mtime: isoSeconds(mtime),
    open_questions: {
      resolve_before_planning: questions.resolveBeforePlanning.length,
      deferred_to_planning: questions.deferredToPlanning.length,
    },
    superseded_by: null,
  };
}

/** Type and topic as the file name has them, also in an older form. */
function nameParts(base: string): { type: string | null; topic: string | null } {
  const strict = parseBaseName(base);
  if (strict !== undefined) return strict;
  const middle = looseParts(base)?.middle;
  if (middle === undefined) return { type: null, topic: null };
  const [, type, topic] = /^([a-z][a-z0-9]*)-(.+)$/.exec(middle) ?? [];
  if (type === undefined || !CONVENTIONAL_TYPES.includes(type)) return { type: null, topic: middle };
  return { type, topic: topic! };
}

function matches(plan: FoundPlan, flags: FindFlags): boolean {
  const stage = flags.stage ?? "requirements-only";
  const source = flags.source ?? "ce-brainstorm";
  if (stage !== "any" && plan.stage !== stage) return false;
  if (source !== "any" && plan.source !== source) return false;
  return matchesWords(plan, flags);
}

function matchesWords(plan: FoundPlan, { match, topic, type }: FindFlags): boolean {
  if (topic !== undefined && plan.topic !== topic) return false;
  if (type !== undefined && plan.type !== type) return false;
  if (match === undefined) return true;
  const name = plan.relative.slice(plan.relative.lastIndexOf("/") + 1);
  return [plan.title, plan.topic, name].some((text) => text?.toLowerCase().includes(match.toLowerCase()));
}

/** Requirements documents from before the unified contract. */
async function legacyPlans(
  repository: string,
  candidates: readonly Candidate[],
  flags: FindFlags,
  counter: { ignored: number },
): Promise<FoundPlan[]> {
  const plans: FoundPlan[] = [];
  for (const candidate of candidates) {
    const base = withoutExtension(candidate.name);
    if (!base.endsWith("-requirements")) continue;
    const loaded = await load(candidate, counter);
    if (loaded === undefined) continue;
    const plan = found(repository, candidate, loaded);
    const dated = /^(\d{4}-\d\d-\d\d)-(.+)-requirements$/.exec(base);
    plan.status = "legacy";
    plan.stage = null;
    plan.generation = null;
    plan.date ??= dated?.[1] ?? null;
    plan.topic ??= dated?.[2] ?? base.slice(0, -"-requirements".length);
    if (matchesWords(plan, flags)) plans.push(plan);
  }
  return plans;
}
