import { ansiText } from "./ansi-text.ts";
import { hereDocumentAt, redirectionAt, variableAt } from "./marks.ts";
import { type ShellCommand, type ShellVisitor, type Variables, WordBuilder } from "./words.ts";

/** Brackets and substitutions inside each other that are told apart; deeper ones only separate commands. */
const DEEPEST = 500;

/** What the shell does not take as it stands outside quotes. */
const SPECIAL = tableOf(" \t\n;&|<>()'\"\\$`#{}~");

/** What it does not take as it stands inside double quotes. */
const SPECIAL_IN_DOUBLE = tableOf('"\\$`');

/** For a look at every character of a long command: by code, 1 for those of the text. */
function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/** Where the next character of a table stands; the text's end when there is none. */
function nextIn(table: Uint8Array, text: string, from: number): number {
  let at = from;
  while (at < text.length && table[text.charCodeAt(at)] !== 1) at++;
  return at;
}

/** Characters behind which `~` alone ends. */
const ENDS_TILDE = " \t\n;&|<>()/";

/** Where the reader is: a command under way, and what is open in it. */
interface State {
  command: ShellCommand;
  word: WordBuilder | undefined;
  /** A redirection whose word has not come yet. */
  pending: { operator: string; descriptor: boolean } | undefined;
  inDouble: boolean;
  /** Depth of `${`, in which blanks and operators are text. */
  braces: number;
  /** What ends it and goes back to the state outside. */
  closes: ")" | "`" | undefined;
}

interface HereDocument {
  command: ShellCommand;
  delimiter: string;
  /** `<<-`: tabs before the delimiter do not count. */
  tabs: boolean;
}

/**
 * Read a command text the way a shell splits it, and give out each simple command: at `; && || | &` and newlines outside
 * quotes, and at brackets and substitutions, whose commands come before the one they stand in (docs/spec/flow.md 15.3).
 * Comments and the bodies of here-documents are no commands. One pass, linear in the text; what no shell would accept is
 * read as far as it goes.
 */
export function readShell(text: string, variables: Variables, visitor: ShellVisitor): void {
  new Reader(text, variables, visitor).read();
}

const fresh = (closes: State["closes"]): State => ({
  command: { words: [], redirections: [] },
  word: undefined,
  pending: undefined,
  inDouble: false,
  braces: 0,
  closes,
});

class Reader {
  private at = 0;
  private state = fresh(undefined);
  private readonly outside: State[] = [];
  private readonly hereDocuments: HereDocument[] = [];
  private readonly text: string;
  private readonly variables: Variables;
  private readonly visitor: ShellVisitor;

  constructor(text: string, variables: Variables, visitor: ShellVisitor) {
    this.text = text;
    this.variables = variables;
    this.visitor = visitor;
  }

  read(): void {
    while (this.at < this.text.length) {
      if (this.state.inDouble) this.readDouble();
      else this.readPlain();
    }
    while (this.outside.length > 0) this.leave();
    this.endCommand();
  }

  private readPlain(): void {
    const { text } = this;
    const start = this.at;
    this.at = nextIn(SPECIAL, text, start);
    if (this.at > start) this.wordFrom(start).add(text.slice(start, this.at));
    else this.readSpecial(text[start]!);
  }

  private readSpecial(character: string): void {
    if (character === "\\") this.readBackslash();
    else if (character === "'") this.readSingle();
    else if (character === '"') this.openDouble();
    else if (character === "$") this.readDollar();
    else if (character === "`") this.readBacktick();
    else if (this.state.braces > 0) {
      if (character === "}") this.state.braces--;
      this.take(character);
    } else this.readOperator(character);
  }

  private readOperator(character: string): void {
    if (character === " " || character === "\t") {
      this.endWord();
      this.at++;
    } else if (character === "\n") {
      this.separate();
      this.readHereDocuments();
    } else if (character === "<" || character === ">") this.readRedirection();
    else if (character === "&" && this.text[this.at + 1] === ">") this.readRedirection();
    else if (character === ";" || character === "|" || character === "&") this.separate();
    else if (character === "(") this.enter(")", 1);
    else if (character === ")") this.readClosing();
    else if (character === "#" && this.state.word === undefined) this.skipComment();
    else if (character === "~") this.take(this.homeHere() ?? character);
    else this.take(character);
  }

  private readBackslash(): void {
    const next = this.text[this.at + 1];
    if (next !== undefined && next !== "\n") {
      const word = this.wordFrom(this.at);
      word.quoted = true;
      word.add(next);
    }
    this.at += 2;
  }

  private readSingle(): void {
    const word = this.wordFrom(this.at);
    word.quoted = true;
    const close = this.find("'", this.at + 1);
    word.add(this.text.slice(this.at + 1, close));
    this.at = close + 1;
  }

