/** Files that are no UTF-8: said so and never passed, and printed back byte for byte. */
import { describe, expect, test } from "vitest";
import { runJig } from "../support/run.ts";
import { check, GOOD, GOOD_HTML, writePlan } from "./support.ts";

const utf16 = (text: string, bigEndian = false) => {
  const bytes = Buffer.from(text, "utf16le");
  return bigEndian ? bytes.swap16() : bytes;
};
const latin1 = (text: string) => Buffer.from(text, "latin1");

describe("check", () => {
  test.each([
    ["UTF-16 with its mark", utf16(`\ufeff${GOOD}`), true],
    ["UTF-16, big end first", utf16(`\ufeff${GOOD}`, true), true],
    ["UTF-16 without a mark", utf16(GOOD), true],
    ["Latin-1 without front matter", latin1("# caf\xe9\n"), false],
    ["Latin-1 under another contract", latin1(`${GOOD.replace("plan/v1", "plan/v2")}\ncaf\xe9\n`), false],
    ["NUL in a legacy document", Buffer.from("# a\0b\n"), false],
  ])("%s fails and is named", async (_what, bytes, is16) => {
    for (const name of ["x.md", "x.html"]) {
      const report = await check(bytes, { name });
      expect([report.exitCode, report.status]).toEqual([1, "fail"]);
      const finding = report.findings.find(({ rule }) => rule === "PLAN-C15");
      expect(finding?.severity).toBe("error");
      expect(finding!.message).toContain("UTF-8");
      expect(finding!.message.includes("UTF-16")).toBe(is16);
    }
  });

  test("a document that is UTF-8 keeps its standing, also with a mark", async () => {
    expect(await check("\ufeff# legacy\n")).toMatchObject({ exitCode: 0, status: "legacy" });
    expect(await check(GOOD_HTML, { name: "x.html" })).toMatchObject({ exitCode: 0, status: "pass" });
    expect(await check(latin1("# caf\xe9\n"), { ignore: ["PLAN-C15"] })).toMatchObject({ status: "legacy" });
  });
});

describe("sections --get", () => {
  test("prints the file's own bytes", async () => {
    const bytes = latin1("\xef\xbb\xbf# T\n\n## A\n\ncaf\xe9 \xff\r\n\n## B\n\nlast \xe9");
    const path = writePlan(bytes, "x.md");
    const get = (name: string) => runJig(["plan", "sections", path, "--get", name]);
    expect((await get("A")).bytes).toEqual(latin1("## A\n\ncaf\xe9 \xff\r\n\n"));
    expect((await get("B")).bytes).toEqual(latin1("## B\n\nlast \xe9\n"));
    expect((await get("T")).bytes).toEqual(Buffer.concat([bytes.subarray(3), latin1("\n")]));
  });

  test("as JSON refuses what JSON cannot carry, and the map says so", async () => {
    const path = writePlan(latin1("## A\n\ncaf\xe9\n\n## B\n\ngood\n"), "x.md");
    const run = await runJig(["plan", "sections", path, "--get", "A", "--json"]);
    expect([run.code, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toMatch(/not UTF-8.*--json/s);
    expect((await runJig(["plan", "sections", path, "--get", "B", "--json"])).code).toBe(0);
    const map = await runJig(["plan", "sections", path]);
    expect([map.code, map.stderr]).toEqual([
      0,
      expect.stringMatching(/^note: .*x\.md: is not UTF-8 \(line 3\)/),
    ]);
  });
});
