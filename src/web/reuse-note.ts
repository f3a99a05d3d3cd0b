import type { Host } from "../kernel/call/host.ts";
import type { ServeOptions, WebFlags } from "./options.ts";
import type { DisplayInfo } from "./schema.ts";
import { processArguments } from "./state/process-arguments.ts";

/** One line when a running server is used although the call asked for something else (docs/spec/web.md 4.2). */
export async function reuseNote(
  host: Host,
  flags: WebFlags,
  options: ServeOptions,
  info: DisplayInfo,
): Promise<string | undefined> {
  const differing: string[] = [];
  if (flags.host !== undefined && flags.host !== info.host) differing.push("--host");
  if (flags.port !== undefined && options.port !== 0 && options.port !== info.port) differing.push("--port");
  const owner = flags["owner-pid"];
  if (owner !== undefined && owner !== (info.owner_pid ?? "none")) differing.push("--owner-pid");
  const args = await processArguments(info.pid, host);
  const words = args !== undefined && "words" in args ? args.words : undefined;
  const asked: [string, string[]][] = [
    ["--auth", flags.auth === undefined ? [] : [options.auth]],
    ["--allow-host", flags["allow-host"] === undefined ? [] : options.allowHosts],
    ["--public-url", flags["public-url"] === undefined ? [] : [options.publicUrl!.origin]],
  ];
  for (const [flag, values] of asked) {
    if (values.some((value) => words === undefined || !hasFlag(words, flag, value))) differing.push(flag);
  }
  if (differing.length === 0) return undefined;
  return `using the running server on ${info.host} port ${info.port}, which was started with another ${differing.join(", ")}; stop it first to change that`;
}

function hasFlag(words: readonly string[], flag: string, value: string): boolean {
  return words.some(
    (word, index) => word === `${flag}=${value}` || (word === flag && words[index + 1] === value),
  );
}
