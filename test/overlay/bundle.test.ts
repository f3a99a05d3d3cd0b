import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BUN, ROOT } from "../support/paths.ts";

const file = (name: string) => readFileSync(`${ROOT}/assets/annotate/${name}`, "utf8");

describe("the overlay as it is handed out", () => {
  test("is what its source gives", () => {
    const check = spawnSync(BUN, ["scripts/overlay.ts", "--check"], { cwd: ROOT, encoding: "utf8" });
    expect(check.stderr).toBe("");
    expect(check.status).toBe(0);
  });

  test("keeps its budgets: 120 KB of script, 28 KB of style", () => {
    expect(Buffer.byteLength(file("annotate.js"))).toBeLessThanOrEqual(120 * 1024);
    expect(Buffer.byteLength(file("annotate.css"))).toBeLessThanOrEqual(28_000);
  });

  test("is one function expression that names no global, evaluates no text and knows no other host", () => {
    const script = file("annotate.js").replace(/^(?:\/\/.*\n)*/, "");
    expect(script).toMatch(/^\(\(\)=>\{[\s\S]*\}\)\(\);\s*$/);
    expect(script).not.toMatch(
      /\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|localStorage|indexedDB|document\.cookie/,
    );
    expect(script.match(/https?:\/\/[^"'`]+/g)).toEqual(["http://www.w3.org/2000/svg"]);
  });
});
