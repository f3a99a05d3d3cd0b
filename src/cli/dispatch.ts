import type { Command } from "../kernel/call/command.ts";
import { EXIT } from "../kernel/call/errors.ts";
import type { Terminal } from "../kernel/call/outcome.ts";
import type { DropInName, JsonForm } from "../kernel/call/room.ts";
import { compileHotCode } from "../runtime/jit.ts";
import { makeHost } from "./host.ts";
import { dropInName, dropInNameOf, dropInNames, withoutExtension } from "./names/names.ts";
import { ParseFailure } from "./parse/parse.ts";
import { doorOf, habit, type Parsed, parse, type Reached, reach } from "./parse/reach.ts";
import { complain, printOutcome, printText, type Sink, writerFor } from "./print/print.ts";
import type { Surroundings } from "./surroundings.ts";
import { TREE } from "./tree.ts";

/** A call made under a drop-in name. */
interface Alias {
  name: string;
  meaning: DropInName;
  prefix: string;
  json: JsonForm | undefined;
}

/** Run a call by the name it was invoked under; gives the exit code. */
export async function runInvocation(
  invokedAs: string,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  if (words[0] === "--as") {
    const name = words[1] === undefined ? undefined : dropInNameOf(words[1], process.platform);
    if (name === undefined) {
      const problem = words[1] === undefined ? "--as needs a name" : `--as: unknown name '${words[1]}'`;
      complain(surroundings.sink, `jig: ${problem}; expected one of ${dropInNames().join(", ")}`);
      return EXIT.usage;
    }
    return runUnderName(name, words.slice(2), surroundings);
  }
  const name = dropInNameOf(invokedAs, process.platform);
  return name === undefined ? runWords(words, surroundings) : runUnderName(name, words, surroundings);
}

async function runUnderName(
  name: string,
  words: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const meaning = dropInName(name);
  const prefix = meaning.prefix ?? `${withoutExtension(name)}: `;
  const said = meaning.translate === undefined ? { words } : (await meaning.translate()).translate(words);
  if ("usage" in said) {
    complain(surroundings.sink, prefix + said.usage);
    return EXIT.usage;
  }
  const json = ("json" in said ? said.json : undefined) ?? meaning.json;
  return runWords([...meaning.words, ...said.words], surroundings, { name, meaning, prefix, json });
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

  const room = Object.hasOwn(TREE, name) ? TREE[name] : undefined;
  if (room === undefined)
    return (await import("./help/unknown-word.ts")).reportUnknownWord(name, words, sink);
  let prefix = alias?.prefix ?? `jig ${name}: `;
  try {
    if (room.works) compileHotCode();
    const reached = await reach(await doorOf(room), rest);
    if (reached.works) compileHotCode();
    prefix = habit(reached, "prefix") ?? prefix;
    const parsed = await understand(reached, prefix, sink, alias);
    if (typeof parsed === "number") return parsed;
    if (parsed.kind === "help") {
      const { helpText } = await import("./help/help.ts");
      return printText(await helpText(parsed.target, pageOn(sink.terminal("stdout"))), sink, prefix);
    }
    return await runCommand(parsed.command, parsed.args, prefix, surroundings, alias);
  } catch (error) {
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

function understand(
  reached: Reached,
  prefix: string,
  sink: Sink,
  alias: Alias | undefined,
): Parsed | Promise<number> {
  try {
    return parse(reached, alias?.meaning);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return import("./help/usage-report.ts").then(({ reportUsage }) =>
      reportUsage(reached, error, prefix, sink, alias?.name),
    );
  }
}
