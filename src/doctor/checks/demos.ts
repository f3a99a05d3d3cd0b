import { abandonedDemos } from "../../kernel/demo-directory.ts";
import type { Host } from "../../kernel/host.ts";
import { shellWord } from "../../kernel/shell-word.ts";
import { userTempDirectory } from "../../kernel/temp-root.ts";
import { finding } from "../check.ts";
import type { Check } from "../schema.ts";

/** What a killed `jig demo` could not take away. */
export async function examineDemos(host: Host): Promise<Check[]> {
  const left = await abandonedDemos(userTempDirectory(host), host);
  return left.map((directory) =>
    finding("demo", `a demo that was killed left ${directory}`, `rm -r ${shellWord(directory)}`),
  );
}
