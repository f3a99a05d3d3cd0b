import { readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode, osReason } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Destination } from "../agents/destinations.ts";
import { unknownSkill } from "../source/names.ts";
import { fullName, type Shipment } from "../source/shipment.ts";
import { readManifest } from "./manifest.ts";
import { type Inspection, inspect } from "./state.ts";
import { wantedForLooking } from "./wanted.ts";

/** A directory that is, or claims the name of, one of our skills. */
export interface Found {
  name: string;
  directory: string;
  destination: Destination;
  inspection: Inspection;
}

export interface Scan {
  found: Found[];
  /** Directories that could not be listed. */
  notes: string[];
}

/**
 * Every skill directory of these destinations: those with a manifest of jig's, and those that carry the name of an
 * embedded skill. `absent` ones are leftovers of an interrupted call, or hold files of the user's alone.
 */
export function scan(destinations: readonly Destination[], shipped: Shipment, host: Host): Scan {
  const notes: string[] = [];
  const found = destinations.flatMap((destination) =>
    namesIn(destination.directory, notes).flatMap((name): Found[] => {
      const directory = join(destination.directory, name);
      const reading = readManifest(directory, name);
      const embedded = shipped.skills.find((skill) => skill.name === name);
      if (embedded === undefined && reading.kind !== "valid" && reading.kind !== "later") return [];
      const wanted =
        reading.kind === "valid" ? wantedForLooking(reading.manifest, directory, shipped, host) : undefined;
      const paths = (wanted ?? embedded)?.files.map((file) => file.path);
      const inspection = inspect(directory, name, wanted, shipped.version, paths);
      return [{ name, directory, destination, inspection }];
    }),
  );
  return { found, notes };
}

function namesIn(directory: string, notes: string[]): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") notes.push(`${directory}: ${osReason(error)}`);
    return [];
  }
}

/**
 * The found ones that were named, by id or full name; a name may be one that only a directory here knows. Throws
 * `UsageError` for a name that nothing knows.
 */
export function chooseFound(found: readonly Found[], names: readonly string[], shipped: Shipment): Found[] {
  if (names.length === 0) return [...found];
  const wanted = names.map((name) => {
    const full = [name, fullName(name)].find(
      (candidate) =>
        found.some((one) => one.name === candidate) ||
        shipped.skills.some((skill) => skill.name === candidate),
    );
    if (full === undefined) throw unknownSkill(name, shipped);
    return full;
  });
  return found.filter((one) => wanted.includes(one.name));
}
