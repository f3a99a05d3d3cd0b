/** Write docs/commands.md from the command tree. `npm run docs`; a test fails when the file has drifted. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandReference } from "../src/cli/help/reference.ts";

const path = join(import.meta.dirname, "../docs/commands.md");
writeFileSync(path, await commandReference());
console.log(`wrote ${path}`);
