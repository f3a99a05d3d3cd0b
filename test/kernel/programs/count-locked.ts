// count-locked.ts LOCK COUNTER TURNS: add one to a number in a file, unprotected but for the lock.
import { readFileSync, writeFileSync } from "node:fs";
import { withKernelLock } from "../../../src/kernel/files/lock.ts";

const [lock, counter, turns] = process.argv.slice(2);
for (let turn = 0; turn < Number(turns); turn++) {
  await withKernelLock(
    lock!,
    async () => {
      const value = Number(readFileSync(counter!, "utf8"));
      await new Promise((resolve) => setTimeout(resolve, 1));
      writeFileSync(counter!, String(value + 1));
    },
    { timeoutMs: 20_000 },
  );
}
