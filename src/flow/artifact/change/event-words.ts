/** An event from the words of a call (docs/spec/flow.md 6.3). */
import { JigError, UsageError } from "../../../kernel/call/errors.ts";
import type { Host } from "../../../kernel/call/host.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { readInput, textOrFile } from "../../common/arguments.ts";
import { JsonSyntaxError, type JsonValue, parseLossless } from "../../common/lossless-json.ts";
import { EVENT_NAME, type EventFields } from "../events.ts";

export interface EventArgs {
  project?: string | undefined;
  phase?: string | undefined;
  "task-id"?: string | undefined;
  agent?: string | undefined;
  decision?: string | undefined;
  reason?: string | undefined;
  "reason-file"?: string | undefined;
  details?: string | undefined;
  field: readonly string[];
  /** A JSON object to begin with. */
  from?: string | undefined;
}

/** Filled in by jig, whatever a caller says. */
const OURS = ["ts", "wf", "event"];

/** What the flags say, over what the file says. Throws `UsageError`, or `JigError` for a file that is no JSON object. */
export async function eventOf(host: Host, name: string, args: EventArgs): Promise<EventFields> {
  if (!EVENT_NAME.test(name)) {
    throw new UsageError(
      `event ${printable(JSON.stringify(name))}: expected a lower-case name such as agent_started`,
    );
  }
  const fields = new Map<string, unknown>(args.from === undefined ? [] : await readFields(host, args.from));
  for (const word of args.field) fields.set(...readField(word));
  const reason = await textOrFile(host, {
    text: args.reason,
    file: args["reason-file"],
    names: ["--reason", "--reason-file"],
  });
  const flags = {
    phase: args.phase,
    task_id: args["task-id"],
    agent: args.agent,
    decision: args.decision,
    reason,
    details: args.details,
  };
  for (const [key, value] of Object.entries(flags)) if (value !== undefined) fields.set(key, value);
  for (const key of OURS) fields.delete(key);
  return { ...Object.fromEntries(fields), event: name };
}

async function readFields(host: Host, file: string): Promise<Map<string, JsonValue>> {
  const text = await readInput(host, file);
  let value: JsonValue;
  try {
    value = parseLossless(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const where = `line ${error.line}, column ${error.column}`;
    throw new JigError(`${printable(file)}: ${where}: not JSON: ${error.message}`);
  }
  if (value instanceof Map) return value;
  throw new JigError(`${printable(file)}: is JSON, but not an object`);
}

function readField(word: string): [string, JsonValue] {
  const at = word.indexOf("=");
  const key = word.slice(0, at);
  if (at < 1 || OURS.includes(key)) {
    const why = at < 1 ? "expected NAME=JSON" : `${key} is filled in by jig`;
    throw new UsageError(`--field ${printable(word)}: ${why}`);
  }
  try {
    return [key, parseLossless(word.slice(at + 1))];
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new UsageError(`--field ${printable(key)}: the value is not JSON (${error.message})`, {
      hint: "a string is quoted inside the shell's quotes: --field 'k=\"text\"'",
    });
  }
}
