import type { GenericSchema } from "valibot";
import type { LazyVerb } from "./command.ts";

/** The headings of the overview, in its order. */
export const THEMES = [
  "Decide where files go and what applies",
  "Run work outside the conversation",
  "Show a page, bring the comments back",
  "Equip an agent",
  "About jig",
] as const;

export type Theme = (typeof THEMES)[number];

/**
 * All a room brings, said once, in `src/<room>/room.ts`; the command tree, schemas, drop-in names, completions, chunks and
 * lint follow from it. The file's default export is a function that returns it: it is in the chunk that every call loads, and
 * what is inside a function costs nothing until it is asked for.
 */
export interface Room extends LazyVerb {
  /** The word after `jig`. */
  name: string;
  /** The heading it stands under in the overview. */
  theme: Theme;
  /** Its file formats and `--json` results, for `jig schema`. */
  schemas?(): Promise<{ readonly schemas: Readonly<Record<string, GenericSchema>> }>;
  /** The upstream names it answers to, with their extension: `manifest-lint.js` and `manifest-lint.sh` are two. */
  dropInNames?: Readonly<Record<string, DropInName>>;
  /** Kinds of words it completes, for `completes` of flags and positionals. */
  completes?: Readonly<Record<string, CompletionList>>;
  /** Modules that its most called commands need, below its folder: the build puts them into one chunk. */
  core?: readonly string[];
}

/** A jig command that lists values, piped: tab-separated lines without a header. */
export interface CompletionList {
  /** Without `jig`: `job list --no-header`. */
  command: string;
  /** The column that holds the value, counted from 1. */
  column: number;
}

/** What an upstream name means (docs/spec/cli.md section 3): a jig command, and in what it differs from it. */
export interface DropInName {
  /** The words the caller's follow: `["job"]`. */
  words: readonly string[];
  /** What errors begin with, where a command has no prefix of its own; the name without extension and `: ` if absent. */
  prefix?: string;
  /** The only flags the name has (without dashes). */
  only?: readonly string[];
  /** Flags the name does not have. */
  without?: readonly string[];
  /** Flags that are always set, whatever the caller says: `{ json: true }`. */
  fixed?: Readonly<Record<string, string | number | true>>;
  /** Flags and positionals (`PIPELINE`) that may not be missing. */
  requires?: readonly string[];
  /** `unknown-flag`: the name has no help, `--help` and `-h` are unknown flags. */
  help?: "unknown-flag";
  /** `ignored`: flags the name does not have, and arguments beyond its positionals, count for nothing. */
  unknown?: "ignored";
  /** The form of its JSON: indented by two, or with the bytes of Python's `json.dumps`. */
  json?: JsonForm;
  /** Verbs that need no working directory: a launcher runs them from `/` when the caller's is gone. */
  anywhere?: readonly string[];
  /** For a name whose words must be rewritten. */
  translate?(): Promise<{ readonly translate: Translate }>;
}

export type JsonForm = "indented" | "python";

/** The caller's words as those of the mapped command, or what is wrong with them (exit 2). */
export type Translate = (
  words: readonly string[],
) => { words: readonly string[]; json?: JsonForm } | { usage: string };
