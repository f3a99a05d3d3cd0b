import baseDir from "../base-dir/room.ts";
import config from "../config/room.ts";
import craft from "../craft/room.ts";
import demo from "../demo/room.ts";
import doctor from "../doctor/room.ts";
import elevate from "../elevate/room.ts";
import flow from "../flow/room.ts";
import job from "../job/room.ts";
import type { Room } from "../kernel/call/room.ts";
import packs from "../packs/room.ts";
import plan from "../plan/room.ts";
import scratch from "../scratch/room.ts";
import skills from "../skills/room.ts";
import web from "../web/room.ts";
import completions from "./completions/room.ts";
import link from "./link/room.ts";
import schema from "./schema/room.ts";
import version from "./version/room.ts";

/**
 * The command tree (docs/spec/cli.md section 1): every room by the word after `jig`, in the order the overview shows it
 * within its theme. What a room says of itself is not looked at before it is asked for, and its door is loaded only when it
 * is called.
 */
export const TREE: Readonly<Record<string, () => Room>> = {
  "base-dir": baseDir,
  scratch,
  config,
  packs,
  plan,
  craft,
  flow,
  job,
  elevate,
  web,
  skills,
  link,
  demo,
  doctor,
  schema,
  completions,
  version,
};

/** What the room of the word after `jig` says of itself. */
export function roomNamed(name: string): Room | undefined {
  return Object.hasOwn(TREE, name) ? TREE[name]!() : undefined;
}

/** What every room says of itself. */
export function allRooms(): Room[] {
  return Object.values(TREE).map((room) => room());
}
