import { command, type Group, streamingCommand, type UsageProblem } from "../kernel/call/command.ts";
import { EXIT } from "../kernel/call/errors.ts";
import { nearest } from "../kernel/text/nearest.ts";

const ROOT = {
  type: "string",
  value: "DIR",
  summary: "The run's directory; names one server",
  required: true,
  emptyIsNone: true,
  completes: "directory",
} as const;
const HOST = { type: "string", value: "H", summary: "Address to bind", default: "127.0.0.1" } as const;
const PORT = {
  type: "number",
  value: "N",
  summary: "Port, 0 for any free one",
  default: "0",
  integer: true,
  min: 0,
  max: 65_535,
} as const;
const FOREGROUND = { type: "boolean", summary: "Serve in this process instead of detaching" } as const;
const OWNER = {
  type: "number",
  value: "PID",
  summary: "Stop when this process ends; none: watch no process",
  integer: true,
  min: 2,
  max: 4_294_967_295,
  words: ["none"],
} as const;
const ANNOTATE = { type: "boolean", summary: "Let the person pin comments on the screens" } as const;
const hidden = { hidden: true } as const;

/** Upstream's flags are accepted by every command, also where they have no effect. */
const UPSTREAM = {
  root: ROOT,
  host: { ...HOST, ...hidden },
  port: { ...PORT, ...hidden },
  foreground: { ...FOREGROUND, ...hidden },
  "owner-pid": { ...OWNER, ...hidden },
  annotate: { ...ANNOTATE, ...hidden },
} as const;

const SERVE = {
  root: ROOT,
  host: HOST,
  port: PORT,
  "owner-pid": OWNER,
  annotate: ANNOTATE,
  "allow-host": {
    type: "string",
    value: "NAME",
    repeat: true,
    summary: "Also answer under this Host name; with a leading dot under its subdomains too",
  },
  "public-url": { type: "string", value: "URL", summary: "Where a proxy publishes the server" },
  auth: {
    type: "string",
    value: "auto|open|link",
    summary: "Who may annotate: this machine, everybody, or who has the private link",
    default: "auto",
  },
} as const;

