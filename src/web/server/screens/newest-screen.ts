import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";

/** The screen shown at `/` (docs/spec/web.md 6.1). */
export interface NewestScreen {
  /** Its name in `screens/`, as a path that can be looked up. */
  entry: string;
  /** The base name of its real path: what `/version` reports. */
  name: string;
  mtimeMs: number;
}

/** One look at the children of `screens/`. */
export interface LookAtScreens {
  newest: NewestScreen | undefined;
  /** Some candidate is a symlink, whose target lies elsewhere. */
  links: boolean;
}

/** The regular `.html` child with the latest modification time whose real path is inside `screens/`. */
export function newestScreen(screens: string): NewestScreen | undefined {
  return lookAtScreens(screens).newest;
}

export function lookAtScreens(screens: string): LookAtScreens {
  let newest: NewestScreen | undefined;
  let links = false;
  for (const child of childrenOf(screens)) {
    if (!child.name.endsWith(".html") || child.isDirectory()) continue;
    if (child.isSymbolicLink()) links = true;
    const path = join(screens, child.name);
    try {
      const stat = statSync(path);
      if (!stat.isFile() || !isNewer(stat.mtimeMs, child.name, newest)) continue;
      const name = child.isSymbolicLink() ? nameInside(screens, path) : child.name;
      if (name !== undefined) newest = { entry: child.name, name, mtimeMs: stat.mtimeMs };
    } catch {
      // Gone while it was looked at, or a link to nowhere.
    }
  }
  return { newest, links };
}

function childrenOf(screens: string) {
  try {
    return readdirSync(screens, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isNewer(mtimeMs: number, entry: string, than: NewestScreen | undefined): boolean {
  if (than === undefined || mtimeMs > than.mtimeMs) return true;
  return mtimeMs === than.mtimeMs && Buffer.compare(Buffer.from(entry), Buffer.from(than.entry)) > 0;
}

function nameInside(screens: string, path: string): string | undefined {
  const real = realpathSync.native(path);
  return real.startsWith(realpathSync.native(screens) + sep) ? basename(real) : undefined;
}
