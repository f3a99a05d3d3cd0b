import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { anchorIn, readAnchor, readAnchorInPlace } from "../../src/base-dir/anchor.ts";
import { AnchorSchema } from "../../src/base-dir/schema.ts";
import { writeAnchor } from "../../src/base-dir/write-anchor.ts";
import { JigError } from "../../src/kernel/call/errors.ts";
import { tempDir } from "../support/temp.ts";
import { ANCHOR, world } from "./fixture.ts";

/** The message of the failure, which must name the anchor. */
function failure(path: string): string {
  try {
    readAnchorInPlace(path);
  } catch (error) {
    expect(error).toBeInstanceOf(JigError);
    expect((error as JigError).exitCode).toBe(1);
    expect((error as Error).message).toContain(path);
    return (error as Error).message;
  }
  throw new Error("the anchor was accepted");
}

function withAnchor(content: string | Uint8Array | Record<string, unknown>) {
  const directory = tempDir();
  const path = anchorIn(directory);
  const isText = typeof content === "string" || content instanceof Uint8Array;
  writeFileSync(path, isText ? content : JSON.stringify(content));
  return { directory, path };
}

describe("reading", () => {
  test("base-dir-24 every version but the number 1 gets the same message", () => {
    const values: [string, string][] = [
      ["true", "true"],
      ['"1"', '"1"'],
      ["0", "0"],
      ["-1", "-1"],
      ["1.5", "1.5"],
      ["null", "null"],
      ["2", "2"],
    ];
    for (const [json, shown] of values) {
      const { directory, path } = withAnchor("");
      writeFileSync(path, `{"version":${json},"base":"${directory}","source":"cwd-inference"}`);
      const message = failure(path);
      expect(message).toContain(`has version=${shown};`);
      expect(message).toContain("supports version 1");
      expect(message).toContain("Delete the anchor and re-resolve.");
    }
    expect(failure(withAnchor({ base: "/x", source: "cwd-inference" }).path)).toContain(
      "has version=missing",
    );
    const { directory, path } = withAnchor("");
    writeFileSync(path, `{"version":1.0,"base":"${directory}","source":"cwd-inference"}`);
    expect(readAnchorInPlace(path)?.base).toBe(directory);
  });

  test("base-dir-25 what is not a JSON object is named as such and left alone", async () => {
    for (const content of ["not json", "", '{"version":1', "\ufeff{}", new Uint8Array([0xff, 0x7b])]) {
      const { path } = withAnchor(content);
      const before = readFileSync(path);
      expect(failure(path)).toContain("is not valid JSON");
      expect(readFileSync(path)).toEqual(before);
    }
    for (const content of ["[]", '"x"', "1", "null"]) {
      expect(failure(withAnchor(content).path)).toContain("is not a JSON object");
    }
    const large = failure(withAnchor(`{"x":"${"y".repeat(70_000)}"}`).path);
    expect(large).toContain("is not valid JSON");
    expect(large).toContain("too large");
    // Through the program: exit 1, the same text with its prefix, the file untouched.
    const w = world();
    const proj = w.dir("proj");
    writeFileSync(join(proj, ANCHOR), "not json");
    const run = await w.run(proj, ["resolve", "--json"]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toMatch(/^Error: anchor .* is not valid JSON/);
    expect(readFileSync(join(proj, ANCHOR), "utf8")).toBe("not json");
  });

  test("base-dir-26 an anchor that describes another directory is refused", () => {
    const { path, directory } = withAnchor({ version: 1, base: "/elsewhere", source: "cwd-inference" });
    const message = failure(path);
    expect(message).toContain("records base=/elsewhere");
    expect(message).toContain(`but lives at ${directory}`);
    expect(message).toContain("refusing to use");
  });

  test("base-dir-27 another spelling of the same directory is accepted", () => {
    const directory = tempDir();
    mkdirSync(join(directory, "proj"));
    symlinkSync("proj", join(directory, "link"));
    const path = anchorIn(join(directory, "proj"));
    for (const base of ["proj/../proj/", "link", "proj/"]) {
      const fields = { version: 1, base: `${directory}/${base}`, source: "cwd-inference" };
      writeFileSync(path, JSON.stringify(fields));
      expect(readAnchorInPlace(path)?.base).toBe(`${directory}/${base}`);
    }
  });

  test("base-dir-28 an unknown source is refused", () => {
    for (const source of ["manual", "absolute-path-arg", "", 7, undefined]) {
      const { path } = withAnchor({ version: 1, base: "/x", source });
      const message = failure(path);
      expect(message).toContain("has invalid source=");
      expect(message).toContain("Delete the anchor and re-resolve.");
    }
  });

  test("base-dir-35 a directory, a FIFO or a dangling link in its place is not a regular file", async () => {
    const directory = tempDir();
    const path = anchorIn(directory);
    mkdirSync(path);
    expect(failure(path)).toContain("is not a regular file");
    rmSync(path, { recursive: true });
    spawnSync("mkfifo", [path]);
    expect(failure(path)).toContain("is not a regular file");
    rmSync(path);
    symlinkSync("nowhere", path);
    expect(failure(path)).toContain("is not a regular file");
    const w = world();
    const proj = w.dir("proj");
    symlinkSync("nowhere", join(proj, ANCHOR));
    const run = await w.run(proj, ["resolve"]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("is not a regular file");
    expect(readdirSync(proj)).toEqual([ANCHOR]);
  });

  test("the base must be a non-empty absolute string", () => {
    for (const base of [undefined, "", 5, null]) {
      const { path } = withAnchor({ version: 1, base, source: "cwd-inference" });
      expect(failure(path)).toContain("is missing the 'base' field");
    }
    const message = failure(withAnchor({ version: 1, base: "rel/x", source: "cwd-inference" }).path);
    expect(message).toContain("has non-absolute base=rel/x");
    expect(message).toContain("Delete the anchor and re-resolve.");
  });

  test("unknown keys and any resolved_at are ignored, and a symlink to a regular file is read", () => {
    const { directory, path } = withAnchor("");
    const fields = { version: 1, base: directory, source: "task-scope", resolved_at: 7, later: { a: 1 } };
    writeFileSync(join(directory, "real"), JSON.stringify(fields));
    rmSync(path);
    symlinkSync("real", path);
    expect(readAnchorInPlace(path)).toEqual({ path, base: directory });
  });

  test("a hostile value cannot reach the terminal", () => {
    const { path } = withAnchor({ version: "\u001b[31m\n", base: "/x", source: "cwd-inference" });
    expect(failure(path)).not.toMatch(/[\u001b\n]/);
    const other = withAnchor({ version: 1, base: "/x\u001b]0;t\u0007\n", source: "cwd-inference" });
    expect(failure(other.path)).not.toMatch(/[\u001b\u0007\n]/);
  });

  test("a base that cannot be looked at means another directory", () => {
    const { directory, path } = withAnchor("");
    symlinkSync("loop", join(directory, "loop"));
    for (const base of [join(directory, "loop"), `${directory}/\u0000`, `/${"x".repeat(300)}`]) {
      writeFileSync(path, JSON.stringify({ version: 1, base, source: "cwd-inference" }));
      const message = failure(path);
      expect(message).toMatch(/ records base=.* but lives at .*refusing to use/);
      expect(message).not.toContain("\u0000");
    }
  });

  test("agrees with the published schema on any object, and never throws anything but a JigError", () => {
    const { directory, path } = withAnchor("");
    const value = fc.oneof(
      fc.constantFrom(1, 2, true, "1", "task-scope", "cwd-inference", "manual", "", directory, "rel"),
      fc.jsonValue(),
    );
    const object = fc.record(
      { version: value, base: value, source: value, resolved_at: fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(object, (fields) => {
        writeFileSync(path, JSON.stringify(fields));
        let accepted: boolean;
        try {
          accepted = readAnchor(path) !== undefined;
        } catch (error) {
          if (!(error instanceof JigError)) throw error;
          accepted = false;
        }
        const valid = v.is(AnchorSchema, JSON.parse(JSON.stringify(fields)));
        // The schema cannot say "absolute"; everything else is the same rule.
        const absolute = typeof fields.base === "string" && fields.base.startsWith("/");
        expect(accepted).toBe(valid && absolute);
      }),
      { numRuns: 300 },
    );
  });
});

describe("writing", () => {
  test("what is written is read back, with six fraction digits", () => {
    const directory = tempDir();
    expect(writeAnchor(directory, "task-scope", Date.UTC(2026, 6, 31, 10, 15, 2))).toBe(true);
    const fields = JSON.parse(readFileSync(anchorIn(directory), "utf8"));
    expect(fields).toEqual({
      version: 1,
      base: directory,
      source: "task-scope",
      resolved_at: "2026-07-31T10:15:02.000000+00:00",
    });
    expect(v.is(AnchorSchema, fields)).toBe(true);
    expect(readAnchorInPlace(anchorIn(directory))).toEqual({ path: anchorIn(directory), base: directory });
    expect(writeAnchor(directory, "cwd-inference", 0)).toBe(false);
    expect(readdirSync(directory)).toEqual([ANCHOR]);
  });
});
