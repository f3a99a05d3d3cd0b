import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { failure } from "../common/fail.ts";
import { readPayload } from "../common/input.ts";
import { documentOutcome } from "../common/result.ts";
import type { RunArguments } from "./schema.ts";
import { splitInput } from "./split.ts";

const NAME = "parse-args";

/** `parse-args [--from FILE]`: the flags and the brief of a run's raw input, so that an agent need not look for them. */
export async function parseArgs(host: Host, from: string | undefined): Promise<Outcome<RunArguments>> {
  const split = splitInput(await readPayload(host, NAME, { from }));
  if (!split.ok) throw failure(NAME, split.message);
  const { flags, brief } = split;
  const values = (name: string) => flags.filter((flag) => flag.name === name).map(({ value }) => value);
  const configs = values("--config");
  if (configs.length > 1) throw failure(NAME, "--config given more than once");
  const skip = values("--skip").flatMap((list) => list.split(","));
  return documentOutcome({
    config: configs[0] ?? null,
    profile: values("--profile").at(-1) ?? null,
    skip: [...new Set(skip.map((id) => id.trim()).filter((id) => id !== ""))],
    harness: values("--harness"),
    policy: values("--policy"),
    flags: flags.length === 0 ? "none" : flags.map(({ written }) => written).join(" "),
    brief,
  });
}
