import { JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { lockDestination, lockNotes } from "./agents/destination-lock.ts";
import { knownDestinations } from "./agents/destinations.ts";
import { applySkill, type Caution, type Selection } from "./installed/apply.ts";
import { type Done, doneWith, reportOf } from "./installed/report.ts";
import { chooseFound, type Found, scan } from "./installed/scan.ts";
import { agentsOf, wantedAgain } from "./installed/wanted.ts";
import type { Report } from "./schema.ts";
import type { Shipment } from "./source/shipment.ts";

/** Refresh what is installed, each with the choices its manifest records; adds nothing (docs/spec/skills.md 4.9). */
export async function update(host: Host, shipped: Shipment, options: Selection): Promise<Outcome<Report>> {
  const destinations = knownDestinations(options, host);
  const { found, notes } = scan(destinations, shipped, host);
  const chosen = chooseFound(found, options.names, shipped).filter(
    ({ inspection }) => inspection.state !== "absent" && inspection.state !== "foreign",
  );
  const done: Done[] = [];
  for (const destination of destinations) {
    const here = chosen.filter((one) => one.destination === destination);
    if (here.length === 0) continue;
    done.push(...(await updateAll(destination.directory, here, options, host, shipped)));
  }
  return reportOf(done, notes, options.dryRun);
}

async function updateAll(
  directory: string,
  found: readonly Found[],
  caution: Caution,
  host: Host,
  shipped: Shipment,
): Promise<Done[]> {
  const apply = () => found.map((one) => updateOne(one, caution, host, shipped));
  if (caution.dryRun) return apply();
  try {
    return await lockDestination(directory, host, apply);
  } catch (error) {
    return found.map((one) => doneWith(one, "failed", lockNotes(error)));
  }
}

function updateOne(found: Found, caution: Caution, host: Host, shipped: Shipment): Done {
  const { name, directory, inspection } = found;
  const { manifest, state, detail } = inspection;
  if (state === "orphaned") {
    return doneWith(found, "orphaned", [
      `${name}: this jig no longer ships it; jig skills uninstall ${name} removes it`,
    ]);
  }
  if (manifest === undefined) {
    if (state === "newer") {
      return doneWith(found, "refused-newer", [
        `${name}: written by a later jig (${detail}); upgrade this one`,
      ]);
    }
    return doneWith(found, "failed", [`${name}: ${detail}`]);
  }
  try {
    const wanted = wantedAgain(manifest, directory, shipped, host);
    if (wanted === undefined) return doneWith(found, "orphaned", []);
    const agents = agentsOf(manifest.render.host);
    return applySkill({ name, directory, wanted, agents }, caution, host, shipped.version);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return doneWith(found, "failed", [
      `${name}: ${error.message}; jig skills install with --bin or --portable renders it again`,
    ]);
  }
}
