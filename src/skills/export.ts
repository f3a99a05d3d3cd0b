import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { JigError, osReason, UsageError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { resolveReal } from "../kernel/files/contain.ts";
import { backupNotes } from "./installed/apply.ts";
import { backUp } from "./installed/backup.ts";
import { makeManifest } from "./installed/manifest.ts";
import { type Done, reportOf } from "./installed/report.ts";
import { writeFiles, writeNew } from "./installed/write.ts";
import type { Report, Result } from "./schema.ts";
import { chosenSkills } from "./source/names.ts";
import { choosePrefix, prefixNotes } from "./source/prefix.ts";
import { type RenderChoice, renderSkill } from "./source/render.ts";
import type { Shipment, Skill } from "./source/shipment.ts";

export interface ExportOptions {
  directory: string;
  names: readonly string[];
  bin: readonly string[];
  portable: boolean;
  raw: boolean;
  strict: boolean;
  force: boolean;
}

/** Write skills for packaging: a plugin repository, an archive, a marketplace (docs/spec/skills.md 4.5). */
export function exportSkills(host: Host, shipped: Shipment, options: ExportOptions): Outcome<Report> {
  if (options.raw && (options.bin.length > 0 || options.portable || options.strict)) {
    throw new UsageError("--raw keeps the source as it is; it excludes --bin, --portable and --strict");
  }
  const skills = chosenSkills(shipped, options.names);
  const prefix = choosePrefix({ ...options, byDefault: "portable" }, host, shipped);
  const choice: RenderChoice = {
    prefix,
    extras: ["argument-hint"],
    strict: options.strict,
    allowReadonly: false,
  };
  const directory = resolveReal(resolve(host.cwd, options.directory));
  const done = skills.map((skill) =>
    exportOne(skill, join(directory, skill.name), choice, options, host, shipped.version),
  );
  return reportOf(done, prefixNotes(prefix, host, shipped.version), false);
}

function exportOne(
  skill: Skill,
  directory: string,
  choice: RenderChoice,
  options: ExportOptions,
  host: Host,
  version: string,
): Done {
  const { name } = skill;
  const result = (action: Result["action"], notes: string[], backup: string | null = null): Done => ({
    result: {
      action,
      name,
      dir: directory,
      hosts: [],
      state: backup === null ? "absent" : "foreign",
      backup,
      files: [],
    },
    notes,
  });
  let backup: string | null = null;
  try {
    const content = contentOf(directory);
    if (content === "other") return result("failed", [`${name}: ${directory} is not a directory`]);
    if (content === "something") {
      if (!options.force) {
        return result("failed", [`${name}: ${directory} is not empty; --force replaces it after a backup`]);
      }
      backup = backUp(directory, name, host);
      rmSync(directory, { recursive: true });
    }
    if (options.raw) writeFiles(directory, skill.files);
    else {
      const files = renderSkill(skill, choice, { version });
      writeNew(directory, files, makeManifest(skill, files, { ...choice, agents: [] }, version, host.now()));
    }
  } catch (error) {
    const why = error instanceof JigError ? error.message : `${directory}: ${osReason(error)}`;
    return result("failed", backupNotes(name, backup, [`${name}: ${why}`]), backup);
  }
  return result("exported", backupNotes(name, backup), backup);
}

function contentOf(directory: string): "nothing" | "something" | "other" {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (stat === undefined) return "nothing";
  if (!stat.isDirectory()) return "other";
  return readdirSync(directory).length === 0 ? "nothing" : "something";
}
