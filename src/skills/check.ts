import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { JigError, osReason } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { isRealDirectory } from "../kernel/files/look.ts";
import { decodeUtf8, Refused, readOwnedFile } from "../kernel/files/owned-file.ts";
import { counted } from "../kernel/text/count.ts";
import { printable } from "../kernel/text/printable.ts";
import { readManifest, textHash } from "./installed/manifest.ts";
import { allFiles, isTemporary } from "./installed/state.ts";
import { briefOf } from "./lint/briefs.ts";
import { checkCommands, checkPreflight } from "./lint/commands.ts";
import { readMarkdown } from "./lint/markdown.ts";
import { checkMatter } from "./lint/matter.ts";
import { checkPromises } from "./lint/promises.ts";
import { checkReferences } from "./lint/references.ts";
import {
  ALL_DESCRIPTIONS,
  checkSizes,
  ENTRY_LIMIT,
  INSTALLED_ENTRY_LIMIT,
  LONGEST_DESCRIPTION,
} from "./lint/sizes.ts";
import { entryOf, isEntryName, type Sink, sinkFor, type Tree } from "./lint/tree.ts";
import { checkLastLine, checkWords } from "./lint/words.ts";
import type { Finding, Manifest } from "./schema.ts";
import { chosenSkills } from "./source/names.ts";
import { renderPrefix } from "./source/prefix.ts";
import { ENTRY_FILE, fullName, type Shipment } from "./source/shipment.ts";

export interface CheckOptions {
  names: readonly string[];
  dir: string | undefined;
  strict: boolean;
}

/** Lint the embedded skills, or a tree on disk (docs/spec/skills.md section 8). */
export async function check(
  host: Pick<Host, "cwd" | "parse">,
  shipped: Shipment,
  options: CheckOptions,
): Promise<Outcome<Finding[]>> {
  const findings: Finding[] = [];
  const trees =
    options.dir === undefined ? embedded(shipped, options.names) : onDisk(host, options, findings);
  const descriptions: { tree: Tree; text: string }[] = [];
  for (const tree of trees) {
    const description = await checkTree(tree, host, findings);
    if (description !== undefined) descriptions.push({ tree, text: description });
  }
  checkDescriptions(descriptions, findings);
  findings.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  const bad = findings.some(({ severity }) => severity === "error" || options.strict);
  return {
    data: findings,
    text:
      findings
        .map(
          ({ path, line, severity, rule, message }) =>
            printable(`${path}:${line}: ${severity} ${rule}: ${message}`) + "\n",
        )
        .join("") + verdict(findings, bad),
    notes: trees.length === 0 ? [`note: no skill directory in ${options.dir ?? "this jig"}`] : [],
    exitCode: bad ? 1 : 0,
  };
}

/** What the exit code says, for hosts that do not show it. */
function verdict(findings: readonly Finding[], bad: boolean): string {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return `${bad ? "fail" : "pass"}: ${counted(errors, "error")}, ${counted(findings.length - errors, "warning")}\n`;
}

function embedded(shipped: Shipment, names: readonly string[]): Tree[] {
  return chosenSkills(shipped, names).map((skill) => ({
    name: skill.name,
    root: `skills/${skill.name}`,
    files: new Map(skill.files.map((file) => [file.path, file.text])),
    prefix: "{{JIG}}",
    source: true,
    ours: true,
    limits: { entryBytes: ENTRY_LIMIT, entryBytesWarning: ENTRY_LIMIT },
  }));
}

async function checkTree(
  tree: Tree,
  host: Pick<Host, "parse">,
  findings: Finding[],
): Promise<string | undefined> {
  const sink = sinkFor(tree, findings);
  const matter = await checkMatter(tree, sink);
  checkReferences(tree, sink);
  checkSizes(tree, sink);
  if (!tree.ours) return undefined;
  for (const [file, text] of tree.files) {
    if (text === undefined) continue;
    if (text.startsWith("\ufeff") && !isEntryName(file)) sink.error(file, 1, "S001", "a byte-order mark");
    const markdown = readMarkdown(text);
    checkWords(tree, file, text, markdown, sink);
    const commands = await checkCommands(tree, file, markdown, host, sink);
    if (file === ENTRY_FILE) {
      if (matter !== undefined) checkPreflight(tree, commands, matter.api, sink);
      checkLastLine(text, sink);
    }
  }
  // An installed copy is held to its manifest instead: it may be of another version.
  const brief = tree.source ? briefOf(tree.name) : undefined;
  if (brief !== undefined) checkPromises(tree, brief, sink);
  return matter?.description;
}

