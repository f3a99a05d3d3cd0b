import { join } from "node:path";
import { Refused, readOwnedText } from "../../../kernel/files/owned-file.ts";
import { isObject, parseObject } from "../../../kernel/text/json.ts";
import { fold, type Guarded, type Place } from "./places.ts";

const LARGEST_LEDGER = 8 << 20;
const LARGEST_PROPOSAL = 1 << 20;

/** A candidate that may become a skill. */
const IN_FLIGHT = ["candidate", "proposed"];

/** The skills of a project that are in flight; `any` when that cannot be told, so that every skill's file is held back. */
type InFlight = "any" | { names: Set<string>; files: Set<string> };

/** Which skills' files belong to a proposal that is not decided yet (docs/spec/flow.md 15.3). */
export class SkillsInFlight {
  private readonly byProject = new Map<Guarded, InFlight>();

  has({ file, name, project }: Extract<Place, { kind: "skill" }>): boolean {
    const known = this.byProject.get(project);
    const skills = known ?? inFlightIn(project);
    if (known === undefined) this.byProject.set(project, skills);
    return skills === "any" || skills.names.has(name) || skills.files.has(file);
  }
}

/** A ledger or a proposal that is there and cannot be read says nothing certain. */
function inFlightIn(project: Guarded): InFlight {
  const ids = candidatesOf(project);
  if (ids === undefined) return "any";
  const [names, files] = [new Set<string>(), new Set<string>()];
  for (const id of ids) {
    const directory = join(project.state, "project", "skill-proposals", id);
    const skill = textIfThere(join(directory, "SKILL.md"), LARGEST_PROPOSAL);
    const patch = textIfThere(join(directory, "SKILL.patch"), LARGEST_PROPOSAL);
    if (skill === undefined || patch === undefined) return "any";
    const name = nameIn(skill);
    if (name !== undefined) names.add(fold(name));
    for (const file of patchedIn(patch)) files.add(file);
  }
  return { names, files };
}

/** Ids of the candidates in flight, none without a ledger; undefined for a ledger that is damaged. */
function candidatesOf({ state }: Guarded): string[] | undefined {
  const text = textIfThere(join(state, "project", "skill-candidates.json"), LARGEST_LEDGER, "absent");
  if (text === "absent") return [];
  const candidates = text === undefined ? undefined : parseObject(text)?.["candidates"];
  if (!Array.isArray(candidates)) return undefined;
  const ids: string[] = [];
  for (const candidate of candidates) {
    const { id, status } = isObject(candidate) ? candidate : {};
    if (typeof id !== "string" || typeof status !== "string" || !isFolderName(id)) return undefined;
    if (IN_FLIGHT.includes(status)) ids.push(id);
  }
  return ids;
}

function isFolderName(id: string): boolean {
  return id !== "" && id !== "." && id !== ".." && !["/", "\\", "\0"].some((part) => id.includes(part));
}

/** A file's text, `absent` when there is no file; undefined when it cannot be read. */
function textIfThere(path: string, maxBytes: number, absent = ""): string | undefined {
  try {
    return readOwnedText(path, { uid: undefined, allowSymlink: true, maxBytes });
  } catch (error) {
    return error instanceof Refused && error.reason === "absent" ? absent : undefined;
  }
}

/** The `name` in the front matter of a skill, without quotes. */
function nameIn(text: string): string | undefined {
  const lines = text.split("\n");
  if (lines[0]?.trimEnd() !== "---") return undefined;
  for (const line of lines.slice(1)) {
    if (line.trimEnd() === "---") return undefined;
    if (line.startsWith("name:")) return unquoted(line.slice("name:".length).trim());
  }
  return undefined;
}

function unquoted(text: string): string {
  const quote = text[0];
  const end = quote === '"' || quote === "'" ? text.indexOf(quote, 1) : -1;
  if (end > 0) return text.slice(1, end);
  const comment = text.indexOf(" #");
  return comment < 0 ? text : text.slice(0, comment).trim();
}

const PATCHED = ["--- ", "+++ ", "rename to ", "rename from "];

/** The skills' files a patch names in its headers, from `.claude` or `.cursor` on. */
function patchedIn(patch: string): string[] {
  return patch.split("\n").flatMap((line) => {
    const mark = PATCHED.find((one) => line.startsWith(one));
    if (mark === undefined) return [];
    const path = fold(line.slice(mark.length).split("\t", 1)[0]!.trim());
    return [path.split("/").slice(-4).join("/")];
  });
}
