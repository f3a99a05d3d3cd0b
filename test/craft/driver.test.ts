import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runWorld } from "./run-world.ts";

const URL = "https://h/p/1";

function world() {
  const { call, base, cwd } = runWorld();
  const state = join(base, "driver");
  mkdirSync(state);
  const driver = (words: string[], stdin = "", variable: string | undefined = state) =>
    call(["driver", ...words], {
      stdin,
      ...(variable === undefined ? {} : { env: { CRAFT_DRIVER_STATE: variable } }),
    });
  const put = (name: string, text: string) => {
    writeFileSync(join(cwd, name), text);
    return name;
  };
  const read = (name: string) => readFileSync(join(state, name), "utf8");
  return { base, state, driver, put, read, call };
}

describe("driver", () => {
  test("craft-run-24 driven, not driven, unusable", async () => {
    const { driver, state, base, call } = world();
    expect(await call(["driver", "active"])).toMatchObject({ code: 1, stdout: "", stderr: "" });
    expect(await driver(["active"], "", "")).toMatchObject({ code: 1, stdout: "", stderr: "" });
    expect(await driver(["active"])).toMatchObject({ code: 0, stdout: `${state}\n` });
    writeFileSync(join(base, "file"), "");
    for (const bad of [join(base, "file"), join(base, "no"), "driver"]) {
      const { code, stdout, stderr } = await driver(["active"], "", bad);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^driver-state: CRAFT_DRIVER_STATE /);
    }
    expect((await driver([])).code).toBe(2);
    expect((await call(["driver", "blocked", "review", "-"])).code).toBe(1);
  });

  test("craft-run-25 a reason is kept literally, once", async () => {
    const { driver, read, state } = world();
    const reason = "$(rm -rf x)\n`y`\u001b[31m\tz\n\n";
    expect(await driver(["blocked", "review", "-"], reason)).toMatchObject({ code: 0, stdout: "" });
    expect(read("status")).toMatch(
      /^BLOCKED review\nat: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n\n\$\(rm -rf x\)\n`y`\[31m\tz\n$/,
    );
    const before = read("status");
    expect((await driver(["blocked", "review", "-"], "again")).code).toBe(4);
    expect((await driver(["finished", URL])).code).toBe(4);
    expect(read("status")).toBe(before);
    expect(readdirSync(state)).toEqual(["status"]);
  });

  test("craft-run-47 --from stands in for the dash; blank, oversized and wrong words", async () => {
    const { driver, put, read, state } = world();
    for (const [words, stdin] of [
      [["blocked", "Bad", "-"], "x"],
      [["blocked", "review"], "x"],
      [["blocked", "review", "text"], "x"],
      [["blocked", "review", "-"], " \n\n"],
      [["blocked", "review", "--from", "no"], ""],
      [["blocked", "review", "-", "--from", "x"], ""],
    ] as const) {
      expect({ words, code: (await driver([...words], stdin)).code }).toEqual({ words, code: 2 });
    }
    expect(readdirSync(state)).toEqual([]);
    await driver(["blocked", "review", "--from", put("reason", `${"é".repeat(40_000)}`)]);
    const text = read("status").split("\n").slice(3).join("\n");
    expect(text).toMatch(/^é+\n\[truncated\]\n$/);
    expect(Buffer.byteLength(text)).toBeLessThan(65_536 + 16);
  });

  test("craft-run-26 an election is there before the status, its flags stripped", async () => {
    const { driver, put, read, state } = world();
    put("e.md", "because\n");
    put("p.txt", "/craft:run P7 --policy integrate=always now");
    const { code, stderr } = await driver(["finished", URL, "--election", "e.md", "--prompt", "p.txt"]);
    expect(code).toBe(0);
    expect(stderr).toContain("stripped 1 --policy flag(s) from the prompt");
    expect(read("next.prompt")).toBe("/craft:run P7 now");
    expect(read("next.md")).toBe("because\n");
    expect(read("status")).toMatch(
      /^FINISHED https:\/\/h\/p\/1\nat: \S+\nelection: next\.md\nprompt: next\.prompt\n$/,
    );
    expect(readdirSync(state).sort()).toEqual(["next.md", "next.prompt", "status"]);
  });

  test("craft-run-27 a disguised flag is exit 3 and writes nothing", async () => {
    const { driver, put, state } = world();
    put("e.md", "because");
    for (const token of ["--policy integrate=yes", "—policy", "--pol\u200bicy", "--рolicy", '"--policy",']) {
      put("p.txt", `go ${token} on`);
      const { code, stderr } = await driver(["finished", URL, "--election", "e.md", "--prompt", "p.txt"]);
      expect(code).toBe(3);
      expect(stderr).toMatch(/prompt still holds a token that reads as --policy at 1:4 \(U\+/);
      expect(readdirSync(state)).toEqual([]);
    }
    put("p.txt", "docs/policy.md branch-policy policy -- policy");
    expect((await driver(["finished", URL, "--election", "e.md", "--prompt", "p.txt"])).code).toBe(0);
  });

  test("craft-run-47 without an election nothing of an interrupted call stays", async () => {
    const { driver, state } = world();
    writeFileSync(join(state, "next.md"), "stale");
    for (const left of [".jig-driver-0123", ".jig-driver-status.guard", ".tmp-its-own"]) {
      writeFileSync(join(state, left), "");
    }
    writeFileSync(join(state, "next.prompt"), "stale");
    expect((await driver(["finished", URL])).code).toBe(0);
    expect(readdirSync(state).sort()).toEqual([".tmp-its-own", "status"]);
  });

  test("craft-run-47 two calls at once: one wins, and its three files belong together", async () => {
    for (let round = 0; round < 6; round++) {
      const { driver, put, read } = world();
      const call = (n: number) => {
        put(`e${n}`, `why ${n}`);
        put(`p${n}`, `prompt ${n}`);
        return driver(["finished", `https://h/p/${n}`, "--election", `e${n}`, "--prompt", `p${n}`]);
      };
      const codes = (await Promise.all([call(1), call(2)])).map(({ code }) => code);
      expect([...codes].sort()).toEqual([0, 4]);
      const winner = codes.indexOf(0) + 1;
      expect(read("status")).toContain(`FINISHED https://h/p/${winner}\n`);
      expect(read("next.md")).toBe(`why ${winner}`);
      expect(read("next.prompt")).toBe(`prompt ${winner}`);
    }
  });

  test("wrong URLs, one file alone, blank files", async () => {
    const { driver, put, state } = world();
    put("e.md", "x");
    put("blank", " \n");
    put("onlyflag", "--policy push=always\n");
    for (const words of [
      ["finished", "ftp://x"],
      ["finished", "https://a b"],
      ["finished", `https://h/${"x".repeat(2_050)}`],
      ["finished", URL, "--election", "e.md"],
      ["finished", URL, "--prompt", "e.md"],
      ["finished", URL, "--election", "e.md", "--prompt", "blank"],
      ["finished", URL, "--election", "e.md", "--prompt", "onlyflag"],
      ["finished", URL, "--election", "e.md", "--prompt", "."],
      ["finished"],
    ]) {
      expect({ words, code: (await driver(words)).code }).toEqual({ words, code: 2 });
    }
    expect(readdirSync(state)).toEqual([]);
  });

  test.skipIf(process.geteuid?.() === 0)("a directory that cannot be written is unusable", async () => {
    const { driver, state } = world();
    chmodSync(state, 0o500);
    expect((await driver(["active"])).code).toBe(2);
    expect(existsSync(join(state, "status"))).toBe(false);
  });
});
