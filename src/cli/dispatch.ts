import type { Command } from "../kernel/call/command.ts";
import { EXIT } from "../kernel/call/errors.ts";
import type { Terminal } from "../kernel/call/outcome.ts";
import { compileHotCode } from "../runtime/jit.ts";
import { makeHost } from "./host.ts";
import type { Alias } from "./names/under-name.ts";
import { ParseFailure } from "./parse/parse.ts";
import { habit, type Parsed, parse, type Reached, reach } from "./parse/reach.ts";
import { complain, printOutcome, printText, writerFor } from "./print/print.ts";
import type { Surroundings } from "./surroundings.ts";
import { roomNamed } from "./tree.ts";

/** Run a call by the name it was invoked under; gives the exit code. */
export async function runInvocation(
  invokedAs: string,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  // Nearly every call is one of jig itself: what drop-in names need is loaded for the others alone.
  if (words[0] !== "--as" && (invokedAs === "jig" || invokedAs.endsWith("/jig")))
    return runWords(words, surroundings);
  const { underName } = await import("./names/under-name.ts");
  const call = await underName(invokedAs, words, process.platform);
  if (!("usage" in call)) return runWords(call.words, surroundings, call.alias);
  complain(surroundings.sink, call.usage);
  return EXIT.usage;
}

/** Run jig's own words: `job status ID`. */
export async function runWords(
  words: readonly string[],
  surroundings: Surroundings,
  alias?: Alias,
): Promise<number> {
  const { sink, env } = surroundings;
  const [name, ...rest] = words;
  if (name === undefined || name === "--help" || name === "-h") {
    const { overview } = await import("./help/overview.ts");
    return printText(overview(), sink, "jig: ");
  }
  if (name === "help") return runWords([...rest, "--help"], surroundings);
  if (name === "--version") return runWords(["version", ...rest], surroundings);

  const room = roomNamed(name);
  if (room === undefined)
    return (await import("./help/unknown-word.ts")).reportUnknownWord(name, words, sink);
  let prefix = alias?.prefix ?? `jig ${name}: `;
  let reached: Reached | undefined;
  try {
    if (room.works) compileHotCode();
    reached = await reach(room, rest);
    if (reached.works) compileHotCode();
    prefix = habit(reached, "prefix") ?? prefix;
    const parsed = parse(reached, alias);
    if (parsed.kind === "run")
      return await runCommand(parsed.command, parsed.args, prefix, surroundings, alias);
    const { helpText } = await import("./help/help.ts");
    return printText(await helpText(parsed.target, pageOn(sink.terminal("stdout"))), sink, prefix);
  } catch (error) {
    if (error instanceof ParseFailure && reached !== undefined) {
      const { reportUsage } = await import("./help/usage-report.ts");
      return reportUsage(reached, error, prefix, sink, alias?.name);
    }
    const debug = env["JIG_DEBUG"] === "1";
    return (await import("./print/print-error.ts")).printError(error, sink, prefix, debug);
  }
}

/** A pipe has no width: there a page is as wide as it reads well. */
function pageOn({ colour, isTerminal, width }: Terminal) {
  return { colour, width: isTerminal ? width : Number.POSITIVE_INFINITY };
}

async function runCommand(
  command: Command,
  args: Extract<Parsed, { kind: "run" }>["args"],
  prefix: string,
  { env, sink, cwd }: Surroundings,
  alias: Alias | undefined,
): Promise<number> {
  const host = makeHost({
    env,
    prefix,
    sink,
    invokedAs: alias?.name,
    ...(cwd === undefined ? {} : { cwd }),
    run: async (argv, overrides) =>
      (await import("./nested.ts")).collect(host, overrides, (inner) => runWords(argv, inner)),
  });
  if ("stream" in command) return command.stream(host, args, writerFor(sink));
  const outcome = await command.run(host, args);
  if (alias?.json === undefined || !args.flags.json)
    return printOutcome(outcome, args.flags.json, sink, prefix);
  const { jsonIn } = await import("./print/json-form.ts");
  return printOutcome({ ...outcome, json: jsonIn(alias.json, outcome.data) }, true, sink, prefix);
}
