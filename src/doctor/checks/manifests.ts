import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { finding, note, ok } from "../check.ts";
import { decodeJson } from "../nested.ts";
import type { Check } from "../schema.ts";

const NAME = "craft manifests";

/** Named configs looked at. */
const MOST = 20;

/** The manifests of this directory, and whether a delivery run resolves with each (docs/spec/craft-engine.md 5.7). */
export async function examineManifests(host: Host): Promise<Check[]> {
  const lint = await host.run(["craft", "manifest-lint", "--json"]);
  const { status, path } = decodeJson<{ status: string; path: string }>(lint.stdout);
  const detected = await host.run(["craft", "detect", "--json"]);
  const { existingNames } = decodeJson<{ existingNames: string[] }>(detected.stdout);
  const names = existingNames.slice(0, MOST);
  if (status === "no-manifest" && names.length === 0) {
    return [note(NAME, `none here: a delivery run has pure defaults; jig craft init NAME writes one`)];
  }
  const runs: [what: string, words: string[]][] = names.map((name) => [`config ${name}`, ["--config", name]]);
  if (status !== "no-manifest") runs.unshift([path, []]);
  const checks: Check[] = [];
  for (const [what, words] of runs) {
    const { exitCode, stderr } = await host.run(["craft", "resolve", ...words]);
    if (exitCode === 0) continue;
    const lines = stderr.trimEnd().split("\n");
    const why = lines.find((line) => /^\s*- /.test(line)) ?? lines[0] ?? "";
    const mend = ["jig craft explain", ...words].join(" ");
    checks.push(finding(NAME, `${what} is refused: ${printable(why.replace(/^\s*- /, ""))}`, mend));
  }
  return checks.length > 0 ? checks : [ok(NAME, `${runs.length} here, each resolves`)];
}
