import type { Host } from "../../kernel/call/host.ts";
import { abandonedDemos } from "../../kernel/shared/demo-directory.ts";
import { userTempDirectory } from "../../kernel/shared/temp-root.ts";
import { removeCommand } from "../../kernel/text/shell-word.ts";
import { finding } from "../check.ts";
import type { Check } from "../schema.ts";

/** What a killed `jig demo` could not take away. */
export async function examineDemos(host: Host): Promise<Check[]> {
  const left = await abandonedDemos(userTempDirectory(host), host);
  return left.map((directory) =>
    finding(
      "demo",
      `a demo that was killed left ${directory}`,
      removeCommand(directory, "directory", host.platform),
    ),
  );
}
