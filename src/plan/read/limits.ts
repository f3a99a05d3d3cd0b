/**
 * What a document may hold (docs/spec/plan.md 1.1). The parsers of Markdown and HTML work on any text, but their time
 * grows faster than some texts do; within these limits it grows as the text does.
 */

/** Largest Markdown document parsed, in bytes. */
export const MAX_MARKDOWN_BYTES = 1 << 20;

/** Quotations and lists within each other. */
export const MAX_MARKDOWN_DEPTH = 32;

/** Changes between quoted and unquoted lines without a place to part the document between them. */
export const MAX_QUOTE_CHANGES = 400;

/** Heading underlines (`===`, `---`) likewise. */
export const MAX_UNDERLINES = 400;

/** Emphasis marks, brackets, `<` or backticks in one paragraph, heading or cell: each kind for itself. */
export const MAX_MARKS = 1_000;
/** The same in a text of more than `LONG_TEXT` characters. */
export const MAX_MARKS_IN_LONG_TEXT = 100;
export const LONG_TEXT = 65_536;

/** `*`, `_` or `~` in a row in one paragraph, heading or cell. */
export const MAX_RUN = 64;

/** HTML elements open at a time. */
export const MAX_HTML_DEPTH = 256;

/** HTML elements in a document, with those that a parser makes up. */
export const MAX_HTML_ELEMENTS = 100_000;

/** A document beyond a limit; the file is the caller's to name. */
export class BeyondLimit extends Error {
  readonly line: number;
  constructor(line: number, why: string) {
    super(why);
    this.name = "BeyondLimit";
    this.line = line;
  }
}