const group: Group = {
  name: "web",
  summary: "Show HTML screens in a browser and bring the person's comments back",
  repeated: "last-wins",
  usageError: webUsageError,
  verbs: {
    start: streamingCommand({
      name: "web start",
      summary: "Serve a directory's screens in the background, or say where they are served already",
      flags: {
        ...SERVE,
        "owner-pid": { ...OWNER, default: "the program that runs this command, past shells and wrappers" },
        foreground: FOREGROUND,
        open: { type: "boolean", summary: "Show the address in the person's browser" },
        anyway: {
          type: "boolean",
          summary: "Start also in a process namespace that ends with this call, and the server with it",
        },
      },
      exitCodes: [
        [0, "it runs"],
        [1, "it does not, or the words of the call do not fit"],
        [2, null],
      ],
      examples: [
        {
          command: "jig web start --root /tmp/run",
          explains: "show the newest screen under /tmp/run/screens",
        },
        { command: "jig web start --root /tmp/run --annotate", explains: "and let the person comment on it" },
      ],
      stream: async (host, args, out) => (await import("./start.ts")).start(host, args.flags, out),
    }),
    serve: streamingCommand({
      name: "web serve",
      summary: "Serve a directory's screens in this process (what start runs)",
      flags: {
        ...SERVE,
        "owner-pid": { ...OWNER, default: "none" },
        foreground: { ...FOREGROUND, ...hidden },
      },
      exitCodes: [
        [0, "ended by a signal, by stop, or for want of use"],
        [1, "it cannot serve, or the words of the call do not fit"],
        [2, null],
      ],
      examples: [
        { command: "jig web serve --root /tmp/run --port 8080", explains: "serve until it is stopped" },
        { command: "jig web serve --root /tmp/run --annotate", explains: "the same in annotate mode" },
      ],
      stream: async (host, args, out) => (await import("./serve.ts")).serve(host, args.flags, out),
    }),
    stop: command({
      name: "web stop",
      summary: "Stop a directory's server, if there is one",
      flags: UPSTREAM,
      exitCodes: [
        [0, "nothing runs now"],
        [1, "any error, also words that do not fit"],
        [2, null],
      ],
      examples: [
        { command: "jig web stop --root /tmp/run", explains: "stop the preview" },
        { command: "jig web stop --root run --json", explains: "a relative root, resolved here" },
      ],
      run: async (host, args) => (await import("./stop.ts")).stop(host, args.flags),
    }),
    status: command({
      name: "web status",
      summary: "Say whether a directory's server runs, and where",
      flags: UPSTREAM,
      exitCodes: [
        [0, "running or stopped, as printed"],
        [1, "any error, also words that do not fit"],
        [2, null],
      ],
      examples: [
        { command: "jig web status --root /tmp/run", explains: "its address and state as JSON" },
        { command: "jig web status --root run --json", explains: "a relative root, resolved here" },
      ],
      readOnly: ["*"],
      run: async (host, args) => (await import("./status.ts")).status(host, args.flags),
    }),
    wait: streamingCommand({
      name: "web wait",
      summary: "Block until the person sends comments, and print them",
      flags: {
        ...UPSTREAM,
        timeout: {
          type: "number",
          value: "SECONDS",
          summary: "Give up after this long",
          above: 0,
          unit: "seconds",
        },
        done: {
          type: "string",
          value: "N[,N...]",
          repeat: true,
          summary: "These notes are done, by number or id",
        },
        declined: {
          type: "string",
          value: "N:TEXT",
          repeat: true,
          summary: "This note is not done, and why",
        },
        question: {
          type: "string",
          value: "N:TEXT",
          repeat: true,
          summary: "What has to be known to do this note",
        },
        reply: {
          type: "string",
          value: "TEXT",
          summary: "What was done about the last batch, shown to the person",
        },
        ask: {
          type: "string",
          value: "TEXT",
          summary: "A question about the screen, with buttons to answer",
        },
        choices: {
          type: "string",
          value: "A,B,...",
          summary: "What --ask lets the person choose from",
          default: "Looks good, Needs changes",
        },
      },
      exitCodes: [
        [0, "a batch of notes was printed"],
        [1, "the session has ended; the reason was printed"],
        [2, "anything else"],
        [3, "--timeout is up, or a newer wait has taken the place of this one"],
      ],
      examples: [
        { command: "jig web wait --root /tmp/run", explains: "the next batch, however long it takes" },
        {
          command: "jig web wait --root /tmp/run --timeout 60 --reply 'Made both buttons green'",
          explains: "answer the last batch, then wait a minute",
        },
        {
          command: "jig web wait --root /tmp/run --done 1,2 --declined '3:Teams reads it' --ask 'Ship it?'",
          explains: "say what became of each note, and ask",
        },
      ],
      stream: async (host, args, out) => (await import("./agent/wait.ts")).wait(host, args.flags, out),
    }),
    reply: command({
      name: "web reply",
      summary: "Show the person a line, beside one of their comments or above all",
      flags: {
        root: ROOT,
        note: { type: "string", value: "N", summary: "The comment it is about, by number or id" },
      },
      positionals: [{ name: "TEXT", summary: "1 to 2000 characters", required: true }],
      exitCodes: [
        [0, "it is shown"],
        [1, "it is not, and why; also words that do not fit"],
        [2, null],
      ],
      examples: [
        {
          command: "jig web reply --root /tmp/run 'Half way through'",
          explains: "shown in every tab at once",
        },
        { command: "jig web reply --root /tmp/run --note 2 'Which blue?'", explains: "kept with note 2" },
      ],
      run: async (host, args) =>
        (await import("./agent/reply.ts")).reply(host, args.flags, args.positionals[0] ?? ""),
    }),
    annotations: command({
      name: "web annotations",
      summary: "Print every comment known for a directory with its state",
      flags: {
        ...UPSTREAM,
        state: { type: "string", value: "LIST", summary: "Only these states: held, queued, working, done" },
      },
      exitCodes: [
        [0, "printed"],
        [1, "any error, also words that do not fit"],
        [2, null],
      ],
      examples: [
        { command: "jig web annotations --root /tmp/run", explains: "all comments, delivered or not" },
        {
          command: "jig web annotations --root /tmp/run --state held,queued",
          explains: "those not handed over",
        },
      ],
      run: async (host, args) => (await import("./agent/annotations.ts")).annotations(host, args.flags),
    }),
  },
};

