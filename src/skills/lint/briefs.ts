import type { Brief } from "./promises.ts";

/** What each brief under docs/spec/skills asks of its skill, by the skill's name. */
const BRIEFS: Readonly<Record<string, () => Promise<{ default: Brief }>>> = {
  "jig-base-dir": () => import("./briefs/base-dir.ts"),
  "jig-brainstorm": () => import("./briefs/brainstorm.ts"),
  "jig-jobs": () => import("./briefs/jobs.ts"),
  "jig-packs": () => import("./briefs/packs.ts"),
  "jig-show": () => import("./briefs/show.ts"),
};

/** The brief of one of jig's skills; undefined for any other. */
export async function briefOf(name: string): Promise<Brief | undefined> {
  return Object.hasOwn(BRIEFS, name) ? (await BRIEFS[name]!()).default : undefined;
}
