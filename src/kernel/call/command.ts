import type { Host } from "./host.ts";
import type { Outcome, Writer } from "./outcome.ts";

/** A switch: present or not. */
export interface BooleanFlag {
  type: "boolean";
  summary: string;
  short?: string;
  /** Accepted but left out of help and completions. */
  hidden?: boolean;
}

/**
 * What completes a word: names of files or directories, or the values a room lists (`Room.completes`): `job`, `skill`.
 */
export type Completion = string;

/** A flag with a value, given as `--flag value` or `--flag=value`. */
export interface StringFlag {
  type: "string";
  /** The value's name in help: `DIR`, `SECONDS`. */
  value: string;
  summary: string;
  short?: string;
  required?: boolean;
  /** An empty value counts as none given. */
  emptyIsNone?: true;
  /** May be given several times; the values are an array. */
  repeat?: boolean;
  /** The only values accepted. */
  choices?: readonly string[];
  /** Shown in help. It is not applied by the parser: the verb decides, so it can tell "not given" from "given". */
  default?: string;
  hidden?: boolean;
  completes?: Completion;
}

/** A flag whose value is a number in a range; the verb gets the number. Digits only, unless `syntax` says more. */
export interface NumberFlag {
  type: "number";
  /** The value's name in help: `N`, `SECONDS`. */
  value: string;
  summary: string;
  short?: string;
  required?: boolean;
  /** Whole numbers only. */
  integer?: true;
  /** The least value accepted. */
  min?: number;
  /** Accepted values are larger than this one. */
  above?: number;
  /** The largest value accepted. */
  max?: number;
  /** What is counted, for messages: `seconds`, `bytes`. */
  unit?: string;
  /** Words accepted instead of a number: `none`. */
  words?: readonly string[];
  /** Also what Python's `int` and `float` take, where callers of upstream may rely on it: blanks, `+`, exponents. */
  syntax?: "python";
  /** Shown in help; the verb applies it. */
  default?: string;
  hidden?: boolean;
}

export type Flag = BooleanFlag | StringFlag | NumberFlag;
export type Flags = Record<string, Flag>;

export interface Positional {
  /** Upper case in help: `REF`, `TASK_NAME`. */
  name: string;
  summary: string;
  required?: boolean;
  /** Takes all the remaining words; only the last positional may repeat. */
  repeat?: boolean;
  choices?: readonly string[];
  completes?: Completion;
}

export type FlagValue<F extends Flag> = F extends BooleanFlag
  ? boolean
  : F extends NumberFlag
    ? NumberValue<F> | (F extends { required: true } ? never : undefined)
    : F extends { repeat: true }
      ? string[]
      : F extends { required: true }
        ? string
        : string | undefined;

type NumberValue<F extends NumberFlag> = F extends { words: readonly (infer Word)[] }
  ? number | Word
  : number;

/** The words of one call after strict parsing. */
export interface Args<F extends Flags = Flags> {
  flags: { [K in keyof F]: FlagValue<F[K]> } & { json: boolean };
  /** In the order of the declaration; a repeating one contributes every word. */
  positionals: string[];
  /** The words after the first bare `--`; undefined when there was none. Only with `rest`. */
  rest: string[] | undefined;
  /** Every word before `--` as it was given, for a command where the order of flags counts. */
  words: readonly string[];
}

export interface Example {
  command: string;
  /** What it does, a short phrase. */
  explains: string;
}

