import { ParseFailure } from "../../src/cli/parse/parse.ts";
import { parse, reach } from "../../src/cli/parse/reach.ts";
import { printOutcome, type Sink } from "../../src/cli/print/print.ts";
import { printError } from "../../src/cli/print/print-error.ts";
import type { Group } from "../../src/kernel/call/command.ts";
import type { Host } from "../../src/kernel/call/host.ts";
import type { Terminal } from "../../src/kernel/call/outcome.ts";

export interface RoomOutput {
  code: number;
  stdout: string;
  stderr: string;
}

/** Run one verb of a room in this process, from its words to what is printed: the way of a call without the binary. */
export async function runRoom(
  group: Group,
  words: readonly string[],
  host: Host,
  terminal: Terminal = { isTerminal: false, width: 80, colour: false },
  stacks = true,
): Promise<RoomOutput> {
  const out = { code: 0, stdout: "", stderr: "" };
  const decoder = new TextDecoder();
  const sink: Sink = {
    stdout: (chunk) => {
      out.stdout += typeof chunk === "string" ? chunk : decoder.decode(chunk);
    },
    stderr: (text) => {
      out.stderr += text;
    },
    terminal: () => terminal,
  };
  const prefix = `jig ${group.name}: `;
  try {
    const parsed = parse(await reach(group, words));
    if (parsed.kind === "help" || "stream" in parsed.command)
      throw new Error("runRoom runs short verbs only");
    const outcome = await parsed.command.run(host, parsed.args);
    out.code = printOutcome(outcome, parsed.args.flags.json, sink, prefix);
  } catch (error) {
    if (error instanceof ParseFailure) {
      out.code = 2;
      out.stderr += `${prefix}${error.message}\n`;
    } else {
      out.code = printError(error, sink, prefix, stacks);
    }
  }
  return out;
}
