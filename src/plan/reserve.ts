/**
 * `plan reserve`: make a plan's file under a name nobody has (docs/spec/plan.md section 2).
 *
 * A name is taken by a file of either format, so an exclusive create alone does not decide a race between formats.
 * After creating its file each call looks for the other format; whoever sees one gives its own name back and takes the
 * next number. Two that meet may both step aside, never both stay. A call that is killed leaves at most its one file.
 */
import { lstatSync, mkdirSync, statSync, unlinkSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { JigError, osReason, UsageError } from "../kernel/call/errors.ts";
import { exitCodeOf, type Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { resolveKey } from "../kernel/config/resolve.ts";
import { createExclusive, publishExclusive } from "../kernel/files/atomic.ts";
import { FileError } from "../kernel/files/file-io.ts";
import { Refused } from "../kernel/files/owned-file.ts";
import {
  baseName,
  formatOf,
  MAX_SUFFIX,
  MAX_TOPIC,
  MAX_TYPE,
  nearestSlug,
  otherFormat,
  type PlanName,
  parseBaseName,
  withoutExtension,
} from "./name.ts";
import { checkContained, findPlace, type Place } from "./place.ts";
import { readPlanBytes } from "./read/load.ts";
import type { Reservation } from "./schema.ts";
import {
  CONVENTIONAL_TYPES,
  type Format,
  isRealDate,
  MAX_PLAN_BYTES,
  SLUG_FORM,
  TYPE_FORM,
} from "./terms.ts";

export interface ReserveFlags {
  type: string | undefined;
  topic: string | undefined;
  format: string | undefined;
  date: string | undefined;
  time: string | undefined;
  from: string | undefined;
  convert: string | undefined;
}

/** Reserve a new name, or the parallel one of `--convert`. Exit 1 when nothing could be reserved, 2 for the words. */
export async function reserve(host: Host, flags: ReserveFlags): Promise<Outcome<Reservation>> {
  return flags.convert === undefined ? reserveNew(host, flags) : reserveParallel(host, flags, flags.convert);
}

async function reserveNew(host: Host, flags: ReserveFlags): Promise<Outcome<Reservation>> {
  const name = newName(host, flags);
  const place = await findPlace(host);
  const { format, source, warnings } = chooseFormat(place, flags.format);
  const content = await readContent(host, flags.from);
  const notes = [...place.docs.warnings, ...warnings].map((warning) => `warning: ${warning}`);
  if (!CONVENTIONAL_TYPES.includes(name.type)) {
    notes.push(`warning: type '${name.type}' is not one of ${CONVENTIONAL_TYPES.join(", ")}`);
  }
  const interruption = host.interruption();
  makePlansDirectory(place);
  const { path, suffix } = claimFree(place.plans, name, format, content);
  const data = reservation(place, path, format, source, { ...name, suffix }, content.length);
  return finish(data, notes, interruption);
}

async function reserveParallel(
  host: Host,
  flags: ReserveFlags,
  convert: string,
): Promise<Outcome<Reservation>> {
  const { date, format, time, topic, type } = flags;
  for (const [flag, value] of Object.entries({ type, topic, date, time })) {
    if (value !== undefined) throw new UsageError(`--${flag} is not allowed with --convert`);
  }
  if (format === undefined) throw new UsageError("--convert needs --format md or --format html");
  const from = resolve(host.cwd, convert);
  const own = formatOf(from);
  if (own === undefined) throw new UsageError(`--convert ${convert}: is neither .md nor .html`);
  if (own === format)
    throw new UsageError(`--convert ${convert}: is ${own} already; ask for --format ${otherFormat(own)}`);
  requireFile(from, convert);
  const place = await findPlace({ ...host, cwd: dirname(from) });
  const content = await readContent(host, flags.from);
  const interruption = host.interruption();
  const base = withoutExtension(basename(from));
  const path = join(dirname(from), `${base}.${format}`);
  if (!claim(path, content)) {
    throw new JigError(`${path} exists already`, { hint: "continue that file, or move it away first" });
  }
  const data = reservation(place, path, format as Format, "flag", parseBaseName(base), content.length);
  return finish(data, [], interruption);
}

function requireFile(path: string, shown: string): void {
  try {
    if (statSync(path).isFile()) return;
  } catch (error) {
    throw new JigError(`--convert ${shown}: ${osReason(error)}`, { cause: error });
  }
  throw new JigError(`--convert ${shown}: is not a regular file`);
}

/** A signal that came while the name was taken does not take it back: the call is complete, and says so. */
async function finish(
  data: Reservation,
  notes: readonly string[],
  interruption: AbortSignal,
): Promise<Outcome<Reservation>> {
  await new Promise((resolve) => setImmediate(resolve));
  const outcome = { data, text: `${data.path}\n`, notes, undelivered: `${data.path} was reserved` };
  return interruption.aborted ? { ...outcome, exitCode: exitCodeOf(interruption) } : outcome;
}

/** The name's parts from the words of the call, its number still open. Throws `UsageError`. */
function newName(host: Host, flags: ReserveFlags): PlanName & { time: string } {
  const { topic, type } = flags;
  if (type === undefined)
    throw new UsageError("--type is missing", { hint: `such as ${CONVENTIONAL_TYPES.join(", ")}` });
  if (!TYPE_FORM.test(type) || type.length > MAX_TYPE)
    throw new UsageError(
      `--type '${type}' is not a lower-case word of at most ${MAX_TYPE} letters and digits`,
    );
  if (topic === undefined) throw new UsageError("--topic is missing", { hint: "a slug such as mute-alerts" });
  if (!SLUG_FORM.test(topic) || topic.length > MAX_TOPIC) {
    const slug = nearestSlug(topic);
    const what = `--topic '${topic}' is not a slug of at most ${MAX_TOPIC} characters`;
    if (slug === "") {
      const hint = "write it with ASCII letters, digits and single hyphens, such as mute-alerts";
      throw new UsageError(`${what}: a slug must be ASCII`, { hint });
    }
    throw new UsageError(what, { hint: `--topic ${slug}` });
  }
  const now = new Date(host.now());
  const two = (value: number) => String(value).padStart(2, "0");
  const today = `${String(now.getFullYear()).padStart(4, "0")}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const date = flags.date ?? today;
  if (!isRealDate(date)) throw new UsageError(`--date '${date}' is not a real date; expected YYYY-MM-DD`);
  const time = flags.time ?? `${two(now.getHours())}${two(now.getMinutes())}`;
  if (!/^(?:[01][0-9]|2[0-3])[0-5][0-9]$/.test(time)) {
    throw new UsageError(`--time '${time}' is not a time of day; expected HHMM from 0000 to 2359`);
  }
  return { date, time, type, topic, suffix: null };
}

function chooseFormat(
  place: Place,
  flag: string | undefined,
): { format: Format; source: Reservation["format_source"]; warnings: string[] } {
  if (flag !== undefined) return { format: flag as Format, source: "flag", warnings: [] };
  const { layer, value, warnings } = resolveKey("brainstorm_output", place.layers);
  return { format: value as Format, source: layer as Reservation["format_source"], warnings };
}

/** What the file is to hold. Throws `JigError`, exit 1, for input that cannot be read or is too large. */
async function readContent(host: Host, from: string | undefined): Promise<Uint8Array> {
  if (from === undefined) return new Uint8Array();
  if (from === "-") return host.stdin(MAX_PLAN_BYTES);
  try {
    return readPlanBytes(resolve(host.cwd, from));
  } catch (error) {
    if (error instanceof Refused) throw new JigError(`--from ${from}: ${error.why}`, { cause: error });
    throw error;
  }
}

function makePlansDirectory(place: Place): void {
  try {
    mkdirSync(place.plans, { recursive: true });
  } catch (error) {
    throw new FileError("cannot create", place.plans, error);
  }
  checkContained(place);
}

/** Take the first free number of a name. */
function claimFree(
  directory: string,
  name: PlanName,
  format: Format,
  content: Uint8Array,
): { path: string; suffix: number | null } {
  for (let number = 1; number <= MAX_SUFFIX; number++) {
    const suffix = number === 1 ? null : number;
    const base = join(directory, baseName({ ...name, suffix }));
    const path = `${base}.${format}`;
    const sibling = `${base}.${otherFormat(format)}`;
    if (isTaken(path) || isTaken(sibling) || !claim(path, content)) continue;
    if (!isTaken(sibling)) return { path, suffix };
    giveBack(path);
  }
  const first = baseName({ ...name, suffix: null });
  throw new JigError(`${join(directory, first)}: all names up to -${MAX_SUFFIX} are taken`, {
    hint: "take another topic or time",
  });
}

/** Make the file exclusively, complete when it has content. False when something has the name. */
function claim(path: string, content: Uint8Array): boolean {
  return content.length === 0 ? createExclusive(path, content) : publishExclusive(path, content);
}

function giveBack(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    throw new FileError("cannot remove", path, error);
  }
}

function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function reservation(
  { repository, root }: Place,
  path: string,
  format: Format,
  source: Reservation["format_source"],
  name: PlanName | undefined,
  bytes: number,
): Reservation {
  return {
    path,
    relative: relative(repository, path).split(sep).join("/"),
    root,
    format,
    format_source: source,
    date: name?.date ?? null,
    time: name?.time ?? null,
    type: name?.type ?? null,
    topic: name?.topic ?? null,
    suffix: name?.suffix ?? null,
    bytes,
  };
}
