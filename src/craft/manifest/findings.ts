import { nearest } from "../../kernel/text/nearest.ts";
import { printable } from "../../kernel/text/printable.ts";
import type { Problem } from "../common/problem.ts";

interface Place {
  line: number;
  column: number;
}

const LONGEST_MESSAGE = 1_000;

/** A word as long as this is no slip of the fingers. */
const LONGEST_SLIP = 60;

const MOST_SUGGESTIONS = 20;

/** What the rules found in one manifest, kept in the order of the document. */
export class Findings {
  readonly #file: string;
  readonly #errors: { problem: Problem; at: Place }[] = [];
  #asked = 0;
  readonly #warnings: { problem: Problem; at: Place }[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  error(message: string, at: Place, hint?: string): void {
    this.#errors.push({ problem: this.#problem(message, at, hint), at });
  }

  warn(message: string, at: Place): void {
    this.#warnings.push({ problem: this.#problem(message, at), at });
  }

  /** A problem of another file that the manifest names at a place. */
  include(problem: Problem, at: Place): void {
    this.#errors.push({ problem, at });
  }

  /** `did you mean X?` for a mistyped word, when one is near enough; the first mistakes of a file only, since it is slow. */
  meant(word: string, candidates: Iterable<string>): string | undefined {
    if (word.length > LONGEST_SLIP || ++this.#asked > MOST_SUGGESTIONS) return undefined;
    const found = nearest(word, candidates);
    return found === undefined ? undefined : `did you mean ${found}?`;
  }

  get errors(): Problem[] {
    return inOrder(this.#errors);
  }

  get warnings(): Problem[] {
    return inOrder(this.#warnings);
  }

  #problem(message: string, { line, column }: Place, hint?: string): Problem {
    const where = line > 0 ? { file: this.#file, line, column } : {};
    // Keys and values of the file stand in it: one line, and not a page of it.
    const oneLine = printable(message);
    const shown = oneLine.length > LONGEST_MESSAGE ? `${oneLine.slice(0, LONGEST_MESSAGE - 1)}…` : oneLine;
    return { message: shown, ...(hint === undefined ? {} : { hint }), ...where };
  }
}

function inOrder(found: readonly { problem: Problem; at: Place }[]): Problem[] {
  return [...found]
    .sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
    .map(({ problem }) => problem);
}
