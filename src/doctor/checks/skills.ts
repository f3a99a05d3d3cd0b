import { dirname, isAbsolute } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { shellWord } from "../../kernel/text/shell-word.ts";
import { buildInfo } from "../../runtime/build-info.ts";
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

/** What a state of docs/spec/skills.md 6.2 means to a person; `current` is not worth a line. */
const STATES: Record<string, { says: string; mend?: (skill: Installed) => string }> = {
  modified: { says: "was edited; an update keeps the edits" },
  foreign: { says: "was not installed by jig" },
  stale: { says: "is out of date", mend: (skill) => atItsPlace("update", skill) },
  newer: { says: "was installed by a newer jig", mend: () => "update jig, or run that newer jig" },
  orphaned: {
    says: "is not a skill of this jig any more",
    mend: (skill) => atItsPlace("uninstall", skill),
  },
  unreadable: { says: "cannot be read", mend: ({ dir }) => `look at the permissions of ${shellWord(dir)}` },
};

/** A verb of jig skills for this very copy: without a place it would look in the user's directories alone. */
function atItsPlace(verb: "update" | "uninstall", { name, dir }: Installed): string {
  return `jig skills ${verb} --dir ${shellWord(dirname(dir))} ${name}`;
}

/** Installed skills: their states, binaries that are gone, the same skill read twice by one host (docs/spec/skills.md 14). */
export async function examineSkills(host: Host): Promise<Check[]> {
  const result = await host.run(["skills", "list", "--installed", "--json"]);
  if (result.exitCode !== 0) {
    const [why, hint] = result.stderr.trim().split("\nhint: ");
    return [finding("skills", `jig skills list fails: ${why}`, hint ?? "jig skills list --installed")];
  }
  const installed = decodeJson<Installed[]>(result.stdout);
  if (installed.length === 0) return [note("skills", "none installed; jig skills install does it")];
  const checks = [...installed.flatMap((skill) => examineOne(skill, host)), ...duplicates(installed)];
  return checks.length > 0 ? checks : [ok("skills", `${installed.length} installed, all current`)];
}

function examineOne(skill: Installed, host: Host): Check[] {
  const checks: Check[] = [];
  const where = `${skill.name} in ${skill.dir}`;
  if (skill.command.length > 0 && !skill.command_found) checks.push(unreachable(skill, where, host));
  const version = skill.version === null ? "" : ` (version ${skill.version})`;
  const view = STATES[skill.state];
  if (view === undefined) return checks;
  const message = `${where} ${view.says}${version}`;
  checks.push(
    view.mend === undefined ? note("skills", message) : finding("skills", message, view.mend(skill)),
  );
  return checks;
}

/** The program a skill's commands begin with does not exist: a path that is gone, or a bare name not on PATH. */
function unreachable(skill: Installed, where: string, { platform }: Host): Check {
  const [program] = skill.command;
  if (!isAbsolute(program!)) {
    const jig = shellWord(buildInfo().executable, platform);
    const mend =
      platform === "win32"
        ? `put a copy of ${jig} there, as ${program}.exe`
        : `put it there: ln -s ${jig} ~/.local/bin/${program} (a directory of PATH)`;
    return finding("skills", `${where} calls ${program} by its bare name, which is not on PATH`, mend);
  }
  // Edits would make update keep the file; --force backs them up.
  const mend = atItsPlace("update", skill) + (skill.state === "modified" ? " --force" : "");
  return finding("skills", `${where} calls a jig that is gone: ${skill.command.join(" ")}`, mend);
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
        checks.push(finding("skills", message, `remove one: ${atItsPlace("uninstall", skill)}`));
      }
    }
  }
  return checks;
}
