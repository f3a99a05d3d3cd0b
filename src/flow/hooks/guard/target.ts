import { resolve, sep } from "node:path";
import { absoluteFrom, realOrPlain } from "../../../kernel/files/contain.ts";

/** A file a tool is about to touch. */
export interface Target {
  /** Where it really is, after symlinks; its end may not exist yet. */
  real: string;
  /** Every absolute path that may be compared with a protected one: also where a link on the way is part of the name. */
  forms: readonly string[];
}

/** Directories whose names say what is in them, so that a link behind them makes no difference. */
const MARKERS = [".craftflow", ".claude", ".cursor"];

/** The file a path names. A path that the system refuses to look along is taken as it is written. */
export function resolveTarget(directory: string, path: string): Target {
  const plain = resolve(directory, path);
  const real = resolve(realOrPlain(absoluteFrom(directory, path)));
  return { real, forms: [...new Set([real, plain, ...rebased(plain)])] };
}

/** As `resolveTarget`, without looking: for commands that name thousands. */
export function writtenTarget(directory: string, path: string): Target {
  const plain = resolve(directory, path);
  return { real: plain, forms: [plain] };
}

/** The path with what stands before a marker resolved, and nothing behind it. */
function rebased(plain: string): string[] {
  return MARKERS.flatMap((marker) => {
    const at = plain.indexOf(`${sep}${marker}${sep}`);
    return at <= 0 ? [] : [realOrPlain(plain.slice(0, at)) + plain.slice(at)];
  });
}
