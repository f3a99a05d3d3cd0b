import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { sleep } from "../kernel/text/time.ts";

/** The demo's own background worker: `review DIR RESULT` counts the files of a project, `hang` never ends by itself. */
export async function demoWorker([task, directory, result]: readonly string[]): Promise<number> {
  if (task === "review" && directory !== undefined && result !== undefined) {
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !entry.parentPath.includes(".git"),
    );
    writeFileSync(`${result}.part`, JSON.stringify({ files: files.length }) + "\n");
    renameSync(`${result}.part`, result);
    return 0;
  }
  while (task === "hang") await sleep(1_000);
  return 2;
}
