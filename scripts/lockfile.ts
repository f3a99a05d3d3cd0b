/**
 * Take out of package-lock.json what must not stand in it. Run it after every `npm install`; a test checks.
 *
 * - `engines`: npm leaves out optional packages whose engines do not fit the machine's Node, and the native halves of the
 *   tools are such packages. The tools run on the project's own Bun, whatever Node is there.
 * - `resolved`: download addresses.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const path = join(import.meta.dirname, "../package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, Record<string, unknown>> };
for (const entry of Object.values(lock.packages)) {
  delete entry["engines"];
  delete entry["resolved"];
}
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
