import baseDir from "../base-dir/room.ts";
import config from "../config/room.ts";
import craft from "../craft/room.ts";
import demo from "../demo/room.ts";
import doctor from "../doctor/room.ts";
import elevate from "../elevate/room.ts";
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

/** Every room, in the order the overview shows it within its theme. Each is loaded only when it is called. */
export const ROOMS: readonly Room[] = [
  baseDir,
  scratch,
  config,
  packs,
  plan,
  craft,
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
];

/** The command tree (docs/spec/cli.md section 1), by the word after `jig`. */
export const TREE: Readonly<Record<string, Room>> = Object.fromEntries(
  ROOMS.map((room) => [room.name, room]),
);
