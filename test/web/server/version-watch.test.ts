import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lookAtScreens } from "../../../src/web/server/screens/newest-screen.ts";
import { versionWatch } from "../../../src/web/server/screens/version-watch.ts";
import { until } from "../../support/run.ts";
import { tempDir } from "../../support/temp.ts";

/** A version watch whose looks seem to take this long, and are counted. */
function watched(tookMs: number) {
  const screens = join(tempDir(), "screens");
  mkdirSync(screens);
  let looks = 0;
  let now = 0;
  const look = () => {
    looks++;
    now += tookMs;
    return lookAtScreens(screens);
  };
  const watch = versionWatch(screens, look, () => now);
  onTestFinished(watch.stop);
  const write = (name: string, seconds: number) => {
    writeFileSync(join(screens, name), "x");
    utimesSync(join(screens, name), seconds, seconds);
  };
  return {
    screens,
    write,
    name: () => watch.newest()?.name,
    looks: () => looks,
    pass(ms: number) {
      now += ms;
    },
  };
}

test("a cheap look is made every time", () => {
  const { write, name, looks } = watched(1);
  write("a.html", 1);
  for (let index = 0; index < 5; index++) expect(name()).toBe("a.html");
  expect(looks()).toBe(5);
});

test("a dear one only when something changed, or its trust ran out", async () => {
  const { screens, write, name, looks, pass } = watched(20);
  write("a.html", 1);
  for (let index = 0; index < 10; index++) expect(name()).toBe("a.html");
  expect(looks()).toBe(2);
  write("b.html", 2);
  await until("the new screen", () => name() === "b.html");
  utimesSync(join(screens, "a.html"), 3, 3);
  await until("the touched screen", () => name() === "a.html");
  renameSync(screens, `${screens}-old`);
  mkdirSync(screens);
  write("c.html", 1);
  name();
  pass(4001);
  await until("the screen of the new directory", () => name() === "c.html");
  const before = looks();
  pass(4001);
  name();
  expect(looks()).toBe(before + 1);
});

test("with a link among the screens nothing is trusted", () => {
  const { screens, write, name, looks } = watched(20);
  write("a.html", 1);
  symlinkSync("a.html", join(screens, "l.html"));
  for (let index = 0; index < 5; index++) name();
  expect(looks()).toBe(5);
});
