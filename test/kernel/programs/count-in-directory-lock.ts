// count-in-directory-lock.ts LOCK COUNTER TURNS: as count-locked.ts, with a lock directory.
import { readFileSync, writeFileSync } from "node:fs";
import { isHeld, tryDirectoryLock } from "../../../src/kernel/files/lock.ts";

const [path, counter, turns] = process.argv.slice(2);
for (let turn = 0; turn < Number(turns); turn++) {
  let lock = tryDirectoryLock(path!, { pid: process.pid });
  while (!isHeld(lock)) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    lock = tryDirectoryLock(path!, { pid: process.pid });
  }
  const value = Number(readFileSync(counter!, "utf8"));
  await new Promise((resolve) => setTimeout(resolve, 1));
  writeFileSync(counter!, String(value + 1));
  if (lock.release() !== "released") throw new Error("lost our own lock");
}
