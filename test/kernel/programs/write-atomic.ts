// write-atomic.ts PATH SIZE: replace a file once with SIZE times the letter n.
import { writeFileAtomic } from "../../../src/kernel/files/atomic.ts";

writeFileAtomic(process.argv[2]!, "n".repeat(Number(process.argv[3])), { mode: 0o600 });
