import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addressesOf, startNotes } from "../../src/web/addresses.ts";
import { reachableHost } from "../../src/web/client.ts";
import { type ServeOptions, timesFrom } from "../../src/web/options.ts";
import type { DisplayInfo } from "../../src/web/schema.ts";
import { DEFAULT_TIMES } from "../../src/web/server/config.ts";
import { isServerOf } from "../../src/web/state/ownership.ts";
import { testHost } from "../support/host.ts";
import { tempDir } from "../support/temp.ts";

describe("whose server a process is", () => {
  const words = (...list: string[]) => ({ words: list });

  test("ours, by any way it was started", () => {
    const root = tempDir();
    for (const args of [
      words("/opt/jig", "web", "serve", "--root", root),
      words("jig-linux-x64", "web", "start", "--foreground", `--root=${root}`),
      words("node", "/x/light-webserver.js", "serve", "--root", root),
      words("/x/light-webserver.js", "start", "--root", root),
    ]) {
      expect(isServerOf(args, root, undefined)).toBe(true);
    }
  });

  test("not ours: another root, another program, another verb", () => {
    for (const args of [
      words("/opt/jig", "web", "serve", "--root", "/t/ab"),
      words("/opt/jig", "web", "wait", "--root", "/t/a"),
      words("python3", "serve", "--root", "/t/a"),
      words("vitest", "/t/a"),
      words(),
    ]) {
      expect(isServerOf(args, "/t/a", "/")).toBe(false);
    }
  });

  test("the same directory by another name", () => {
    const dir = tempDir();
    mkdirSync(join(dir, "real"));
    symlinkSync("real", join(dir, "link"));
    const through = (root: string) => words("jig", "web", "serve", "--root", root);
    expect(isServerOf(through("real"), join(dir, "link"), dir)).toBe(true);
    expect(isServerOf(through("real"), join(dir, "link"), "/")).toBe(false);
    expect(isServerOf(through("real"), join(dir, "link"), undefined)).toBe(false);
    expect(isServerOf(through(join(dir, "link")), join(dir, "real"), undefined)).toBe(true);
  });

  test("where the system gives one string, a part of it must do", () => {
    expect(isServerOf({ flat: "/opt/jig web serve --root /t/a" }, "/t/a", undefined)).toBe(true);
    expect(isServerOf({ flat: "node light-webserver.js start --root /t/a" }, "/t/a", undefined)).toBe(true);
    expect(isServerOf({ flat: "/opt/jig web observe --root /t/a" }, "/t/a", undefined)).toBe(false);
    expect(isServerOf({ flat: "vim serve /t/a" }, "/t/a", undefined)).toBe(false);
  });
});

test("where a server is asked from here", () => {
  expect(["", "0.0.0.0", "::", "[::]", "[::1]", "10.0.0.1", "localhost"].map(reachableHost)).toEqual([
    "127.0.0.1",
    "127.0.0.1",
    "::1",
    "::1",
    "::1",
    "10.0.0.1",
    "localhost",
  ]);
});

test("budgets that are no positive numbers are the defaults", () => {
  for (const value of ["", "0", "-5", "abc", "Infinity", "NaN"]) {
    expect(timesFrom({ CE_LIGHT_WEB_IDLE_TIMEOUT_MS: value })).toEqual(DEFAULT_TIMES);
  }
  expect(timesFrom({ CE_LIGHT_WEB_SSE_GRACE_MS: "12.5" }).grace).toBe(12.5);
});

describe("addresses", () => {
  const options = (over: Partial<ServeOptions>): ServeOptions => ({
    root: "/r",
    host: "127.0.0.1",
    port: 0,
    annotate: true,
    ownerPid: "none",
    auth: "auto",
    allowHosts: [],
    publicUrl: undefined,
    ...over,
  });
  const url = async (host: string, sixTaken = false) =>
    (await addressesOf(options({ host }), 80, sixTaken, undefined)).url;

  test("localhost, unless that cannot reach the one address that is bound", async () => {
    for (const host of ["127.0.0.1", "::1", "[::1]", "localhost", "0.0.0.0", "::"])
      expect(await url(host)).toBe("http://localhost:80");
    expect(await url("127.0.0.1", true)).toBe("http://127.0.0.1:80");
    expect(await url("10.0.0.7")).toBe("http://10.0.0.7:80");
    expect(await url("fd00::7")).toBe("http://[fd00::7]:80");
  });

  test("the link with the token, and every address worth handing out", async () => {
    const publicUrl = new URL("https://preview.example/");
    const found = await addressesOf(options({ publicUrl }), 80, false, "T");
    expect(found).toEqual({
      url: "http://localhost:80",
      authorize_url: "http://localhost:80/__ce-annotate/authorize?token=T",
      urls: ["http://localhost:80", "https://preview.example"],
    });
    expect(await addressesOf(options({}), 80, false, undefined)).toEqual({ url: "http://localhost:80" });
  });

  test("a bind beyond loopback is announced in one line", () => {
    const notes = (over: Partial<ServeOptions>) =>
      startNotes(testHost(), options(over), { url: "http://localhost:80", port: 80 } as DisplayInfo);
    expect(notes({})).toEqual([]);
    expect(notes({ host: "0.0.0.0" })).toEqual([expect.stringMatching(/view-only.*authorize_url.*\n$/)]);
    expect(notes({ host: "0.0.0.0", auth: "open" })).toEqual([expect.stringContaining("annotate them")]);
    expect(notes({ host: "0.0.0.0", annotate: false })).toEqual([
      expect.stringMatching(/see the screens\n$/),
    ]);
  });
});
