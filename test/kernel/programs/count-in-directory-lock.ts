// count-in-directory-lock.ts LOCK COUNTER TURNS: as count-locked.ts, with a lock directory.
import { readFileSync, writeFileSync } from "node:fs";
import { acquireDirectoryLock } from "../../../src/kernel/files/lock.ts";

const [path, counter, turns] = process.argv.slice(2);
for (let turn = 0; turn < Number(turns); turn++) {
  const lock = await acquireDirectoryLock(
    path!,
    { pid: process.pid },
    { timeoutMs: 20_000, pollMs: 1, isHolderGone: () => false },
  );
  const value = Number(readFileSync(counter!, "utf8"));
  await new Promise((resolve) => setTimeout(resolve, 1));
  writeFileSync(counter!, String(value + 1));
  if (lock!.release() !== "released") throw new Error("lost our own lock");
}
