import { beforeAll, expect, test } from "vitest";
import { type Machine, machine, withWindows } from "./support/machine.ts";

withWindows("the Windows build", () => {
  let windows: Machine;
  beforeAll(async () => {
    windows = await machine();
  });

  test("starts, says what it is, and refuses what it does not know", async () => {
    expect(await windows.jig(["version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^jig \S+ \(windows-x64, \w+\)\n$/),
      stderr: "",
    });
    expect(await windows.jig(["no-such-room"])).toMatchObject({ code: 2, stdout: "" });
  });
});
