import { EXIT, JigError, unwritable } from "../../kernel/call/errors.ts";
import type { Outcome, Terminal, Writer } from "../../kernel/call/outcome.ts";
import { jsonText, printableBlock, printableJson } from "../../kernel/text/printable.ts";
import { ClosedPipe } from "../../runtime/stdio.ts";

/** Where a call's output goes: the process streams, or buffers for a nested call. */
export interface Sink {
  stdout(chunk: string | Uint8Array): void;
  stderr(text: string): void;
  terminal(stream: "stdout" | "stderr"): Terminal;
}

/** A message on stderr. Names and words of others stand in it, so what a terminal would obey is shown instead. */
export function complain(sink: Sink, text: string): void {
  if (text !== "") sink.stderr(printableBlock(endLine(text)));
}

/** Print what a verb returned, and give the exit code. The only way a result reaches stdout. */
export function printOutcome(outcome: Outcome, json: boolean, sink: Sink, prefix: string): number {
  for (const note of outcome.notes ?? []) complain(sink, note);
  const { bytes, undelivered } = outcome;
  const result = () => {
    if (bytes !== undefined && !json) return bytes instanceof Uint8Array ? [bytes] : bytes;
    if (json)
      return [endLine(outcome.json === undefined ? jsonText(outcome.data) : printableJson(outcome.json))];
    const text = typeof outcome.text === "string" ? outcome.text : outcome.text(sink.terminal("stdout"));
    return text === "" ? [] : [endLine(text)];
  };
  const written = deliver(sink, prefix, result(), undelivered);
  return written === "unwritable" ? EXIT.failed : (outcome.exitCode ?? EXIT.done);
}

/** Write plain text (help, schemas) to stdout; the exit code is 1 only when it cannot be written. */
export function printText(text: string, sink: Sink, prefix: string): number {
  return deliver(sink, prefix, [endLine(text)]) === "unwritable" ? EXIT.failed : EXIT.done;
}

/** The writer of a streaming command. */
export function writerFor(sink: Sink): Writer {
  return {
    write(chunk) {
      try {
        sink.stdout(chunk);
      } catch (error) {
        if (error instanceof ClosedPipe) throw error;
        throw new JigError(unwritable(error), { cause: error });
      }
    },
    get terminal() {
      return sink.terminal("stdout");
    },
  };
}

function deliver(
  sink: Sink,
  prefix: string,
  pieces: Iterable<string | Uint8Array>,
  undelivered?: string,
): "written" | "unwritable" {
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    try {
      sink.stdout(piece);
    } catch (error) {
      if (error instanceof ClosedPipe) {
        // Whoever read us has what they wanted.
        if (undelivered !== undefined) complain(sink, `${prefix}nobody read standard output; ${undelivered}`);
        return "written";
      }
      complain(sink, prefix + unwritable(error) + (undelivered === undefined ? "" : `; ${undelivered}`));
      return "unwritable";
    }
  }
  return "written";
}

/** The text with a final newline. */
export function endLine(text: string): string {
  return text.endsWith("\n") ? text : text + "\n";
}
