import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome, Terminal } from "../kernel/call/outcome.ts";
import { findExecutable } from "../kernel/process/executable.ts";
import { table } from "../kernel/text/table.ts";
import { listedDestinations, readersOf, type Where } from "./agents/destinations.ts";
import { type Found, scan } from "./installed/scan.ts";
import { ALL_DESCRIPTIONS, LONGEST_DESCRIPTION } from "./lint/sizes.ts";
import type { Installed, Listed } from "./schema.ts";
import { splitSkill } from "./source/front-matter.ts";
import { PORTABLE } from "./source/prefix.ts";
import { renderSkill } from "./source/render.ts";
import { ENTRY_FILE, entryText, type Shipment, type Skill } from "./source/shipment.ts";

/** Tokens of name and description, and of `SKILL.md` (docs/spec/skills.md 4.1). */
const MOST_RESIDENT_TOKENS = 95;
const MOST_ACTIVATION_TOKENS = 2000;

export interface ListOptions extends Where {
  cost: boolean;
  installed: boolean;
}

/** The embedded skills, or with `installed` the skill directories found (docs/spec/skills.md 4.1). */
export function list(host: Host, shipped: Shipment, options: ListOptions): Outcome<Listed[] | Installed[]> {
  if (options.installed) {
    if (options.cost) throw new UsageError("--cost is about the embedded skills; leave --installed out");
    return listInstalled(host, shipped, options);
  }
  if (options.host.length > 0 || options.scope !== undefined || options.dir !== undefined) {
    throw new UsageError("--host, --scope and --dir need --installed");
  }
  const listed = shipped.skills.map((skill) => describe(skill, shipped.version, options.cost));
  return { data: listed, text: (terminal) => shownTo(terminal, listed, options.cost) };
}

function describe(skill: Skill, version: string, cost: boolean): Listed {
  const { matter } = splitSkill(entryText(skill));
  return {
    name: skill.name,
    id: skill.id,
    description: matter.description,
    files: skill.files.map((file) => file.path),
    api: Number(matter.metadata["jig-api"]),
    version,
    ...(cost ? costOf(skill, version) : {}),
  };
}

/** Estimated tokens of the portable rendering: what is always resident, what activation loads, what all files hold. */
function costOf(skill: Skill, version: string) {
  const choice = { prefix: PORTABLE, extras: [], strict: false, allowReadonly: false };
  const files = renderSkill(skill, choice, { version });
  const { description } = splitSkill(entryText(skill)).matter;
  const entry = files.find((file) => file.path === ENTRY_FILE)?.text ?? "";
  return {
    resident_tokens: tokens(skill.name + description),
    activation_tokens: tokens(entry),
    total_tokens: tokens(files.map((file) => file.text).join("")),
    description_chars: [...description].length,
  };
}

function tokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Piped, the columns stand as docs/spec/skills.md 4.1 has them; a person sees figures against their budget. */
function shownTo(terminal: Terminal, skills: readonly Listed[], cost: boolean): string {
  const rows = skills.map((skill) => ({
    text: [skill.name, skill.description],
    figures: [skill.resident_tokens, skill.activation_tokens, skill.total_tokens].map(String),
  }));
  if (!cost)
    return table(
      ["SKILL", "DESCRIPTION"],
      rows.map(({ text }) => text),
      terminal,
    );
  if (!terminal.isTerminal)
    return table(
      [],
      rows.map(({ text, figures }) => [...text, ...figures]),
      terminal,
    );
  return costTable(skills, terminal);
}

/** Each figure beside its budget (docs/spec/skills.md 4.1), and the sum that every session pays. */
function costTable(skills: readonly Listed[], terminal: Terminal): string {
  const sum = (key: "resident_tokens" | "description_chars") =>
    skills.reduce((total, skill) => total + (skill[key] ?? 0), 0);
  const of = (figure: number | undefined, budget: number) => `${figure ?? 0} of ${budget}`;
  const rows = skills.map((skill) => [
    skill.name,
    of(skill.description_chars, LONGEST_DESCRIPTION),
    of(skill.resident_tokens, MOST_RESIDENT_TOKENS),
    of(skill.activation_tokens, MOST_ACTIVATION_TOKENS),
    String(skill.total_tokens),
  ]);
  const all = [
    "together",
    of(sum("description_chars"), ALL_DESCRIPTIONS),
    String(sum("resident_tokens")),
    "",
    "",
  ];
  return (
    table(["SKILL", "DESCRIPTION", "RESIDENT", "ACTIVATED", "ALL"], [...rows, all], terminal, {
      alignRight: [1, 2, 3, 4],
    }) +
    "Description in characters, the rest in tokens. Resident is in every session, activated when the skill is used.\n"
  );
}

function listInstalled(host: Host, shipped: Shipment, where: Where): Outcome<Installed[]> {
  const { found, notes } = scan(listedDestinations(where, host), shipped, host);
  const installed = found
    .filter(({ inspection }) => inspection.state !== "absent")
    .map((one) => installedOf(one, host));
  return {
    data: installed,
    text: (terminal) =>
      table(
        ["STATE", "SKILL", "VERSION", "DIRECTORY"],
        installed.map(({ state, name, version, dir }) => [state, name, version ?? "-", dir]),
        terminal,
      ),
    notes,
  };
}

function installedOf({ name, directory, destination, inspection }: Found, host: Host): Installed {
  const { state, manifest, files, extra } = inspection;
  const command = manifest?.render.command ?? [];
  const pathsThatAre = (wanted: string) =>
    [...files].filter(([, fileState]) => fileState === wanted).map(([path]) => path);
  return {
    name,
    state,
    version: manifest?.jig_version ?? null,
    dir: directory,
    hosts: readersOf(destination.directory, host),
    scope: destination.scope ?? null,
    command: [...command],
    command_found: command[0] !== undefined && isFound(command[0], host),
    files_modified: pathsThatAre("edited"),
    files_missing: pathsThatAre("missing"),
    files_extra: [...extra],
  };
}

function isFound(program: string, host: Host): boolean {
  if (!isAbsolute(program)) return findExecutable(program, host.env) !== undefined;
  try {
    return statSync(program).isFile();
  } catch {
    return false;
  }
}