  private openDouble(): void {
    this.wordFrom(this.at).quoted = true;
    this.state.inDouble = true;
    this.at++;
  }

  private readDouble(): void {
    const { text } = this;
    const start = this.at;
    this.at = nextIn(SPECIAL_IN_DOUBLE, text, start);
    const word = this.wordFrom(start);
    word.add(text.slice(start, this.at));
    const character = text[this.at];
    if (character === '"') {
      this.state.inDouble = false;
      this.at++;
    } else if (character === "\\") {
      const next = text[this.at + 1] ?? "";
      if (next !== "\n") word.add('$`"\\'.includes(next) ? next : `\\${next}`);
      this.at += 2;
    } else if (character === "$") this.readDollar();
    else if (character === "`") this.readBacktick();
  }

  private readDollar(): void {
    const { text } = this;
    const { inDouble } = this.state;
    const next = text[this.at + 1];
    const word = this.wordFrom(this.at);
    const variable = variableAt(text, this.at);
    const value = variable === undefined ? undefined : this.variables(variable.name);
    if (value !== undefined) {
      word.add(value);
      this.at = variable!.end;
    } else if (next === "(") {
      word.dynamic = true;
      this.enter(")", 2);
    } else if (next === "'" && !inDouble) {
      word.quoted = true;
      const literal = ansiText(text, this.at + 2);
      word.add(literal.value);
      this.at = literal.end;
    } else if (next === '"' && !inDouble) this.at++;
    else {
      word.dynamic = true;
      // Inside double quotes a blank is text anyway, and a quote would end them.
      if (next === "{" && !inDouble) this.state.braces++;
      word.add(next === "{" ? "${" : "$");
      this.at += next === "{" ? 2 : 1;
    }
  }

  private readBacktick(): void {
    if (this.state.closes === "`") {
      this.leave();
      this.at++;
      return;
    }
    this.wordFrom(this.at).dynamic = true;
    this.enter("`", 1);
  }

  private readRedirection(): void {
    const { state, text } = this;
    const descriptor = state.word?.isDescriptor() === true;
    if (descriptor) state.word = undefined;
    else this.endWord();
    const operator = redirectionAt(text, this.at);
    if (operator === undefined) {
      this.wordFrom(this.at).dynamic = true;
      this.enter(")", 2);
      return;
    }
    state.pending = { operator, descriptor };
    this.at += operator.length;
  }

  private readClosing(): void {
    if (this.state.closes === ")") this.leave();
    else this.endCommand();
    this.at++;
  }

  private skipComment(): void {
    this.at = this.find("\n", this.at);
  }

  private homeHere(): string | undefined {
    if (this.state.word !== undefined) return undefined;
    const next = this.text[this.at + 1];
    return next === undefined || ENDS_TILDE.includes(next) ? this.variables("HOME") : undefined;
  }

  private readHereDocuments(): void {
    for (const { command, delimiter, tabs } of this.hereDocuments.splice(0)) {
      const { bodyEnd, next } = hereDocumentAt(this.text, this.at, delimiter, tabs);
      const body = this.text.slice(this.at, bodyEnd);
      this.at = next;
      this.visitor.hereDocument?.(command, body);
    }
  }

  /** Begin a command inside the one under way, behind a mark of some characters. */
  private enter(closes: ")" | "`", marks: number): void {
    this.at += marks;
    if (this.outside.length < DEEPEST) {
      this.outside.push(this.state);
      this.state = fresh(closes);
    } else if (!this.state.inDouble) this.endCommand();
  }

  private leave(): void {
    this.endCommand();
    this.state = this.outside.pop()!;
  }

  private separate(): void {
    this.endCommand();
    this.at++;
  }

  private endCommand(): void {
    this.endWord();
    const { command } = this.state;
    this.state.pending = undefined;
    if (command.words.length === 0 && command.redirections.length === 0) return;
    this.state.command = { words: [], redirections: [] };
    this.visitor.command(command);
  }

  private endWord(): void {
    const { command, pending, word: builder } = this.state;
    if (builder === undefined) return;
    const word = builder.end(this.at);
    this.state.word = undefined;
    this.state.pending = undefined;
    if (pending === undefined) {
      command.words.push(word);
      return;
    }
    command.redirections.push({ ...pending, word });
    if (pending.operator === "<<" || pending.operator === "<<-") {
      this.hereDocuments.push({ command, delimiter: word.value, tabs: pending.operator === "<<-" });
    }
  }

  private wordFrom(start: number): WordBuilder {
    this.state.word ??= new WordBuilder(start);
    return this.state.word;
  }

  /** The character here as this text of a word. */
  private take(text: string): void {
    this.wordFrom(this.at).add(text);
    this.at++;
  }

  private find(what: string, from: number): number {
    const at = this.text.indexOf(what, from);
    return at < 0 ? this.text.length : at;
  }
}
