// publish.ts PATH TEXT: publish a file exclusively and say whether this call made it.
import { publishExclusive } from "../../../src/kernel/files/atomic.ts";

try {
  console.log(publishExclusive(process.argv[2]!, process.argv[3]!));
} catch (error) {
  console.log(String(error));
}
