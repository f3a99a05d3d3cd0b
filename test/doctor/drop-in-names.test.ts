import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesFor } from "../../src/cli/link/launchers.ts";
import { examineDropInNames } from "../../src/doctor/checks/drop-in-names.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

/** What doctor says of a directory on PATH that holds these names. */
async function examine(prepare: (directory: string) => void) {
  const directory = join(tempDir(), "bin");
  mkdirSync(directory);
  prepare(directory);
  const names = ["one.py", "two.sh", "three.js"];
  const catalogue = async () => ({ dropInNames: () => names, readOnlyCalls: async () => [] });
  return examineDropInNames(testHost({ env: { PATH: directory }, catalogue }));
}

/** A launcher script of a name, as `jig link --launchers` writes it. */
const launcher = (name: string, jig: string) => filesFor(name, jig, "linux", true)[0]!.script!;

test("names that lead to jig are named, in whatever form they stand there", async () => {
  const checks = await examine((directory) => {
    const jig = join(directory, "it's jig-1");
    writeFileSync(jig, "");
    symlinkSync(jig, join(directory, "one.py"));
    writeFileSync(join(directory, "two.sh"), launcher("two.sh", jig));
    writeFileSync(join(directory, "three.js"), launcher("three.js", jig));
  });
  expect(checks).toMatchObject([{ level: "ok" }]);
  for (const name of ["two.sh", "three.js"]) expect(checks[0]!.message).toContain(name);
});

test("a name whose jig is gone is a finding that says how to mend it", async () => {
  const checks = await examine((directory) => {
    symlinkSync(join(directory, "jig"), join(directory, "one.py"));
    writeFileSync(join(directory, "two.sh"), launcher("two.sh", "/nowhere/jig"));
  });
  expect(checks.map(({ level }) => level)).toEqual(["finding", "finding"]);
  expect(checks[1]).toMatchObject({
    message: expect.stringContaining("leads to a jig that is gone: /nowhere/jig"),
    mend: expect.stringMatching(/^jig link \S+ two\.sh \(or jig link --remove \S+\)$/),
  });
});

test("what is not ours is not looked into, and no name at all is only a note", async () => {
  const foreign = await examine((directory) => writeFileSync(join(directory, "one.py"), "print('mine')\n"));
  expect(foreign).toMatchObject([{ level: "note", message: expect.stringContaining("none on PATH") }]);
  const other = await examine((directory) => symlinkSync("/nowhere/jig", join(directory, "other.py")));
  expect(other).toMatchObject([{ level: "note" }]);
});
