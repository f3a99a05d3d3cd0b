import type { Terminal } from "../call/outcome.ts";
import { cutToWidth, displayWidth } from "./display-width.ts";
import { printable } from "./printable.ts";

export interface TableOptions {
  /** Also print the header line when stdout is not a terminal (docs/spec/jobs.md 11.1 asks for it). */
  headerWhenPiped?: boolean;
  /** Indices of columns set right-aligned on a terminal. */
  alignRight?: readonly number[];
}

/**
 * Rows for a person: aligned under a header on a terminal and cut to its width, tab-separated otherwise
 * (docs/spec/cli.md section 2, output). Cells are made printable here, so callers pass raw text.
 */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
  options: TableOptions = {},
): string {
  const cells = rows.map((row) => row.map(printable));
  if (!terminal.isTerminal) {
    const lines = cells.map((row) => row.join("\t"));
    if (options.headerWhenPiped) lines.unshift(header.join("\t"));
    return lines.map((line) => line + "\n").join("");
  }
  if (rows.length === 0) return "";
  const all = [header, ...cells];
  const widths = header.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ""))));
  const bold = (line: string) => (terminal.colour ? `\u001b[1m${line}\u001b[22m` : line);
  return all
    .map((row, index) => {
      const padded = row.map((cell, column) => {
        const gap = " ".repeat(Math.max(0, widths[column]! - displayWidth(cell)));
        return options.alignRight?.includes(column) ? gap + cell : cell + gap;
      });
      const line = cutToWidth(padded.join("  ").trimEnd(), terminal.width);
      return (index === 0 ? bold(line) : line) + "\n";
    })
    .join("");
}