/** Rule S012: what every session of every agent pays for. */
function checkDescriptions(descriptions: readonly { tree: Tree; text: string }[], findings: Finding[]): void {
  const report = (tree: Tree, message: string) =>
    sinkFor(tree, findings).error(ENTRY_FILE, 1, "S012", message);
  let sum = 0;
  for (const { tree, text } of descriptions) {
    const length = [...text].length;
    sum += length;
    if (length > LONGEST_DESCRIPTION)
      report(tree, `description of ${length} characters; at most ${LONGEST_DESCRIPTION}`);
  }
  const first = descriptions[0];
  if (first !== undefined && sum > ALL_DESCRIPTIONS) {
    report(first.tree, `all descriptions together have ${sum} characters; at most ${ALL_DESCRIPTIONS}`);
  }
}

const LARGEST_TEXT = 1024 * 1024;

/** The skill directories of a tree: those with an entry file or a manifest, or the named ones. */
function onDisk(host: Pick<Host, "cwd">, options: CheckOptions, findings: Finding[]): Tree[] {
  const given = options.dir!;
  const directory = resolve(host.cwd, given);
  // A skill of somebody else's is found under its own name, one of jig's also by its id.
  const named = options.names.map((name) => (isRealDirectory(join(directory, name)) ? name : fullName(name)));
  return (named.length > 0 ? named : subdirectories(directory)).map((name) => {
    const root = join(given, name);
    const path = join(directory, name);
    if (!isRealDirectory(path)) throw new JigError(`${root} is not a directory`);
    const reading = readManifest(path, name);
    const manifest = reading.kind === "valid" ? reading.manifest : undefined;
    const files = readTree(path, manifest);
    const tree: Tree = {
      name,
      root,
      files,
      prefix: manifest === undefined ? PLACEHOLDER : renderPrefix(manifest.render.command),
      source: manifest === undefined,
      ours: manifest !== undefined || isOurSource(files),
      limits: { entryBytes: INSTALLED_ENTRY_LIMIT, entryBytesWarning: ENTRY_LIMIT },
    };
    if (manifest !== undefined) checkAgainstManifest(tree, manifest, sinkFor(tree, findings));
    return tree;
  });
}

const PLACEHOLDER = "{{JIG}}";

/** A text with jig's placeholder in it, or that declares jig's API. */
function isOurSource(files: ReadonlyMap<string, string | undefined>): boolean {
  const text = files.get(entryOf({ files }) ?? ENTRY_FILE) ?? "";
  return text.includes(PLACEHOLDER) || /^\s+jig-api:/m.test(text);
}

function subdirectories(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => isRealDirectory(join(directory, name)))
      .filter(
        (name) =>
          readdirSync(join(directory, name)).some(isEntryName) ||
          readManifest(join(directory, name), name).kind === "valid",
      )
      .sort();
  } catch (error) {
    throw new JigError(`cannot read ${directory}: ${osReason(error)}`);
  }
}

/** The files of an installed skill are the manifest's; what a user added is not linted. */
function readTree(directory: string, manifest: Manifest | undefined): Map<string, string | undefined> {
  const paths = manifest === undefined ? allFiles(directory) : Object.keys(manifest.files).sort();
  const files = new Map<string, string | undefined>();
  for (const path of paths) {
    if (isTemporary(path)) continue;
    if (manifest === undefined && !/\.md$/i.test(path)) {
      // A script or a picture: its name counts, its content is not for the lint.
      files.set(path, undefined);
      continue;
    }
    try {
      files.set(
        path,
        decodeUtf8(readOwnedFile(join(directory, path), { uid: undefined, maxBytes: LARGEST_TEXT })),
      );
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.reason !== "absent") files.set(path, undefined);
    }
  }
  return files;
}

/** Rule S040: an installed file is what the manifest says. */
function checkAgainstManifest(tree: Tree, manifest: Manifest, sink: Sink): void {
  for (const [path, { sha256 }] of Object.entries(manifest.files)) {
    const text = tree.files.get(path);
    if (text === undefined) sink.error(path, 1, "S040", "missing, or not a readable file");
    else if (textHash(text) !== sha256) sink.error(path, 1, "S040", "differs from the manifest");
  }
}
