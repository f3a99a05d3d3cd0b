import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { UsageError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { resolveReal, samePath } from "../../kernel/files/contain.ts";
import { findGitAncestor } from "../../kernel/repository/repository.ts";
import {
  HOST_NAMES,
  type HostName,
  locate,
  type Places,
  placesOf,
  rowOf,
  type Scope,
  skillsDirectory,
} from "./hosts.ts";

/** A directory that holds, or shall hold, skill directories. */
export interface Destination {
  /** Real path; its end may not exist yet. */
  directory: string;
  /** The hosts that install there, in table order; empty for `--dir`. */
  hosts: HostName[];
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

/** Where an install goes (docs/spec/skills.md 4.3): named hosts, or the ones found on this machine. */
export function installDestinations(where: Where, host: PlaceHost): Chosen {
  const dir = onlyDirectory(where, host);
  if (dir !== undefined) return { destinations: [dir], notes: [] };
  const scope = scopeOf(where) ?? "user";
  if (where.host.length > 0) {
    const places = placesFor(host, scope);
    const named = chosenHosts(where.host);
    return { destinations: merge(named, [scope], places), notes: duplicateNotes(named, scope, places) };
  }
  if (scope === "project") {
    throw new UsageError("--scope project needs at least one --host", {
      hint: `what is committed is a choice: jig skills install --scope project --host claude; hosts are ${HOST_NAMES.join(", ")}`,
    });
  }
  return detected(placesFor(host, scope));
}

/** Where uninstall and update look: the named hosts, or every known host directory of the scope. */
export function knownDestinations(where: Where, host: PlaceHost): Destination[] {
  const dir = onlyDirectory(where, host);
  if (dir !== undefined) return [dir];
  const scope = scopeOf(where) ?? "user";
  return merge(where.host.length > 0 ? chosenHosts(where.host) : HOST_NAMES, [scope], placesFor(host, scope));
}

/** Where a listing looks: as `knownDestinations`, in both scopes unless one is named. */
export function listedDestinations(where: Where, host: PlaceHost): Destination[] {
  const dir = onlyDirectory(where, host);
  if (dir !== undefined) return [dir];
  const scope = scopeOf(where);
  const hosts = where.host.length > 0 ? chosenHosts(where.host) : HOST_NAMES;
  if (scope !== undefined) return merge(hosts, [scope], placesFor(host, scope));
  const repository = findGitAncestor(host.cwd, { dangling: true, uid: host.uid });
  return merge(hosts, ["user", "project"], placesOf(host, repository));
}

/** Every known host that scans a directory, as its own or besides, in table order. */
export function readersOf(directory: string, host: PlaceHost): HostName[] {
  const places = placesOf(host, findGitAncestor(host.cwd, { dangling: true, uid: host.uid }));
  return HOST_NAMES.filter((name) =>
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
  return { directory: resolveReal(resolve(host.cwd, where.dir)), hosts: [], scope: undefined };
}

function scopeOf(where: Where): Scope | undefined {
  return where.scope as Scope | undefined;
}

function chosenHosts(hosts: readonly string[]): HostName[] {
  return HOST_NAMES.filter((name) => hosts.includes(name));
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

/** One destination per real path, in the order of the hosts. */
function merge(hosts: readonly HostName[], scopes: readonly Scope[], places: Places): Destination[] {
  const found: Destination[] = [];
  for (const scope of scopes) {
    for (const name of hosts) {
      const path = skillsDirectory(name, scope, places);
      if (path === undefined) continue;
      const directory = resolveReal(path);
      const known = found.find((candidate) => samePath(candidate.directory, directory));
      if (known === undefined) found.push({ directory, hosts: [name], scope });
      else if (!known.hosts.includes(name)) known.hosts.push(name);
    }
  }
  return found;
}

/** Hosts with a configuration directory here, less those that read another one's directory anyway. */
function detected(places: Places): Chosen {
  const present = HOST_NAMES.filter((name) => {
    const { detect } = rowOf(name);
    return detect !== undefined && isDirectory(locate(detect, places)!);
  });
  if (present.length === 0) {
    throw new UsageError("no agent found in the home directory", {
      hint: `name one, for example jig skills install --host agents; hosts are ${HOST_NAMES.join(", ")}`,
    });
  }
  const installs = HOST_NAMES.map((name) => skillsDirectory(name, "user", places)!).map(resolveReal);
  const readsOnlyItsOwn = (name: HostName) =>
    !(rowOf(name).alsoReads ?? []).some((path) =>
      installs.some((directory) => isAt(path, directory, places)),
    );
  const ordered = [...present.filter(readsOnlyItsOwn), ...present.filter((name) => !readsOnlyItsOwn(name))];
  const taken: HostName[] = [];
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

/** One line per named host that will find a skill twice. */
function duplicateNotes(hosts: readonly HostName[], scope: Scope, places: Places): string[] {
  const destinations = merge(hosts, [scope], places);
  return hosts.flatMap((name) => {
    const { alsoReads = [], mayRead = [] } = rowOf(name);
    const others = destinations.filter(
      ({ directory, hosts: own }) =>
        !own.includes(name) && [...alsoReads, ...mayRead].some((path) => isAt(path, directory, places)),
    );
    return others.map(
      ({ directory, hosts: own }) =>
        `note: ${name} also reads ${directory} (${own.join(", ")}) and may list every skill twice`,
    );
  });
}

function isAt(path: string, directory: string, places: Places): boolean {
  const located = locate(path, places);
  return located !== undefined && samePath(resolveReal(located), directory);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
