import { join } from "node:path";
import { isDirectory } from "../../../kernel/files/look.ts";
import type { WriteTarget } from "../shell/targets.ts";
import { type Guarded, type Place, placeOf } from "./places.ts";
import { resolveTarget, writtenTarget } from "./target.ts";

/** Targets whose links are followed; of the others of a command with so many only the text counts. */
const MOST_LOOKED = 500;
/** Files of one kind that are kept: more say nothing new. */
const MOST_OF_A_KIND = 1_000;

/** What stands in the path of every file that is guarded. */
const SIGNS = [".craftflow", "skills"];

/** The guarded files among those a command writes to. */
export class Written {
  /** By their real paths, in the order of the command. */
  readonly found = new Map<string, Place>();
  /** The real paths of those that were looked at. */
  readonly looked: string[] = [];
  readonly cwd: string;
  readonly projects: readonly Guarded[];
  private readonly seen = new Set<string>();
  private readonly kinds = new Map<Place["kind"], number>();

  constructor(cwd: string, projects: readonly Guarded[]) {
    this.cwd = cwd;
    this.projects = projects;
  }

  /** Take in a target; sources end up below one that is a directory. */
  add({ directory, names, path }: WriteTarget): void {
    if (!directory) this.addPath(path);
    if (names.length === 0) return;
    const isBelow =
      directory || (this.seen.size <= MOST_LOOKED && isDirectory(resolveTarget(this.cwd, path).real));
    if (isBelow) for (const name of names) this.addPath(join(path, name));
  }

  addPath(path: string): void {
    if (path === "" || this.seen.has(path)) return;
    this.seen.add(path);
    const looks = this.seen.size <= MOST_LOOKED;
    if (!looks && !SIGNS.some((sign) => path.includes(sign) || this.cwd.includes(sign))) return;
    const target = looks ? resolveTarget(this.cwd, path) : writtenTarget(this.cwd, path);
    if (looks) this.looked.push(target.real);
    const place = placeOf(target, this.projects);
    if (place === undefined || place.kind === "state") return;
    const count = (this.kinds.get(place.kind) ?? 0) + 1;
    this.kinds.set(place.kind, count);
    if (count <= MOST_OF_A_KIND) this.found.set(target.real, place);
  }
}
