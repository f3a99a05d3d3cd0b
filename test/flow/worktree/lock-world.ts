import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layoutOf } from "../../../src/flow/common/layout.ts";
import { isoSeconds } from "../../../src/kernel/text/time.ts";
import { tempDir } from "../../support/temp.ts";

export const HOUR_MS = 3_600_000;

export function git(cwd: string, ...words: string[]): string {
  const config = [
    "-c",
    "user.name=T",
    "-c",
    "user.email=t@example.invalid",
    "-c",
    "commit.gpgSign=false",
    "-c",
    "safe.directory=*",
  ];
  const run = spawnSync("git", [...config, ...words], { cwd, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`git ${words.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

/** A repository on `main` with one commit, and where the merge lock is. */
export function lockWorld() {
  const root = join(tempDir(), "R");
  mkdirSync(root);
  git(root, "init", "-q", "-b", "main");
  writeFileSync(join(root, "README.md"), "one\n");
  git(root, "add", "README.md");
  git(root, "commit", "-qm", "one");
  const layout = layoutOf(root);
  const lock = layout.mergeLock;
  const metadata = join(lock, "metadata.json");
  /** A lock with this metadata (text as it is), so many milliseconds old. */
  const hold = (content: object | string | undefined, ageMs = 0) => {
    mkdirSync(lock, { recursive: true });
    if (content !== undefined) {
      writeFileSync(metadata, typeof content === "string" ? content : JSON.stringify(content));
    }
    const then = new Date(Date.now() - ageMs);
    utimesSync(lock, then, then);
  };
  /** An artifact of another workflow, written so long ago by its own word. */
  const artifact = (wf: string, ageMs: number) => {
    mkdirSync(layout.workflows, { recursive: true });
    const updated = isoSeconds(Date.now() - ageMs);
    writeFileSync(layout.artifact(wf), JSON.stringify({ workflow_uuid: wf, updated_at: updated }));
  };
  return { root, layout, lock, metadata, hold, artifact };
}

export const ago = (milliseconds: number) => isoSeconds(Date.now() - milliseconds);
