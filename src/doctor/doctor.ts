import type { Host } from "../kernel/call/host.ts";
import type { Outcome, Terminal } from "../kernel/call/outcome.ts";
import { printable } from "../kernel/text/printable.ts";
import type { Examine } from "./check.ts";
import { examineAgent } from "./checks/agent.ts";
import { examineBinary, examinePath } from "./checks/binary.ts";
import { examineDemos } from "./checks/demos.ts";
import { examineDropInNames } from "./checks/drop-in-names.ts";
import { examineEnvironment } from "./checks/environment.ts";
import { examineFlow } from "./checks/flow.ts";
import { examineGit } from "./checks/git.ts";
import { examineHostTools } from "./checks/host-tools.ts";
import { examineJobs } from "./checks/jobs.ts";
import { examineManifests } from "./checks/manifests.ts";
import { examineServers } from "./checks/servers.ts";
import { examineSkills } from "./checks/skills.ts";
import { examineTempRoots } from "./checks/temp-roots.ts";
import type { Check, DoctorReport } from "./schema.ts";

const EXAMINATIONS: readonly Examine[] = [
  examineBinary,
  examinePath,
  examineAgent,
  examineGit,
  examineTempRoots,
  examineJobs,
  examineServers,
  examineDemos,
  examineSkills,
  examineManifests,
  examineFlow,
  examineDropInNames,
  examineEnvironment,
  examineHostTools,
];

/** Run every check (docs/spec/cli.md section 5). Exit 1 when one has a finding. */
export async function doctor(host: Host): Promise<Outcome<DoctorReport>> {
  const checks: Check[] = [];
  for (const examine of EXAMINATIONS) checks.push(...(await examine(host)));
  const findings = checks.filter((check) => check.level === "finding").length;
  return {
    data: { checks, findings },
    text: (terminal) => render(checks, findings, terminal),
    exitCode: findings > 0 ? 1 : 0,
  };
}

const MARKS = { ok: "ok  ", note: "note", finding: "BAD " } as const;
const COLOURS = { ok: 32, note: 33, finding: 31 } as const;

function render(checks: readonly Check[], findings: number, terminal: Terminal): string {
  const width = Math.max(...checks.map((check) => check.check.length));
  const lines = checks.flatMap((check) => {
    const mark = MARKS[check.level];
    const shown = terminal.colour ? `\u001b[${COLOURS[check.level]}m${mark}\u001b[39m` : mark;
    const line = `${shown}  ${check.check.padEnd(width)}  ${printable(check.message)}`;
    return check.mend === null
      ? [line]
      : [line, `${" ".repeat(6 + width + 2)}mend: ${printable(check.mend)}`];
  });
  const summary =
    findings === 0 ? "nothing is wrong" : `${findings} ${findings === 1 ? "finding" : "findings"}`;
  return `${lines.join("\n")}\n${summary}\n`;
}
