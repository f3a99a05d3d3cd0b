import { lstatSync } from "node:fs";
import { join } from "node:path";
import { EXIT, JigError } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { requireRepository } from "../kernel/config/docs-root.ts";
import {
  CONFIG_DIRECTORY,
  type Config,
  type Layer,
  type ParsedLayer,
  parseLayer,
  readConfig,
} from "../kernel/config/layers.ts";
import { refusalHint } from "../kernel/repository/repository.ts";
import { printable } from "../kernel/text/printable.ts";
import { combinedFindings, type Finding, layerFindings } from "./findings.ts";
import type { ConfigCheck } from "./schema.ts";

const OBSOLETE_FILE = "compound-engineering.local.md";

/** `config check` (docs/spec/config.md 5.4): what is wrong in either layer. Exit 1 when there are errors; changes nothing. */
export async function checkConfig(host: Host): Promise<Outcome<ConfigCheck>> {
  const config = await readConfig(host);
  if (config.repository.root === undefined) {
    const hint = refusalHint(config.repository);
    const advice = hint === undefined ? "" : ` (${hint})`;
    return report(null, [], [note(`not inside a git repository; there is nothing to check${advice}`)]);
  }
  const root = requireRepository(config);
  const layers = [config.repo!, config.local!];
  const states = await gitStates(host, root, config);
  const findings: Finding[] = [];
  const parsed: ParsedLayer[] = [];
  for (const layer of layers) {
    try {
      parsed.push(await parseLayer(layer));
    } catch (error) {
      findings.push(unreadable(layer, error));
    }
  }
  const both = {
    repo: parsed.find((layer) => layer.name === "config.yaml"),
    local: parsed.find((layer) => layer.name === "config.local.yaml"),
  };
  for (const layer of parsed) findings.push(...layerFindings(layer, both));
  findings.push(...combinedFindings(root, both));
  if (states.local.tracked) {
    const message =
      "is tracked by git, so it is no longer this checkout's own; git rm --cached it and ignore it";
    findings.push({ level: "warning", file: "config.local.yaml", line: null, key: null, message });
  }
  if (lstatSync(join(root, OBSOLETE_FILE), { throwIfNoEntry: false }) !== undefined) {
    const message = `is obsolete and not read; move its settings to ${CONFIG_DIRECTORY}/config.local.yaml`;
    findings.push({ level: "error", file: OBSOLETE_FILE, line: null, key: null, message });
  }
  const exists = (layer: Layer) => layer.bytes !== undefined || layer.problem !== undefined;
  if (!layers.some(exists))
    findings.push(note(`no config files; ${CONFIG_DIRECTORY}/config.yaml would be the team's`));
  const described = layers.map((layer, index) => ({
    name: layer.name,
    path: layer.path,
    exists: exists(layer),
    ...(index === 0 ? states.repo : states.local),
  }));
  return report(root, described, findings);
}

function unreadable(layer: Layer, error: unknown): Finding {
  if (!(error instanceof JigError)) throw error;
  const message = error.message.replace(`${layer.path}: `, "");
  return { level: "error", file: layer.name, line: null, key: null, message };
}

function note(message: string): Finding {
  return { level: "info", file: null, line: null, key: null, message };
}

interface GitState {
  tracked: boolean | null;
  ignored: boolean | null;
}

/** What git knows of the two files; nothing without git. */
async function gitStates(
  host: Host,
  root: string,
  config: Config,
): Promise<{ repo: GitState; local: GitState }> {
  if (config.repository.git === "missing") {
    const unknown = { tracked: null, ignored: null };
    return { repo: unknown, local: unknown };
  }
  const { git, gitRecords } = await import("../kernel/repository/git.ts");
  const names = [`${CONFIG_DIRECTORY}/config.yaml`, `${CONFIG_DIRECTORY}/config.local.yaml`] as const;
  const [tracked, ignored] = await Promise.all([
    git(host, ["ls-files", "-z", "--", ...names], { cwd: root }),
    git(host, ["check-ignore", "-z", "--stdin"], { cwd: root, input: names.join("\0") }),
  ]);
  const isIn = (stdout: Uint8Array, name: string) => gitRecords(stdout).includes(name);
  const state = (name: string) => ({
    tracked: isIn(tracked.stdout, name),
    ignored: isIn(ignored.stdout, name),
  });
  return { repo: state(names[0]), local: state(names[1]) };
}

function report(
  root: string | null,
  layers: ConfigCheck["layers"],
  unsorted: readonly Finding[],
): Outcome<ConfigCheck> {
  const findings = [...unsorted].sort((a, b) => fileOrder(a) - fileOrder(b) || (a.line ?? 0) - (b.line ?? 0));
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings] = [count("error"), count("warning")];
  const lines = findings.map(({ level, file, line, message }) => {
    const place = file === null ? "" : line === null ? `${file}: ` : `${file}:${line}: `;
    return `${place}${level}: ${printable(message)}`;
  });
  return {
    data: { repo_root: root, layers, findings, errors, warnings },
    text: [...lines, `config: ${errors} errors, ${warnings} warnings`].join("\n"),
    exitCode: errors > 0 ? EXIT.failed : EXIT.done,
  };
}

function fileOrder({ file }: Finding): number {
  return file === "config.yaml" ? 0 : file === "config.local.yaml" ? 1 : 2;
}
