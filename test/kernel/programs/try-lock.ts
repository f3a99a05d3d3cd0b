// try-lock.ts LOCK MS: say whether the lock can be had within MS.
import { withKernelLock } from "../../../src/kernel/files/lock.ts";

try {
  await withKernelLock(process.argv[2]!, () => console.log("got it"), { timeoutMs: Number(process.argv[3]) });
} catch (error) {
  console.log(String(error));
}
