// rewrite-for-ever.ts PATH SIZE: replace a file again and again, filled with a, b, c …; until killed.
import { writeFileAtomic } from "../../../src/kernel/files/atomic.ts";

for (let turn = 0; ; turn++) {
  const letter = String.fromCharCode(97 + (turn % 26));
  writeFileAtomic(process.argv[2]!, letter.repeat(Number(process.argv[3])));
}
