import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examineGit } from "../../src/doctor/checks/git.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

test.each([
  ["git version 2.31.0", "ok"],
  ["git version 2.39.5 (Apple Git-154)", "ok"],
  ["git version 3.0.0", "ok"],
  ["git version 2.53.0.windows.1", "ok"],
  ["git version next", "ok"],
  ["git version 2.30.9", "finding"],
  ["git version 2.9.0", "finding"],
  ["git version 1.99.0", "finding"],
])("%s is %s", async (version, level) => {
  const bin = join(tempDir(), "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
  const [check] = await examineGit(testHost({ cwd: bin, env: { PATH: `${bin}:/usr/bin:/bin` } }));
  expect(check).toMatchObject({ check: "git", level, message: expect.stringContaining(version) });
});
