import type { Host } from "../../kernel/host.ts";
import { finding, note, ok } from "../check.ts";
import { decodeJson } from "../nested.ts";
import type { Check } from "../schema.ts";

interface Installed {
  name: string;
  state: string;
  version: string | null;
  dir: string;
  hosts: string[];
  command: string[];
  command_found: boolean;
}

/** What a state of spec/skills.md 6.2 means to a person; `current` is not worth a line. */
const STATES: Record<string, { says: string; mend?: (skill: Installed) => string }> = {
  modified: { says: "was edited; an update keeps the edits" },
  foreign: { says: "was not installed by jig" },
  stale: { says: "is out of date", mend: ({ name }) => `jig skills update ${name}` },
  newer: { says: "was installed by a newer jig", mend: () => "update jig, or run that newer jig" },
  orphaned: {
    says: "is not a skill of this jig any more",
    mend: ({ name }) => `jig skills uninstall ${name}`,
  },
  unreadable: { says: "cannot be read", mend: ({ dir }) => `look at the permissions of ${dir}` },
};

/** Installed skills: their states, binaries that are gone, the same skill read twice by one host (spec/skills.md 14). */
export async function examineSkills(host: Host): Promise<Check[]> {
  const result = await host.run(["skills", "list", "--installed", "--json"]);
  if (result.exitCode !== 0) {
    return [
      finding("skills", `jig skills list fails: ${result.stderr.trim()}`, "jig skills list --installed"),
    ];
  }
  const installed = decodeJson<Installed[]>(result.stdout);
  if (installed.length === 0) return [note("skills", "none installed; jig skills install does it")];
  const checks = [...installed.flatMap(examineOne), ...duplicates(installed)];
  return checks.length > 0 ? checks : [ok("skills", `${installed.length} installed, all current`)];
}

function examineOne(skill: Installed): Check[] {
  const checks: Check[] = [];
  const where = `${skill.name} in ${skill.dir}`;
  if (skill.command.length > 0 && !skill.command_found) {
    const mend = `jig skills update ${skill.name}`;
    checks.push(finding("skills", `${where} calls a jig that is gone: ${skill.command.join(" ")}`, mend));
  }
  const version = skill.version === null ? "" : ` (version ${skill.version})`;
  const view = STATES[skill.state];
  if (view === undefined) return checks;
  const message = `${where} ${view.says}${version}`;
  checks.push(
    view.mend === undefined ? note("skills", message) : finding("skills", message, view.mend(skill)),
  );
  return checks;
}

/** A host that reads two directories shows such a skill twice, or the older one of them. */
function duplicates(installed: readonly Installed[]): Check[] {
  const seen = new Map<string, Installed>();
  const checks: Check[] = [];
  for (const skill of installed) {
    for (const hostName of skill.hosts) {
      const key = `${hostName}\n${skill.name}`;
      const other = seen.get(key);
      if (other === undefined) seen.set(key, skill);
      else if (other.dir !== skill.dir) {
        const message = `${hostName} reads ${skill.name} twice: ${other.dir} and ${skill.dir}`;
        checks.push(finding("skills", message, `remove one: jig skills uninstall ${skill.name} --host HOST`));
      }
    }
  }
  return checks;
}
