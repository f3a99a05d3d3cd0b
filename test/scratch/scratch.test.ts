import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { type RunOptions, runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { runUnprivileged, unprivilegedUid } from "../support/unprivileged.ts";

const uid = process.geteuid?.();
const isRoot = uid === 0;

/** `$R` and `$T` of the examples, and a call in them. */
function setUp(owner = uid!) {
  const [root, other] = [tempDir(), tempDir()];
  const run = (words: readonly string[], options: RunOptions = {}) =>
    runJig(["scratch", ...words], {
      cwd: root,
      ...options,
      env: { JIG_TMP_ROOT: root, TMPDIR: other, ...options.env },
    });
  return {
    root,
    other,
    run,
    primary: join(root, `compound-engineering-${owner}`),
    fallback: join(other, `compound-engineering-${owner}`),
  };
}

const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe.runIf(process.platform !== "win32")("jig scratch", () => {
  test("config-28 makes three private directories whatever the umask", async () => {
    for (const umask of ["0777", "000"]) {
      const { root, primary } = setUp();
      const run = await runJig(["-c", `umask ${umask}; exec "$0" scratch ce-brainstorm run1`, JIG], {
        program: "/bin/sh",
        env: { JIG_TMP_ROOT: root },
      });
      expect([run.code, run.stdout, run.stderr]).toEqual([0, `${join(primary, "ce-brainstorm/run1")}\n`, ""]);
      for (const path of [primary, join(primary, "ce-brainstorm"), join(primary, "ce-brainstorm/run1")]) {
        expect(modeOf(path)).toBe(0o700);
      }
    }
  });

  test("config-29 the same arguments open the same directory and keep its contents", async () => {
    const { run, primary } = setUp();
    const first = await run(["s", "r"]);
    expect(first.stdout).toBe(`${join(primary, "s/r")}\n`);
    const dir = first.stdout.trim();
    writeFileSync(join(dir, "kept"), "x");
    chmodSync(primary, 0o755);
    chmodSync(join(primary, "s"), 0o755);
    const again = await run(["s", "r", "--json"]);
    expect(again.stdout).toBe(`${JSON.stringify({ dir, root: primary, fallback: false })}\n`);
    expect(readFileSync(join(dir, "kept"), "utf8")).toBe("x");
    expect([modeOf(primary), modeOf(join(primary, "s"))]).toEqual([0o700, 0o700]);
  });

  test("config-30 a file in the primary root's place: the fallback", async () => {
    const { run, primary, fallback } = setUp();
    writeFileSync(primary, "");
    const result = await run(["s", "r", "--json"]);
    expect([result.code, result.stderr]).toEqual([0, ""]);
    expect(JSON.parse(result.stdout)).toEqual({ dir: join(fallback, "s/r"), root: fallback, fallback: true });
    // The fallback needs a TMPDIR that can be used; without one it is below JIG_TMP_ROOT again.
    for (const bad of ["rel", "bad\ufffd"]) {
      const refused = await run(["s", "r"], { env: { TMPDIR: bad } });
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(refused.stderr).toContain("TMPDIR");
    }
    expect((await run(["s", "r"], { env: { TMPDIR: "" } })).code).toBe(1);
    const relative = await run(["s", "r"], { env: { JIG_TMP_ROOT: "rel" } });
    expect([relative.code, relative.stdout]).toEqual([1, ""]);
  });

  test("config-31 a planted symlink is never followed", async () => {
    const { run, root, primary, fallback } = setUp();
    mkdirSync(join(root, "target"));
    symlinkSync("target", primary);
    expect((await run(["s", "r"])).stdout).toBe(`${join(fallback, "s/r")}\n`);
    expect(readdirSync(join(root, "target"))).toEqual([]);
    rmSync(fallback, { recursive: true });
    symlinkSync(join(root, "target"), fallback);
    const refused = await run(["s", "r"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(`unsafe scratch root symlink: ${fallback}`);
    expect(readdirSync(join(root, "target"))).toEqual([]);
  });

  test("config-32 an own primary root that takes no writes: the fallback, with a note", async () => {
    const owner = unprivilegedUid!;
    const { root, other, primary, fallback } = setUp(owner);
    mkdirSync(primary);
    if (isRoot) for (const path of [root, other, primary]) chownSync(path, owner, owner);
    chmodSync(primary, 0o500);
    const run = await runUnprivileged(["scratch", "s", "r"], {
      env: { JIG_TMP_ROOT: root, TMPDIR: other },
    });
    expect([run.code, run.stdout]).toEqual([0, `${join(fallback, "s/r")}\n`]);
    expect(run.stderr).toMatch(/^note: [^\n]*\n$/);
    expect(run.stderr).toContain(primary);
    expect(run.stderr).toContain(fallback);
    expect(modeOf(primary)).toBe(0o500);
  });

  test("config-33 names that are no safe component are usage errors, and nothing is made", async () => {
    const { run, root, other } = setUp();
    for (const words of [
      ["../x", "r"],
      ["..", "r"],
      ["a/b", "r"],
      ["s", ""],
      ["s", "..."],
      ["s", "a b"],
      ["s", "x".repeat(129)],
      ["s"],
    ]) {
      const result = await run(words);
      expect([words, result.code, result.stdout]).toEqual([words, 2, ""]);
    }
    expect([readdirSync(root), readdirSync(other)]).toEqual([[], []]);
  });

  test("config-34 a symlink, file or foreign directory below the root is named and left alone", async () => {
    const { run, root, primary } = setUp();
    await run(["other", "r"]);
    mkdirSync(join(root, "target"));
    symlinkSync(join(root, "target"), join(primary, "s"));
    writeFileSync(join(primary, "other/file"), "");
    const cases = [
      ["s", "r", join(primary, "s")],
      ["other", "file", join(primary, "other/file")],
    ];
    if (isRoot) {
      mkdirSync(join(primary, "other/foreign"));
      chownSync(join(primary, "other/foreign"), 12_345, 12_345);
      cases.push(["other", "foreign", join(primary, "other/foreign")]);
    }
    for (const [skill, runId, named] of cases) {
      const result = await run([skill!, runId!]);
      expect([result.code, result.stdout]).toEqual([1, ""]);
      expect(result.stderr).toContain(named);
    }
    expect(readdirSync(join(root, "target"))).toEqual([]);
  });

  test("config-35 twenty calls at once print one path", async () => {
    const { run, primary } = setUp();
    const runs = await Promise.all(Array.from({ length: 20 }, () => run(["s", "r"], { timeout: 60_000 })));
    expect(runs.map((one) => [one.code, one.stdout, one.stderr])).toEqual(
      runs.map(() => [0, `${join(primary, "s/r")}\n`, ""]),
    );
    expect(readdirSync(primary)).toEqual(["s"]);
  });

  test("twenty calls at once under a hostile umask also agree", async () => {
    // Not as root, which may write where no mode bit allows it.
    const owner = unprivilegedUid!;
    const { root, other, primary } = setUp(owner);
    if (isRoot) for (const path of [root, other]) chownSync(path, owner, owner);
    const runs = await Promise.all(
      Array.from({ length: 20 }, () =>
        runUnprivileged(["scratch", "s", "r"], {
          umask: "0777",
          env: { JIG_TMP_ROOT: root, TMPDIR: other },
        }),
      ),
    );
    expect(runs.map((one) => [one.code, one.stdout, one.stderr])).toEqual(
      runs.map(() => [0, `${join(primary, "s/r")}\n`, ""]),
    );
  });

  test.runIf(isRoot)("a fallback root of another user is refused", async () => {
    const { run, primary, fallback } = setUp();
    writeFileSync(primary, "");
    mkdirSync(fallback);
    chownSync(fallback, 12_345, 12_345);
    const result = await run(["s", "r"]);
    expect([result.code, result.stdout]).toEqual([1, ""]);
    expect(result.stderr).toContain(`scratch root is not owned by the current user: ${fallback}`);
  });
});
