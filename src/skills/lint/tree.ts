import type { Finding } from "../schema.ts";
import { ENTRY_FILE } from "../source/shipment.ts";

/** One skill as the lint sees it. */
export interface Tree {
  /** The directory's name. */
  name: string;
  /** Path as printed before `SKILL.md` and the others: `skills/jig-show`. */
  root: string;
  /** Text per path below the skill's root, sorted by path; undefined for what is no readable text. */
  files: ReadonlyMap<string, string | undefined>;
  /** How command lines begin: `{{JIG}}` in a source, the recorded prefix in an installed text. */
  prefix: string;
  /** Whether placeholders are still in place. */
  source: boolean;
  /** A skill of jig's, held to jig's rules; any other one is held to the Agent Skills specification alone. */
  ours: boolean;
  /** Where the byte limit of `SKILL.md` ends: stricter for what is embedded. */
  limits: { entryBytes: number; entryBytesWarning: number };
}

const ENTRY_NAME = /^skill\.md$/i;

/** The name of a tree's entry file as it is written there; undefined when it has none. */
export function entryOf(tree: Pick<Tree, "files">): string | undefined {
  if (tree.files.has(ENTRY_FILE)) return ENTRY_FILE;
  return [...tree.files.keys()].find((path) => isEntryName(path));
}

/** `SKILL.md` in any case. */
export function isEntryName(name: string): boolean {
  return ENTRY_NAME.test(name);
}

/** Where a rule reports what it found. */
export interface Sink {
  error(file: string, line: number, rule: string, message: string): void;
  warning(file: string, line: number, rule: string, message: string): void;
}

export function sinkFor(tree: Tree, findings: Finding[]): Sink {
  const add =
    (severity: Finding["severity"]) => (file: string, line: number, rule: string, message: string) =>
      void findings.push({
        path: file === "" ? tree.root : `${tree.root}/${file}`,
        line,
        severity,
        rule,
        message,
      });
  return { error: add("error"), warning: add("warning") };
}
