import type { Host } from "../../src/kernel/call/host.ts";
import { install } from "../../src/skills/install.ts";
import type { Report } from "../../src/skills/schema.ts";
import type { Shipment, Skill } from "../../src/skills/source/shipment.ts";
import { uninstall } from "../../src/skills/uninstall.ts";
import { update } from "../../src/skills/update.ts";
import { testHost } from "../support/host.ts";

/** A skill of a made-up jig: a front matter in the sources' form, and the given files. */
export function makeSkill(name: string, files: Record<string, string>, body = "Body.\n", api = 1): Skill {
  const entry = [
    "---",
    `name: "${name}"`,
    'description: "For a test."',
    'license: "MIT"',
    'compatibility: "Any."',
    'argument-hint: "[words]"',
    "metadata:",
    `  jig-api: "${api}"`,
    '  jig-version: "{{JIG_VERSION}}"',
    "---\n",
    body,
  ].join("\n");
  const all = { "SKILL.md": entry, ...files };
  return {
    name,
    id: name.replace(/^jig-/, ""),
    files: Object.entries(all).map(([path, text]) => ({ path, text })),
  };
}

export function makeShipment(version: string, skills: Skill[]): Shipment {
  return { version, executable: "/opt/tools/jig", skills };
}

/** The three writers of skill directories as one jig of a version would run them, on one destination. */
export function jigOf(shipped: Shipment, home: string, directory: string) {
  const host: Host = testHost({ cwd: home, home, env: { PATH: "/nowhere" } });
  const where = { host: [], scope: undefined, dir: directory, names: [], dryRun: false };
  const results = (report: { data: Report }) => report.data.results;
  return {
    install: async (force = false) =>
      results(
        await install(host, shipped, {
          ...where,
          force,
          bin: [],
          portable: false,
          strict: false,
          allowReadonly: false,
        }),
      ),
    update: async (force = false) => results(await update(host, shipped, { ...where, force })),
    uninstall: async (force = false) => results(await uninstall(host, shipped, { ...where, force })),
  };
}
