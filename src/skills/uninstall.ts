import { JigError, osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { lockDestination, lockNotes } from "./agents/destination-lock.ts";
import { type Destination, knownDestinations } from "./agents/destinations.ts";
import { backupNotes, type Caution, editedFiles, type Selection } from "./installed/apply.ts";
import { backUp } from "./installed/backup.ts";
import { type Done, doneWith, reportOf } from "./installed/report.ts";
import { chooseFound, type Found, scan } from "./installed/scan.ts";
import type { Inspection } from "./installed/state.ts";
import { removeHollow, removeSkill } from "./installed/write.ts";
import type { Report } from "./schema.ts";
import type { Shipment } from "./source/shipment.ts";

/** Remove what jig installed and nobody edited (docs/spec/skills.md 4.4). */
export async function uninstall(host: Host, shipped: Shipment, options: Selection): Promise<Outcome<Report>> {
  const destinations = knownDestinations(options, host);
  const { found, notes } = scan(destinations, shipped, host);
  const chosen = chooseFound(found, options.names, shipped);
  const done: Done[] = [];
  for (const destination of destinations) {
    const names = chosen.filter((one) => one.destination === destination).map((one) => one.name);
    if (names.length > 0) done.push(...(await uninstallAll(destination, names, options, host, shipped)));
  }
  return reportOf(done, notes, options.dryRun);
}

async function uninstallAll(
  destination: Destination,
  names: readonly string[],
  caution: Caution,
  host: Host,
  shipped: Shipment,
): Promise<Done[]> {
  // Looked at again under the lock: another jig may have been at work in between.
  const now = () => scan([destination], shipped, host).found.filter((one) => names.includes(one.name));
  const remove = () =>
    now()
      .filter(({ inspection: { state, extra } }) => state !== "absent" || extra.length === 0)
      .map((one) => uninstallOne(one, caution, host));
  if (caution.dryRun) return remove();
  try {
    return await lockDestination(destination.directory, host, remove);
  } catch (error) {
    return now().map((one) => doneWith(one, "failed", lockNotes(error)));
  }
}

function uninstallOne(found: Found, caution: Caution, host: Host): Done {
  const { name, directory, inspection } = found;
  switch (inspection.state) {
    case "foreign":
      return doneWith(found, "refused-foreign", [
        `${name}: ${directory} was not written by jig; nothing was removed`,
      ]);
    case "unreadable":
      return doneWith(found, "failed", [`${name}: ${inspection.detail}`]);
    case "absent":
      return attempt(found, caution, () => removeHollow(directory));
    default:
  }
  if (inspection.manifest === undefined) {
    return doneWith(found, "failed", [
      `${name}: its manifest is of a later jig (${inspection.detail}); uninstall it with that one`,
    ]);
  }
  const seen = ownFiles(inspection, Object.keys(inspection.manifest.files));
  const edited = editedFiles(seen);
  const backup = edited.length > 0 && caution.force ? () => backUp(directory, name, host) : undefined;
  const done = attempt(found, caution, () => removeSkill(directory, seen, caution.force), backup);
  if (edited.length === 0 || caution.force || done.result.action === "failed") return done;
  return doneWith(
    found,
    "kept-edited",
    [`${name}: edited, so kept: ${edited.join(", ")}; --force removes them after a backup`],
    {
      files: edited,
    },
  );
}

/** What may be removed: the manifest's files, and text of ours from an interrupted update. The rest is the user's. */
function ownFiles(inspection: Inspection, recorded: readonly string[]): Inspection {
  const files = [...inspection.files].filter(([path, state]) => recorded.includes(path) || state === "ours");
  return { ...inspection, files: new Map(files) };
}

function attempt(found: Found, caution: Caution, remove: () => void, backUpFirst?: () => string): Done {
  if (caution.dryRun) return doneWith(found, "removed", []);
  let backup: string | null = null;
  try {
    backup = backUpFirst?.() ?? null;
    remove();
  } catch (error) {
    const why = error instanceof JigError ? error.message : `${found.directory}: ${osReason(error)}`;
    return doneWith(found, "failed", backupNotes(found.name, backup, [`${found.name}: ${why}`]), { backup });
  }
  return doneWith(found, "removed", backupNotes(found.name, backup), { backup });
}
