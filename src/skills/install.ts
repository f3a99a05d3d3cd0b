import { join } from "node:path";
import { UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { lockDestination, lockNotes } from "./agents/destination-lock.ts";
import { type Destination, installDestinations, type Where } from "./agents/destinations.ts";
import { applySkill, type Caution, type Task } from "./installed/apply.ts";
import { type Done, reportOf } from "./installed/report.ts";
import type { Report } from "./schema.ts";
import { chosenSkills } from "./source/names.ts";
import { choosePrefix, portableNotes, prefixNotes } from "./source/prefix.ts";
import { renderSkill, sharedExtras } from "./source/render.ts";
import type { Shipment } from "./source/shipment.ts";

export interface InstallOptions extends Where, Caution {
  names: readonly string[];
  bin: readonly string[];
  portable: boolean;
  strict: boolean;
  allowReadonly: boolean;
}

/** Install skills where agents look for them (docs/spec/skills.md 4.3). */
export async function install(
  host: Host,
  shipped: Shipment,
  options: InstallOptions,
): Promise<Outcome<Report>> {
  const skills = chosenSkills(shipped, options.names);
  const project = options.scope === "project";
  const prefix = choosePrefix({ ...options, byDefault: project ? "portable" : "absolute" }, host, shipped);
  if (options.allowReadonly && prefix.mode === "portable") {
    throw new UsageError("--allow-readonly needs an absolute path: a bare jig is whatever is first on PATH", {
      hint: "leave --portable out, or pass --bin PATH",
    });
  }
  const { destinations, notes } = installDestinations(options, host);
  const strict = options.strict || options.dir !== undefined;
  const done: Done[] = [];
  for (const destination of destinations) {
    const choice = {
      prefix,
      extras: sharedExtras(destination.agents),
      strict,
      allowReadonly: options.allowReadonly,
    };
    const tasks = skills.map((skill): Task => {
      const directory = join(destination.directory, skill.name);
      const files = renderSkill(skill, choice, shipped, directory);
      return { name: skill.name, directory, wanted: { skill, choice, files }, agents: destination.agents };
    });
    done.push(...(await applyAll(destination, tasks, options, host, shipped.version)));
  }
  const before = [...prefixNotes(prefix, host, shipped.version), ...portableNotes(prefix, host), ...notes];
  return reportOf(done, before, options.dryRun);
}

/** The tasks of one destination under its lock; when the lock cannot be had, each of them failed. */
export async function applyAll(
  destination: Pick<Destination, "directory">,
  tasks: readonly Task[],
  caution: Caution,
  host: Host,
  version: string,
): Promise<Done[]> {
  const apply = () => tasks.map((task) => applySkill(task, caution, host, version));
  if (caution.dryRun) return apply();
  try {
    return await lockDestination(destination.directory, host, apply);
  } catch (error) {
    const notes = lockNotes(error);
    return tasks.map(({ name, directory, agents }) => ({
      result: {
        action: "failed",
        name,
        dir: directory,
        hosts: [...agents],
        state: "unreadable",
        backup: null,
        files: [],
      },
      notes,
    }));
  }
}
