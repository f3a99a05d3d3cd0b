import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { errorCode, JigError, osReason } from "../../kernel/call/errors.ts";
import { uninterrupted } from "../../kernel/files/file-io.ts";

/** `state/` is not a directory of ours: what lies in it could be anybody's (docs/spec/web.md section 3). Exit 1. */
export class UnsafeState extends JigError {
  constructor(reason: string, path: string) {
    super(`unsafe state directory (${reason}): ${path}`, {
      hint: "give a --root whose state/ is yours; nothing in this one was read",
    });
    this.name = "UnsafeState";
  }
}

/**
 * Look into `state/` by way of a descriptor whose owner and kind were checked, so that a directory put in its place
 * meanwhile is not looked into. `use` gets the path to read below. Undefined when there is none. Throws `UnsafeState`.
 */
export function insideState<T>(
  state: string,
  uid: number | undefined,
  use: (at: string) => T,
): T | undefined {
  // Windows has neither the flags nor numbers for owners.
  if (constants.O_DIRECTORY === undefined || constants.O_NOFOLLOW === undefined) {
    return checkState(state, uid) ? use(state) : undefined;
  }
  const descriptor = open(state, uid);
  if (descriptor === undefined) return undefined;
  try {
    judge(state, fstatSync(descriptor), uid);
    const named = `/proc/self/fd/${descriptor}`;
    return use(existsSync(named) ? named : state);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether there is a `state/`, by a look at its name: for what then works by path. Throws `UnsafeState`. */
export function checkState(state: string, uid: number | undefined): boolean {
  const stat = look(state);
  if (stat === undefined) return false;
  judge(state, stat, uid);
  return true;
}

function open(state: string, uid: number | undefined): number | undefined {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  try {
    return uninterrupted(() => openSync(state, flags));
  } catch (error) {
    // The kind and the owner first: they are the reason for most refusals.
    if (!checkState(state, uid)) return undefined;
    throw new UnsafeState(osReason(error), state);
  }
}

function look(state: string): Stats | undefined {
  try {
    return lstatSync(state, { throwIfNoEntry: false });
  } catch (error) {
    // The root is a file.
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw new UnsafeState(osReason(error), state);
  }
}

function judge(state: string, stat: Stats, uid: number | undefined): void {
  if (stat.isSymbolicLink()) throw new UnsafeState("is a symlink", state);
  if (uid !== undefined && stat.uid !== uid) throw new UnsafeState("belongs to another user", state);
  if (!stat.isDirectory()) throw new UnsafeState("is not a directory", state);
}
