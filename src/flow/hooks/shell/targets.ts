import { isDigits } from "./marks.ts";
import { type Program, programOf } from "./program.ts";
import type { Redirection, ShellCommand, Word } from "./words.ts";

/** A file a command writes to, as the command names it. */
export interface WriteTarget {
  path: string;
  /** Sources that end up below `path` when it is a directory: their last components. */
  names: readonly string[];
  /** `path` can be nothing but a directory. */
  directory: boolean;
}

/**
 * Options of the programs that copy which have a value in the next word, so that it is no operand; a `t` stands for
 * `--target-directory`, which rsync has not (its `-t` keeps times).
 */
const COPIERS: Readonly<Record<string, readonly string[]>> = {
  cp: ["-S", "--suffix", "t"],
  install: ["-S", "--suffix", "-m", "--mode", "-o", "--owner", "-g", "--group", "--strip-program", "t"],
  ln: ["-S", "--suffix", "t"],
  mv: ["-S", "--suffix", "t"],
  rsync: [
    ..."-e -f -B -M -T --exclude --include --exclude-from --include-from --files-from --rsh --filter".split(
      " ",
    ),
    ..."--chmod --chown --bwlimit --timeout --port --log-file --out-format --partial-dir --backup-dir".split(
      " ",
    ),
    ..."--suffix --temp-dir --compare-dest --copy-dest --link-dest --max-size --min-size --rsync-path".split(
      " ",
    ),
  ],
};

/** Redirections that write. */
const WRITES = new Set([">", ">>", ">|", ">&", "&>", "&>>", "<>"]);

/** The files a simple command writes to, by the means of docs/spec/flow.md 15.3. */
export function writeTargets(command: ShellCommand): WriteTarget[] {
  const targets = command.redirections.filter(writes).map(({ word }) => file(word));
  const program = programOf(command.words);
  return program === undefined ? targets : targets.concat(operandTargets(program));
}

function operandTargets({ args, name }: Program): WriteTarget[] {
  if (name === "tee") return operandsOf(args, []).operands.map(file);
  if (name === "dd") return args.filter(isOutput).map(outputOf);
  return Object.hasOwn(COPIERS, name) ? copyTargets(name, args) : [];
}

function writes({ operator, word }: Redirection): boolean {
  // `2>&1` and `>&-` name a descriptor, no file.
  return WRITES.has(operator) && !(operator === ">&" && (word.value === "-" || isDigits(word.value)));
}

const file = ({ value }: Word): WriteTarget => ({ path: value, names: [], directory: false });

const isOutput = ({ value }: Word) => value.startsWith("of=");

const outputOf = ({ value }: Word): WriteTarget => ({
  path: value.slice("of=".length),
  names: [],
  directory: false,
});

function copyTargets(name: string, args: readonly Word[]): WriteTarget[] {
  const { directory, operands } = operandsOf(args, COPIERS[name]!);
  if (directory !== undefined) return [{ path: directory, names: operands.map(lastName), directory: true }];
  const last = operands.pop();
  if (last === undefined) return [];
  if (operands.length > 0) {
    return [{ path: last.value, names: operands.map(lastName), directory: last.value.endsWith("/") }];
  }
  // One operand alone: `ln` makes the link here, the others do nothing.
  return name === "ln" ? [{ path: ".", names: [lastName(last)], directory: true }] : [];
}

function lastName({ value }: Word): string {
  let end = value.length;
  while (end > 0 && value[end - 1] === "/") end--;
  return value.slice(value.lastIndexOf("/", end - 1) + 1, end);
}

/** The words that are no options, and the directory that `-t` names. */
function operandsOf(
  args: readonly Word[],
  options: readonly string[],
): { operands: Word[]; directory: string | undefined } {
  const operands: Word[] = [];
  const hasDirectory = options.includes("t");
  let directory: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const { value } = args[at]!;
    if (value === "--") {
      return { operands: operands.concat(args.slice(at + 1)), directory };
    }
    if (!value.startsWith("-") || value === "-") operands.push(args[at]!);
    else if (options.includes(value)) at++;
    else if (hasDirectory && namesDirectory(value)) directory = args[++at]?.value;
    else if (hasDirectory) directory = directoryIn(value) ?? directory;
  }
  return { operands, directory };
}

/** `-t`, also behind other letters (`-vt`), or `--target-directory`: the directory is the next word. */
function namesDirectory(value: string): boolean {
  return value === "--target-directory" || (!value.startsWith("--") && value.endsWith("t"));
}

/** The directory that stands in the option itself: `--target-directory=DIR`, `-tDIR`. */
function directoryIn(value: string): string | undefined {
  const long = "--target-directory=";
  if (value.startsWith(long)) return value.slice(long.length);
  return value.startsWith("-t") ? value.slice("-t".length) : undefined;
}
