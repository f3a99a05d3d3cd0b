import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A fresh private directory (real path), removed when the test ends. Call it inside a test or a beforeEach. */
export function tempDir(name = "jig-test-"): string {
  const path = makeTempDir(name);
  onTestFinished(() => removeDir(path));
  return path;
}

/** As `tempDir`, for a whole file: remove it with `removeDir` in afterAll. */
export function makeTempDir(name = "jig-test-"): string {
  return realpathSync(mkdtempSync(join(tmpdir(), name)));
}

export function removeDir(path: string) {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
