import type { DropInName } from "../../kernel/call/room.ts";
import { allRooms } from "../tree.ts";

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
 * regard to case and with an optional `.exe`. Undefined for any other name, which is plain jig.
 */
export function dropInNameOf(invokedAs: string, platform: NodeJS.Platform): string | undefined {
  let name = invokedAs.slice(Math.max(invokedAs.lastIndexOf("/"), invokedAs.lastIndexOf("\\")) + 1);
  if (name === "jig") return undefined;
  if (platform === "win32") {
    name = name.toLowerCase();
    if (name.endsWith(".exe")) name = name.slice(0, -".exe".length);
  }
  const names = dropInNames();
  const written = (candidate: string) => (platform === "win32" ? candidate.toLowerCase() : candidate);
  return (
    names.find((candidate) => name === written(candidate)) ??
    names.find((candidate) => name === withoutExtension(written(candidate)))
  );
}
