import { isDigits } from "./marks.ts";

/** One word of a command after quoting is taken off. */
export interface Word {
  /** What the program would get, as far as the text alone tells; a substitution leaves nothing, an unknown variable itself. */
  value: string;
  /** Where it stands in the text. */
  start: number;
  end: number;
  /** Any of it was in quotes. */
  quoted: boolean;
  /** It holds a substitution or a variable that is not known here. */
  dynamic: boolean;
}

/** A redirection: the operator without its descriptor, and what follows it. */
export interface Redirection {
  operator: string;
  word: Word;
  /** It names a descriptor: `2>file`. */
  descriptor: boolean;
}

/** One command between separators. */
export interface ShellCommand {
  words: Word[];
  redirections: Redirection[];
}

/** What a variable is known to hold; undefined for all others, which stay as they are written. */
export type Variables = (name: string) => string | undefined;

/** What is found on the way through a command text. */
export interface ShellVisitor {
  command(command: ShellCommand): void;
  /** The body of a here-document, when the command it belongs to is complete. */
  hereDocument?(command: ShellCommand, body: string): void;
}

/** A word while it is read: plain runs are kept as slices, so that long ones cost no more than their length. */
export class WordBuilder {
  readonly start: number;
  quoted = false;
  dynamic = false;
  private readonly pieces: string[] = [];

  constructor(start: number) {
    this.start = start;
  }

  add(text: string): void {
    if (text !== "") this.pieces.push(text);
  }

  /** Whether it consists of digits alone, written as such: the descriptor of a redirection that follows at once. */
  isDescriptor(): boolean {
    if (this.quoted || this.dynamic || this.pieces.length !== 1) return false;
    return isDigits(this.pieces[0]!);
  }

  end(at: number): Word {
    const { dynamic, pieces, quoted, start } = this;
    return { value: pieces.length === 1 ? pieces[0]! : pieces.join(""), start, end: at, quoted, dynamic };
  }
}
