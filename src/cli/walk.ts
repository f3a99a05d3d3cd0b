import type { Command, Group } from "../kernel/call/command.ts";
import type { Room } from "../kernel/call/room.ts";
import { doorOf } from "./parse/reach.ts";
import { allRooms } from "./tree.ts";

/** One command or group of the tree, loaded. */
export interface Place {
  /** The words that reach it: `["craft", "ledger", "append"]`. */
  path: readonly string[];
  target: Command | Group;
}

/** Everything below every room, or below one: a group before its verbs, in the order of declaration. */
export async function* walk(rooms: readonly Room[] = allRooms()): AsyncGenerator<Place> {
  for (const room of rooms) yield* below([room.name], await doorOf(room));
}

async function* below(path: readonly string[], target: Command | Group): AsyncGenerator<Place> {
  yield { path, target };
  if (!("verbs" in target)) return;
  for (const [name, verb] of Object.entries(target.verbs)) yield* below([...path, name], await doorOf(verb));
}
