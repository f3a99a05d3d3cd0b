// hold-lock.ts LOCK: take the lock, say so, and hold it until killed.
import { withKernelLock } from "../../../src/kernel/files/lock.ts";

await withKernelLock(
  process.argv[2]!,
  async () => {
    console.log("held");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
  { timeoutMs: 5000 },
);
