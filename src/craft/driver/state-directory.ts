import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { shown } from "../common/run-words.ts";

export const PREFIX = "driver-state: ";

/** Exit codes of the driver's verbs (docs/spec/craft-run.md 4). */
export const DRIVER_EXIT = { notDriven: 1, unusable: 2, policy: 3, statusExists: 4 } as const;

export function driverFailure(message: string, exitCode: number = DRIVER_EXIT.unusable): JigError {
  return new JigError(`${PREFIX}${message}`, { exitCode, verbatim: true });
}

/** The state directory's physical path; undefined when no driver has set one. Throws when it cannot be used (exit 2). */
export function stateDirectory(host: Host): string | undefined {
  const given = host.env["CRAFT_DRIVER_STATE"];
  if (given === undefined || given === "") return undefined;
  const unusable = (why: string) => driverFailure(`CRAFT_DRIVER_STATE ${shown(given)} ${why}`);
  if (!isAbsolute(given)) throw unusable("is not an absolute path");
  let isDirectory: boolean;
  try {
    isDirectory = statSync(given).isDirectory();
  } catch {
    throw unusable("does not exist, or cannot be looked at");
  }
  if (!isDirectory) throw unusable("is not a directory");
  try {
    accessSync(given, constants.W_OK | constants.X_OK);
  } catch {
    throw unusable("is not writable");
  }
  return realpathSync(given);
}

/** As `stateDirectory`, for the verbs that write: not driven is exit 1. */
export function requireStateDirectory(host: Host): string {
  const directory = stateDirectory(host);
  if (directory === undefined)
    throw driverFailure("not driven: CRAFT_DRIVER_STATE is unset", DRIVER_EXIT.notDriven);
  return directory;
}
