import type { Command, Group } from "../kernel/call/command.ts";
import { EXIT } from "../kernel/call/errors.ts";
import type { Terminal } from "../kernel/call/outcome.ts";
import { DROP_IN_NAMES } from "../kernel/shared/drop-in-names.ts";
import { compileHotCode } from "../runtime/jit.ts";
import { makeHost } from "./host.ts";
import { aliasOf } from "./names/aliases.ts";
import { type Parsed, ParseFailure, parse } from "./parse/parse.ts";
import { complain, printOutcome, printText, type Sink, writerFor } from "./print/print.ts";
import { TREE } from "./tree.ts";

/** The surroundings of one call: real ones in `main`, collected ones in `Host.run`. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  sink: Sink;
  cwd?: string;
}

/** Run a call by the name it was invoked under; gives the exit code. */
export async function runInvocation(
  invokedAs: string,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { sink } = surroundings;
  if (words[0] === "--as") {
    const name = words[1] === undefined ? undefined : aliasOf(words[1], process.platform);
    if (name === undefined) {
      const problem = words[1] === undefined ? "--as needs a name" : `--as: unknown name '${words[1]}'`;
      complain(sink, `jig: ${problem}; expected one of ${Object.keys(DROP_IN_NAMES).join(", ")}`);
      return EXIT.usage;
    }
    return runAlias(name, words.slice(2), surroundings);
  }
  const alias = aliasOf(invokedAs, process.platform);
  return alias === undefined ? runWords(words, surroundings) : runAlias(alias, words, surroundings);
}

async function runAlias(name: string, words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { aliasCall } = await import("./names/alias-call.ts");
  const call = aliasCall(name, words);
  if ("usage" in call) {
    complain(surroundings.sink, call.usage);
    return EXIT.usage;
  }
  return runWords(call.words, surroundings, call);
}

interface Manner {
  prefix?: string;
  /** JSON indented by two. */
  pretty?: boolean;
}

/** Run jig's own words: `job status ID`. */
export async function runWords(
  words: readonly string[],
  surroundings: Surroundings,
  manner: Manner = {},
): Promise<number> {
  const { sink, env } = surroundings;
  const debug = env["JIG_DEBUG"] === "1";
  const [name, ...rest] = words;
  if (name === undefined || name === "--help" || name === "-h") {
    const { overview } = await import("./help/overview.ts");
    return printText(overview(), sink, "jig: ");
  }
  if (name === "help") return runWords([...rest, "--help"], surroundings, manner);
  if (name === "--version") return runWords(["version", ...rest], surroundings, manner);

  const entry = Object.hasOwn(TREE, name) ? TREE[name] : undefined;
  if (entry === undefined)
    return (await import("./parse/unknown-word.ts")).reportUnknownWord(name, words, sink);
  let prefix = manner.prefix ?? `jig ${name}: `;
  try {
    if (entry.works) compileHotCode();
    const target = await entry.load();
    if (!("verbs" in target)) prefix = target.prefix ?? prefix;
    const parsed = await understand(target, rest, prefix, sink);
    if (typeof parsed === "number") return parsed;
    if (parsed.kind === "help") {
      const { helpText } = await import("./help/help.ts");
      return printText(await helpText(parsed.target, pageOn(sink.terminal("stdout"))), sink, prefix);
    }
    return await runCommand(parsed, prefix, manner, surroundings);
  } catch (error) {
    return (await import("./print/print-error.ts")).printError(error, sink, prefix, debug);
  }
}

/** A pipe has no width: there a page is as wide as it reads well. */
function pageOn({ colour, isTerminal, width }: Terminal) {
  return { colour, width: isTerminal ? width : Number.POSITIVE_INFINITY };
}

async function runCommand(
  parsed: Extract<Parsed, { kind: "run" }>,
  prefix: string,
  manner: Manner,
  { env, sink, cwd }: Surroundings,
): Promise<number> {
  const { command, args } = parsed;
  const host = makeHost({ env, prefix, sink, ...(cwd === undefined ? {} : { cwd }) });
  if ("stream" in command) return command.stream(host, args, writerFor(sink));
  const outcome = await command.run(host, args);
  const pretty = manner.pretty ? { json: JSON.stringify(outcome.data, null, 2) } : {};
  return printOutcome({ ...outcome, ...pretty }, args.flags.json, sink, prefix);
}

function understand(
  target: Command | Group,
  words: readonly string[],
  prefix: string,
  sink: Sink,
): Parsed | Promise<number> {
  try {
    return parse(target, words);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return import("./parse/usage-report.ts").then(({ reportUsage }) =>
      reportUsage(target, error, prefix, sink),
    );
  }
}
