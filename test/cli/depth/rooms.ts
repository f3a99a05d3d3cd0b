import { command, type Group } from "../../../src/kernel/call/command.ts";
import type { Room } from "../../../src/kernel/call/room.ts";

/** What the lazy entries below loaded, in order. */
export const loaded: string[] = [];

function lazily<Door>(name: string, door: Door): () => Promise<{ default: Door }> {
  return async () => {
    loaded.push(name);
    return { default: door };
  };
}

const append = command({
  name: "made ledger append",
  summary: "Append a record",
  flags: {
    style: { type: "string", value: "S", summary: "How", choices: ["plain", "js"] },
    tag: { type: "string", value: "T", summary: "A tag", repeat: true },
    loud: { type: "boolean", summary: "Say so" },
  },
  positionals: [{ name: "TEXT", summary: "What", completes: "record" }],
  readOnly: ["--dry *"],
  examples: [],
  run: async (host, { flags, positionals }) => {
    const data = { under: host.invokedAs ?? null, flags, positionals, prefix: host.prefix };
    return { data, text: `appended ${positionals.join(" ")}` };
  },
});

const leaf = command({
  name: "made ledger deep leaf",
  summary: "The end of the way",
  flags: { n: { type: "number", value: "N", summary: "How many", integer: true, min: 1 } },
  examples: [],
  run: async () => ({ data: "é", text: "leaf" }),
});

const deep: Group = {
  name: "made ledger deep",
  summary: "Deeper still",
  repeated: "refused",
  afterSeparator: "positionals",
  prefix: "deep: ",
  verbs: { leaf },
};

const ledger: Group = {
  name: "made ledger",
  summary: "Keep the ledger",
  prefix: "ledger: ",
  verbs: { append: { summary: append.summary, load: lazily("append", append) }, deep },
};

const ping = command({
  name: "made ping",
  summary: "Answer",
  flags: {},
  readOnly: [""],
  examples: [],
  run: async () => ({ data: "pong", text: "pong" }),
});

const made: Group = {
  name: "made",
  summary: "A made-up room",
  repeated: "last-wins",
  afterSeparator: "refused",
  usageError: (problem, synopsis, prefix, invokedAs) => ({
    stderr: `${prefix}[${invokedAs ?? "jig"}] ${problem.message} | ${synopsis}\n`,
    exitCode: 7,
  }),
  verbs: {
    ping,
    ledger: { summary: ledger.summary, load: lazily("ledger", ledger) },
    other: {
      summary: "Never called",
      load: lazily("other", { ...ping, name: "made other", summary: "Never called" }),
    },
  },
};

const room: Room = {
  name: "made",
  summary: "A made-up room",
  theme: "About jig",
  load: lazily("made", made),
  completes: { record: { command: "made list", column: 2 } },
  dropInNames: {
    "ledger.sh": { words: ["made", "ledger"], help: "unknown-flag" },
    "append.js": {
      words: ["made", "ledger", "append"],
      without: ["json", "tag"],
      requires: ["TEXT"],
      fixed: { style: "js", json: true },
      json: "python",
    },
    "only.py": {
      words: ["made", "ledger", "append"],
      only: ["loud", "json"],
      json: "indented",
      prefix: "only says: ",
    },
    "lax.sh": {
      words: ["made", "ledger", "append"],
      only: ["loud"],
      help: "unknown-flag",
      unknown: "ignored",
    },
    "odd.py": {
      words: ["made"],
      translate: async () => ({
        translate: (words) =>
          words[0] === "bad" ? { usage: "cannot" } : { words: ["ping", ...words.slice(1)] },
      }),
    },
  },
};

const plain: Room = {
  name: "plain",
  summary: "A room that is one command",
  theme: "About jig",
  works: true,
  load: lazily("plain", { ...ping, name: "plain", summary: "A room that is one command" }),
};

/** A command tree three groups deep, for tests of what holds at every depth. */
export const ROOMS: readonly Room[] = [room, plain];

export function roomNamed(name: string): Room | undefined {
  return ROOMS.find((one) => one.name === name);
}

export const allRooms = () => [...ROOMS];

export const TREE = { made: () => room, plain: () => plain };
