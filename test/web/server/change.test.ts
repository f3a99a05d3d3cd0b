import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type ChangeKey, isDropping, makeChangeKey } from "../../../src/web/server/changes/change-key.ts";
import { makeChangeWatch } from "../../../src/web/server/changes/change-watch.ts";
import { until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

let screens: string;
let tree: ChangeKey;
const monotonic = () => performance.now();

beforeEach(() => {
  screens = tempDir("jig-change-");
  tree = makeChangeKey(screens, monotonic);
});

function write(name: string, content: string, seconds = 1000) {
  writeFileSync(join(screens, name), content);
  utimesSync(join(screens, name), seconds, seconds);
}

async function keyNow(): Promise<string> {
  await tree.scan();
  return tree.key;
}

describe("the change key", () => {
  test("40 hex digits that follow path, time and size of every file, and nothing else", async () => {
    const empty = await keyNow();
    expect(empty).toMatch(/^[0-9a-f]{40}$/);
    write("a.html", "one");
    const one = await keyNow();
    expect(one).not.toBe(empty);
    write("a.html", "two");
    expect(await keyNow()).toBe(one);
    write("a.html", "two", 1001);
    expect(await keyNow()).not.toBe(one);
    write("a.html", "longer");
    expect(await keyNow()).not.toBe(one);
    write("a.html", "one");
    mkdirSync(join(screens, "d"));
    expect(await keyNow()).toBe(one);
    renameSync(join(screens, "a.html"), join(screens, "b.html"));
    expect(await keyNow()).not.toBe(one);
  });

  test("links and editors' droppings do not count, deep files do", async () => {
    mkdirSync(join(screens, "d/e"), { recursive: true });
    const before = await keyNow();
    symlinkSync("/etc/hosts", join(screens, "link"));
    symlinkSync("/etc", join(screens, "d/etc"));
    for (const name of [".DS_Store", "Thumbs.db", "x~", "x.swp", "x.swx", "x.swo", "x.tmp", ".#x", "4913"]) {
      expect(isDropping(name)).toBe(true);
      write(name, "x");
    }
    expect(await keyNow()).toBe(before);
    write("d/e/f.css", "x");
    expect(await keyNow()).not.toBe(before);
  });

  test("looking at changed paths alone gives the key a scan gives, whatever happened", async () => {
    const name = fc.constantFrom("a", "b", "d/x", "d/y", "e.tmp");
    const step = fc.record({ name, size: fc.option(fc.nat(3)), seconds: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        rmSync(screens, { recursive: true });
        mkdirSync(join(screens, "d"), { recursive: true });
        const quick = makeChangeKey(screens, monotonic);
        await quick.scan();
        for (const { name, size, seconds } of steps) {
          if (size === null) rmSync(join(screens, name), { force: true });
          else write(name, "x".repeat(size), seconds);
          expect(quick.touch([name], true)).toBe("done");
        }
        expect(quick.key).toBe(await keyNow());
      }),
      { numRuns: 40 },
    );
  });

  test("a directory needs a scan, an emptied file is torn until it is accepted", async () => {
    write("a.html", "text");
    await tree.scan();
    const before = tree.key;
    mkdirSync(join(screens, "new"));
    expect(tree.touch(["new"], false)).toBe("scan");
    write("a.html", "", 2000);
    expect(tree.touch(["a.html"], false)).toBe("torn");
    expect(tree.key).toBe(before);
    expect(tree.touch(["a.html"], true)).toBe("done");
    expect(tree.key).not.toBe(before);
  });
});

describe("watching", () => {
  function watched() {
    const keys: string[] = [];
    const lines: string[] = [];
    const watch = makeChangeWatch(screens, tree, {
      changed: (key) => void keys.push(key),
      log: (line) => void lines.push(line),
      monotonic,
      platform: process.platform,
    });
    onTestFinished(() => watch.stop());
    return { watch, keys, lines };
  }

  const different = (keys: readonly string[], from: string) => keys.find((key) => key !== from);

  test("a write, a new directory and a file in it, a rename over, a removal", async () => {
    write("a.html", "one");
    const { watch, keys } = watched();
    await watch.start();
    for (const change of [
      () => writeFileSync(join(screens, "a.html"), "two"),
      () => {
        mkdirSync(join(screens, "n/m"), { recursive: true });
        writeFileSync(join(screens, "n/m/b.css"), "x");
      },
      () => writeFileSync(join(screens, "n/m/b.css"), "longer"),
      () => {
        writeFileSync(join(screens, "n/c.tmp"), "whole");
        renameSync(join(screens, "n/c.tmp"), join(screens, "a.html"));
      },
      () => rmSync(join(screens, "n"), { recursive: true }),
    ]) {
      const from = tree.key;
      keys.length = 0;
      change();
      await until("a new key", () => different(keys, from));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

  test("droppings are told to nobody, and nothing is scanned after stop", async () => {
    const { watch, keys } = watched();
    await watch.start();
    const from = tree.key;
    writeFileSync(join(screens, ".DS_Store"), "x");
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(different(keys, from)).toBeUndefined();
    watch.stop();
    writeFileSync(join(screens, "a.html"), "x");
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(different(keys, from)).toBeUndefined();
  });

  test("a directory put in the place of the watched one is watched in turn", async () => {
    write("a.html", "one");
    const { watch, keys } = watched();
    await watch.start();
    rmSync(screens, { recursive: true });
    mkdirSync(screens);
    writeFileSync(join(screens, "b.html"), "new");
    await until("the removal", () => keys.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const from = tree.key;
    keys.length = 0;
    writeFileSync(join(screens, "c.html"), "later");
    await until("the later write", () => different(keys, from));
  });

  test("more directories than may be watched are polled, and the log says so once", async () => {
    for (let index = 0; index < 1025; index++) mkdirSync(join(screens, `d${index}`));
    const { watch, keys, lines } = watched();
    await watch.start();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("looking for changes regularly");
    const from = tree.key;
    writeFileSync(join(screens, "d7/x.css"), "x");
    await until("the polled change", () => different(keys, from));
  });

  test("those who ask during a scan get one that began after they asked", async () => {
    for (let index = 0; index < 300; index++) write(`f${index}`, "x");
    const { watch } = watched();
    const first = watch.check();
    const second = watch.check();
    const third = watch.check();
    writeFileSync(join(screens, "f0"), "changed");
    await first;
    expect(await second).toBe(await third);
    expect(await second).toBe(await keyNow());
  });
});
