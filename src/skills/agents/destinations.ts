import { isAbsolute, resolve } from "node:path";
import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { resolveReal, samePath } from "../../kernel/files/contain.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import { findGitAncestor } from "../../kernel/repository/repository.ts";
import {
  AGENT_NAMES,
  type AgentName,
  locate,
  type Places,
  placesOf,
  rowOf,
  type Scope,
  skillsDirectory,
} from "./agents.ts";

/** A directory that holds, or shall hold, skill directories. */
export interface Destination {
  /** Real path; its end may not exist yet. */
  directory: string;
  /** The agents that install there, in table order; empty for `--dir`. */
  agents: AgentName[];
  scope: Scope | undefined;
}

/** The flags that say where. */
export interface Where {
  host: readonly string[];
  scope: string | undefined;
  dir: string | undefined;
}

export interface Chosen {
  destinations: Destination[];
  notes: string[];
}

type PlaceHost = Pick<Host, "cwd" | "env" | "home" | "uid">;

/** Where an install goes (docs/spec/skills.md 4.3): named agents, or the ones found on this machine. */
export function installDestinations(where: Where, host: PlaceHost): Chosen {
  const dir = onlyDirectory(where, host);
  if (dir !== undefined) return { destinations: [dir], notes: [] };
  const scope = scopeOf(where) ?? "user";
  if (where.host.length > 0) {
    const places = placesFor(host, scope);
    const named = chosenAgents(where.host);
    return { destinations: merge(named, [scope], places), notes: duplicateNotes(named, scope, places) };
  }
  if (scope === "project") {
    throw new UsageError("--scope project needs at least one --host", {
      hint: `what is committed is a choice: jig skills install --scope project --host claude; hosts are ${AGENT_NAMES.join(", ")}`,
    });
  }
  return detected(placesFor(host, scope));
}

/** Where uninstall and update look: the named agents, or every known agent's directory of the scope. */
export function knownDestinations(where: Where, host: PlaceHost): Destination[] {
  const dir = onlyDirectory(where, host);
  if (dir !== undefined) return [dir];
  const scope = scopeOf(where) ?? "user";
  return merge(
    where.host.length > 0 ? chosenAgents(where.host) : AGENT_NAMES,
    [scope],
    placesFor(host, scope),
  );
}

/** Where a listing looks: as `knownDestinations`, in both scopes unless one is named. */
export function listedDestinations(where: Where, host: PlaceHost): Destination[] {
  const dir = onlyDirectory(where, host);
  if (dir !== undefined) return [dir];
  const scope = scopeOf(where);
  const agents = where.host.length > 0 ? chosenAgents(where.host) : AGENT_NAMES;
  if (scope !== undefined) return merge(agents, [scope], placesFor(host, scope));
  const repository = findGitAncestor(host.cwd, { dangling: true, uid: host.uid });
  return merge(agents, ["user", "project"], placesOf(host, repository));
}

/** Every known agent that scans a directory, as its own or besides, in table order. */
export function readersOf(directory: string, host: PlaceHost): AgentName[] {
  const places = placesOf(host, findGitAncestor(host.cwd, { dangling: true, uid: host.uid }));
  return AGENT_NAMES.filter((name) =>
    [rowOf(name).user, rowOf(name).project, ...(rowOf(name).alsoReads ?? [])].some((path) =>
      isAt(path, directory, places),
    ),
  );
}

function onlyDirectory(where: Where, host: PlaceHost): Destination | undefined {
  if (where.dir === undefined) return undefined;
  if (where.host.length > 0 || where.scope !== undefined) {
    throw new UsageError(`--dir and --${where.host.length > 0 ? "host" : "scope"} exclude each other`);
  }
  if (where.dir === "") throw new UsageError("--dir needs a directory");
  return { directory: resolveReal(resolve(host.cwd, where.dir)), agents: [], scope: undefined };
}

function scopeOf(where: Where): Scope | undefined {
  return where.scope as Scope | undefined;
}

function chosenAgents(agents: readonly string[]): AgentName[] {
  return AGENT_NAMES.filter((name) => agents.includes(name));
}

function placesFor(host: PlaceHost, scope: Scope): Places {
  if (scope === "user") return placesOf(host, undefined);
  const repository = findGitAncestor(host.cwd, { dangling: true, uid: host.uid });
  if (repository === undefined) {
    throw new UsageError(`--scope project: ${host.cwd} is not inside a repository`, {
      hint: "change to the repository, or leave --scope out to install for yourself",
    });
  }
  // The project scope needs no home directory: nothing of it is written.
  const home = host.home !== undefined && isAbsolute(host.home) ? host.home : repository;
  return placesOf({ env: host.env, home }, repository);
}

/** One destination per real path, in the order of the agents. */
function merge(agents: readonly AgentName[], scopes: readonly Scope[], places: Places): Destination[] {
  const found: Destination[] = [];
  for (const scope of scopes) {
    for (const name of agents) {
      const path = skillsDirectory(name, scope, places);
      if (path === undefined) continue;
      const directory = resolveReal(path);
      const known = found.find((candidate) => samePath(candidate.directory, directory));
      if (known === undefined) found.push({ directory, agents: [name], scope });
      else if (!known.agents.includes(name)) known.agents.push(name);
    }
  }
  return found;
}

/** Agents with a configuration directory here, less those that read another one's directory anyway. */
function detected(places: Places): Chosen {
  const present = AGENT_NAMES.filter((name) => {
    const { detect } = rowOf(name);
    return detect !== undefined && isDirectory(locate(detect, places)!);
  });
  if (present.length === 0) {
    throw new UsageError("no agent found in the home directory", {
      hint: `name one, for example jig skills install --host agents; hosts are ${AGENT_NAMES.join(", ")}`,
    });
  }
  const installs = AGENT_NAMES.map((name) => skillsDirectory(name, "user", places)!).map(resolveReal);
  const readsOnlyItsOwn = (name: AgentName) =>
    !(rowOf(name).alsoReads ?? []).some((path) =>
      installs.some((directory) => isAt(path, directory, places)),
    );
  const ordered = [...present.filter(readsOnlyItsOwn), ...present.filter((name) => !readsOnlyItsOwn(name))];
  const taken: AgentName[] = [];
  const notes: string[] = [];
  for (const name of ordered) {
    const covering = merge(taken, ["user"], places).find(({ directory }) =>
      (rowOf(name).alsoReads ?? []).some((path) => isAt(path, directory, places)),
    );
    if (covering === undefined) taken.push(name);
    else notes.push(`${name} already reads ${covering.directory}; --host ${name} installs there too`);
  }
  return { destinations: merge(taken, ["user"], places), notes };
}

/** One line per named agent that will find a skill twice. */
function duplicateNotes(agents: readonly AgentName[], scope: Scope, places: Places): string[] {
  const destinations = merge(agents, [scope], places);
  return agents.flatMap((name) => {
    const { alsoReads = [], mayRead = [] } = rowOf(name);
    const others = destinations.filter(
      ({ directory, agents: own }) =>
        !own.includes(name) && [...alsoReads, ...mayRead].some((path) => isAt(path, directory, places)),
    );
    return others.map(
      ({ directory, agents: own }) =>
        `note: ${name} also reads ${directory} (${own.join(", ")}) and may list every skill twice`,
    );
  });
}

function isAt(path: string, directory: string, places: Places): boolean {
  const located = locate(path, places);
  return located !== undefined && samePath(resolveReal(located), directory);
}