export default group;

const VALUE_MESSAGES: Record<string, string> = {
  "--root": "--root is required",
  "--host": "--host requires a value",
  "--port": "--port must be an integer from 0 to 65535",
  "--owner-pid": "--owner-pid must be an integer greater than 1",
  "--allow-host": "--allow-host requires a value",
  "--public-url": "--public-url must be an http or https URL",
  "--auth": "--auth must be auto, open or link",
  "--timeout": "--timeout must be a positive number",
  "--reply": "--reply must be 1 to 2000 characters",
  "--state": "--state must list held, queued, working or done",
  "--done": "--done must list note numbers",
  "--declined": "--declined must be N:TEXT",
  "--question": "--question must be N:TEXT",
  "--ask": "--ask must be 1 to 300 characters",
  "--choices": "--choices must be 2 to 8 names of 1 to 40 characters",
  "--note": "--note must be a note's number or id",
};

/** What is wrong with a flag's value, or that there is none. */
const VALUE_KINDS: readonly UsageProblem["kind"][] = [
  "missing-value",
  "missing-flag",
  "not-a-number",
  "out-of-range",
];

const USAGE = `Usage:
  jig web start --root DIR [--host H] [--port N] [--foreground] [--open] [--anyway] [--owner-pid PID|none] [--annotate] [--allow-host NAME]... [--public-url URL] [--auth auto|open|link]
  jig web serve --root DIR [--host H] [--port N] [--owner-pid PID|none] [--annotate] [--allow-host NAME]... [--public-url URL] [--auth auto|open|link]
  jig web stop --root DIR
  jig web status --root DIR
  jig web wait --root DIR [--timeout SECONDS] [--done N[,N...]]... [--declined N:TEXT]... [--question N:TEXT]... [--reply TEXT] [--ask TEXT [--choices A,B,...]]
  jig web reply --root DIR [--note N] TEXT
  jig web annotations --root DIR [--state held,queued,working,done]
`;

const VERBS = ["start", "serve", "stop", "status", "wait", "reply", "annotations"];

/** Upstream's words and exit codes for a call that does not fit (docs/spec/web.md 2.2). */
function webUsageError(problem: UsageProblem, _synopsis: string, prefix: string) {
  // A flag before the command is no command.
  if (problem.command === "web") {
    const meant = problem.kind === "unknown-command" ? nearest(problem.word ?? "", VERBS) : undefined;
    const hint = meant === undefined ? "" : `Did you mean ${meant}?\n`;
    return { stderr: USAGE + hint, exitCode: EXIT.failed };
  }
  const exitCode = problem.command === "web wait" ? EXIT.usage : EXIT.failed;
  const { kind, word = "", flag = word } = problem;
  const expected = VALUE_MESSAGES[flag];
  if (VALUE_KINDS.includes(kind) && expected !== undefined)
    return { stderr: `${prefix}${expected}\n`, exitCode };
  if (kind === "missing-positional") return { stderr: `${prefix}${problem.message}\n`, exitCode };
  const meant = /did you mean (--[\w-]+)\?/.exec(problem.message)?.[1];
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return { stderr: `${prefix}Unknown argument: ${word}${hint}\n`, exitCode };
}
