import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const FLAGS = ["-Urpf", "--mount-proc"];
const canUnshare = spawnSync("unshare", [...FLAGS, "true"]).status === 0;

describe.skipIf(!canUnshare)("start in a process namespace that ends with the call", () => {
  const inside = (root: string, ...flags: string[]) => {
    const script = `${JIG} web start --root ${root} ${flags.join(" ")}; exit $?`;
    return runJig([...FLAGS, "sh", "-c", script], { program: "unshare" });
  };

  test("is refused with the remedy; --anyway starts a server that is gone with it", async () => {
    const root = tempDir();
    const refused = await inside(root);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^jig web: this call runs in a process namespace of its own .*nothing was started\nhint: /,
    );
    expect(refused.stderr).toContain("--foreground");
    expect(existsSync(join(root, "state/server.pid"))).toBe(false);
    expect(await inside(root, "--anyway")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"started"'),
    });
    expect((await runJig(["web", "status", "--root", root])).stdout).not.toContain('"running"');
  });

  test("finds one that runs outside", async () => {
    const root = tempDir();
    await runJig(["web", "start", "--root", root]);
    try {
      const found = await inside(root);
      // The sandbox decides what can be seen of it; it is never taken for gone and started a second time.
      expect([0, 1]).toContain(found.code);
      expect((await runJig(["web", "status", "--root", root])).stdout).toContain('"running"');
    } finally {
      await runJig(["web", "stop", "--root", root]);
    }
  });
});
