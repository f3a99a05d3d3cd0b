import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { DRIVER_EXIT, stateDirectory } from "./state-directory.ts";

/** Say whether an outside program drives this run, and where it waits for the result (docs/spec/craft-run.md 4.1). */
export function active(host: Host): Outcome<{ directory: string | null }> {
  const directory = stateDirectory(host);
  if (directory === undefined)
    return { data: { directory: null }, text: "", exitCode: DRIVER_EXIT.notDriven };
  return { data: { directory }, text: directory };
}