export interface CommandBase<F extends Flags> {
  /** The whole name: `job start`. */
  name: string;
  /** One line of purpose, sentence case, no full stop. */
  summary: string;
  flags: F;
  positionals?: readonly Positional[];
  /** Words after a bare `--`, which are data. Without it they are positionals. */
  rest?: { name: string; summary: string; required?: boolean };
  /** Exit codes other than the usual 0, 1 and 2, or with a more exact meaning; null: this one does not happen. */
  exitCodes?: readonly (readonly [number, string | null])[];
  examples: readonly Example[];
  /** More paragraphs for help. */
  details?: string;
  /** False for a command without a JSON result; `--json` is then unknown. */
  json?: false;
  usageError?: UsageErrorFormat;
  /** What every line of its errors begins with, under each of its names, when the spec fixes it. */
  prefix?: string;
  /**
   * The calls that may be approved beforehand: they run nothing given to them, contact nothing a repository chose and
   * write only jig's own state (docs/spec/skills.md 4.6). Each is what follows the name; `*` stands for any arguments:
   * `["*"]`, `[""]` for the bare name, `["--resolve *"]` for one form.
   */
  readOnly?: readonly string[];
}

/** A command that computes and returns. `run` should only import its verb lazily and call it. */
export interface ShortCommand<F extends Flags = Flags> extends CommandBase<F> {
  run(host: Host, args: Args<F>): Promise<Outcome>;
}

/** A command that writes while it runs (`web serve`, `job logs -f`); it returns its exit code. */
export interface StreamingCommand<F extends Flags = Flags> extends CommandBase<F> {
  stream(host: Host, args: Args<F>, out: Writer): Promise<number>;
}

// biome-ignore lint/suspicious/noExplicitAny: the table holds commands of every flag type.
export type Command = ShortCommand<any> | StreamingCommand<any>;

/**
 * Text and exit code for a usage error, when a spec fixes them. `invokedAs` is the drop-in name the call was made under,
 * undefined for a call of jig itself.
 */
export type UsageErrorFormat = (
  problem: UsageProblem,
  synopsis: string,
  prefix: string,
  invokedAs: string | undefined,
) => { stderr: string; exitCode: number };

/** What was wrong with the words of a call. */
export interface UsageProblem {
  /** The whole name of the group or command reached: `job start`, `job`. */
  command: string;
  /** Names the word and suggests the nearest valid one. */
  message: string;
  kind:
    | "unknown-flag"
    | "unknown-command"
    | "missing-command"
    | "missing-value"
    | "missing-flag"
    | "missing-positional"
    | "extra-positional"
    | "unexpected-value"
    | "bad-choice"
    | "not-a-number"
    | "out-of-range"
    | "repeated-flag"
    | "unexpected-rest";
  /** The offending word, when there is one. */
  word?: string;
  /** The flag whose value it is, where the value is no number or out of range: `--port`. */
  flag?: string;
}

/** What holds for every command below a group, unless a nearer group or the command says otherwise. */
export interface Habits {
  /** `last-wins`: a flag given twice takes its last value (upstream, so wrappers may append). A usage error otherwise. */
  repeated?: "last-wins" | "refused";
  /** `refused`: words after a bare `--` are a usage error in a command without `rest`. Positionals otherwise. */
  afterSeparator?: "refused" | "positionals";
  usageError?: UsageErrorFormat;
  /** What every line of its errors begins with, under each of its names, when the spec fixes it. */
  prefix?: string;
}

/** A command made of others: `jig job` with `start` and `wait`, `jig craft` with the group `ledger`. */
export interface Group extends Habits {
  /** The whole name: `job`, `craft ledger`. */
  name: string;
  summary: string;
  /** Its verbs, which are in lower case, may be called in any. */
  anyCase?: true;
  verbs: Record<string, Verb>;
}

/** A verb with a door of its own (`src/craft/ledger/command.ts`), which is loaded only when it is called. */
export interface LazyVerb {
  /** The same as the loaded one's: help of the group loads nothing. */
  summary: string;
  /** Its calls work long enough for compiled code to pay off. */
  works?: true;
  load(): Promise<{ readonly default: Command | Group }>;
}

export type Verb = Command | Group | LazyVerb;

/** Declare a command with its argument types inferred from the flags. */
export function command<const F extends Flags>(declaration: ShortCommand<F>): ShortCommand<F> {
  return declaration;
}

/** Declare a long-lived command that writes while it runs. */
export function streamingCommand<const F extends Flags>(
  declaration: StreamingCommand<F>,
): StreamingCommand<F> {
  return declaration;
}
