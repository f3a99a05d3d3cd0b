import { join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { git } from "../../kernel/repository/git.ts";
import { jsonText } from "../../kernel/text/printable.ts";
import { type YamlMap, type YamlNode, yamlEntry } from "../../kernel/yaml/yaml.ts";
import { absolutePath } from "../common/input.ts";
import { readManifest } from "../manifest/read.ts";
import { ecosystemOf, makeTargets, packageScripts, testCommandOf } from "./ecosystem.ts";
import { lookIn, namesIn } from "./look.ts";
import type { Capabilities } from "./schema.ts";

export interface DetectOptions {
  /** The working directory unless given. */
  directory: string | undefined;
  /** Print only the command that runs the tests. */
  testCommand: boolean;
  /** The full report is wanted: exit 0 even when nothing was found. */
  json: boolean;
}

/** Tell a directory's ecosystem, its test command, or everything that is known of it. */
export async function detect(host: Host, options: DetectOptions): Promise<Outcome> {
  const directory = absolutePath(host, options.directory || ".");
  const look = lookIn(directory);
  if (options.testCommand) {
    const command = testCommandOf(look);
    return {
      data: { testCmd: command ?? null },
      text: command ?? "",
      exitCode: command === undefined ? 1 : 0,
    };
  }
  if (options.json) {
    const data = await capabilities(host, directory);
    const text = `${jsonText(data, 2)}\n`;
    return { data, text, json: text };
  }
  const ecosystem = ecosystemOf(look)?.ecosystem;
  return { data: null, text: ecosystem ?? "", exitCode: ecosystem === undefined ? 1 : 0 };
}

/** The whole capability report; nothing is run but `git remote`. */
export async function capabilities(host: Host, directory: string): Promise<Capabilities> {
  const look = lookIn(directory);
  const found = ecosystemOf(look);
  const manifests = namesIn(join(directory, ".claude")).filter(isManifestName);
  return {
    ecosystem: found?.ecosystem ?? null,
    lockfile: found?.file ?? null,
    testCmd: testCommandOf(look) ?? null,
    hasRemote: await hasRemote(host, directory),
    harnessTechniques: [
      ...new Set([
        ...KNOWN_TECHNIQUES.filter((id) => Object.hasOwn(packageScripts(look) ?? {}, id)),
        ...makeTargets(look).filter((target) => KNOWN_TECHNIQUES.includes(target)),
        ...(await declaredTechniques(host, directory, manifests)),
      ]),
    ].sort(),
    existingNames: manifests.flatMap((name) => /^craft-(.+)\.md$/.exec(name)?.[1] ?? []),
  };
}

const KNOWN_TECHNIQUES = [
  "lint",
  "typecheck",
  "type-check",
  "format-check",
  "boundary-check",
  "arch",
  "mutation",
];

function isManifestName(name: string): boolean {
  return name === "workflow.md" || /^craft-.+\.md$/.test(name);
}

async function hasRemote(host: Host, directory: string): Promise<boolean> {
  try {
    const result = await git(host, ["remote"], { cwd: directory });
    return result.exitCode === 0 && result.stdout.length > 0;
  } catch {
    // No git, or not a repository: no remote is known.
    return false;
  }
}

async function declaredTechniques(
  host: Host,
  directory: string,
  names: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const read = await readManifest(host, join(directory, ".claude", name), "resolve");
    if (read.kind === "map") ids.push(...techniqueIds(read.map));
  }
  return ids;
}

function techniqueIds(manifest: YamlMap): string[] {
  const phases = yamlEntry(manifest, "phases")?.value;
  if (phases?.kind !== "map") return [];
  return phases.entries.flatMap(({ value }) => {
    const list = child(child(value, "harness"), "techniques");
    if (list?.kind !== "list") return [];
    return list.items.flatMap((item) => {
      const id = child(item, "id");
      return id?.kind === "scalar" && typeof id.value === "string" && id.value !== "" ? [id.value] : [];
    });
  });
}

function child(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return node === undefined ? undefined : yamlEntry(node, key)?.value;
}
