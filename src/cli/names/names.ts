import type { DropInName } from "../../kernel/call/room.ts";
import { allRooms, TREE } from "../tree.ts";

/** Every upstream name jig answers to, in the order of the rooms (docs/spec/cli.md section 3). */
export function dropInNames(): string[] {
  return allRooms().flatMap((room) => (room.dropInNames === undefined ? [] : Object.keys(room.dropInNames)));
}

/** What a name of `dropInNames` means. */
export function dropInName(name: string): DropInName {
  const room = allRooms().find(
    ({ dropInNames }) => dropInNames !== undefined && Object.hasOwn(dropInNames, name),
  );
  return room!.dropInNames![name]!;
}

/** The name without the extension of a script. */
export function withoutExtension(name: string): string {
  return [".py", ".js", ".sh"].some((extension) => name.endsWith(extension)) ? name.slice(0, -3) : name;
}

/**
 * The drop-in name an executable's name stands for: one of them with or without its extension; on Windows without
 * regard to case and with an optional `.exe`. Undefined for any other name, which is plain jig. One pass, and no room is
 * asked after the one that has it: a call under such a name waits for this.
 */
export function knownName(
  invokedAs: string,
  platform: NodeJS.Platform,
): { name: string; meaning: DropInName } | undefined {
  let given = invokedAs.slice(Math.max(invokedAs.lastIndexOf("/"), invokedAs.lastIndexOf("\\")) + 1);
  if (platform === "win32") {
    given = given.toLowerCase();
    if (given.endsWith(".exe")) given = given.slice(0, -".exe".length);
  }
  let shortened: { name: string; meaning: DropInName } | undefined;
  for (const room of Object.values(TREE)) {
    for (const [name, meaning] of Object.entries(room().dropInNames ?? {})) {
      const written = platform === "win32" ? name.toLowerCase() : name;
      if (given === written) return { name, meaning };
      if (given === withoutExtension(written)) shortened ??= { name, meaning };
    }
  }
  return shortened;
}
