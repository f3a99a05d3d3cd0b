import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newestScreen } from "../../../src/web/server/screens/newest-screen.ts";
import { encodePage, type ScreenFiles, screenFiles } from "../../../src/web/server/screens/screen-files.ts";
import { tempDir } from "../../support/temp.ts";

let root: string;
let screens: string;

beforeEach(() => {
  root = tempDir("jig-files-");
  screens = join(root, "screens");
  mkdirSync(join(screens, "sub"), { recursive: true });
  writeFileSync(join(screens, "a.txt"), "inside");
  writeFileSync(join(screens, "sub/b.txt"), "below");
  writeFileSync(join(root, "secret.txt"), "secret");
});

// Every way of opening: through the kernel's own name of the file, and by path as on other systems.
describe.each(["linux", "darwin"] as const)("files on %s", (platform) => {
  let now = 0;
  let wall = 0;
  let files: ScreenFiles;

  beforeEach(() => {
    now = 0;
    wall = Date.now();
    files = screenFiles(screens, platform, { now: () => wall, monotonic: () => now });
  });

  function content(decoded: string): string | undefined {
    const file = files.open(decoded);
    if (file === undefined) return undefined;
    try {
      return readFileSync(file.descriptor, "utf8");
    } finally {
      closeSync(file.descriptor);
    }
  }

  test("regular files inside, by any spelling", () => {
    expect(content("/a.txt")).toBe("inside");
    expect(content("//sub/../a.txt")).toBe("inside");
    expect(content("/sub/b.txt")).toBe("below");
    expect(content("/a.txt")).toBe("inside");
  });

  test.each([
    "/../secret.txt",
    "/sub/../../secret.txt",
    "/..",
    "/",
    "/.",
    "/sub",
    "/sub/",
    "/missing",
    "/a.txt/x",
    "/a\0.txt",
  ])("%j is not a file here", (path) => {
    expect(content(path)).toBeUndefined();
    expect(files.locate(path)).toBeUndefined();
  });

  test("a symlink inside counts, one that leads out does not", () => {
    symlinkSync("sub/b.txt", join(screens, "in.txt"));
    symlinkSync(join(root, "secret.txt"), join(screens, "leak.txt"));
    symlinkSync(root, join(screens, "up"));
    symlinkSync("nowhere", join(screens, "dangling"));
    expect(content("/in.txt")).toBe("below");
    expect(files.locate("/in.txt")).toBe("sub/b.txt");
    for (const path of ["/leak.txt", "/up/secret.txt", "/dangling"]) expect(content(path)).toBeUndefined();
  });

  test("a file that was served before is not after it became a link out, at once", () => {
    expect(content("/a.txt")).toBe("inside");
    rmSync(join(screens, "a.txt"));
    symlinkSync(join(root, "secret.txt"), join(screens, "a.txt"));
    expect(content("/a.txt")).toBeUndefined();
  });

  test("a directory swapped for a link out, at once", () => {
    mkdirSync(join(root, "elsewhere"));
    writeFileSync(join(root, "elsewhere/b.txt"), "secret");
    expect(content("/sub/b.txt")).toBe("below");
    renameSync(join(screens, "sub"), join(screens, "old"));
    symlinkSync(join(root, "elsewhere"), join(screens, "sub"));
    expect(content("/sub/b.txt")).toBeUndefined();
  });

  test("a file moved out with its directory is gone a second later at the latest", () => {
    expect(content("/sub/b.txt")).toBe("below");
    renameSync(join(screens, "sub"), join(root, "moved"));
    symlinkSync(join(root, "moved"), join(screens, "sub"));
    now += 1001;
    expect(content("/sub/b.txt")).toBeUndefined();
  });

  test("a rewritten file is read anew, with a new tag", () => {
    const before = files.open("/a.txt")!;
    closeSync(before.descriptor);
    writeFileSync(join(screens, "a.txt"), "longer than before");
    const after = files.open("/a.txt")!;
    closeSync(after.descriptor);
    expect(after.size).toBe(18);
    expect(after.etag).not.toBe(before.etag);
    expect(after.etag).toMatch(/^"18-\d{19}"$/);
  });

  test("kept content is given only while the path leads to the same, unchanged file", () => {
    const textOf = () => {
      const file = files.read("/a.txt");
      if (file === undefined) return undefined;
      if (!("descriptor" in file)) return `kept ${Buffer.from(file.bytes)}`;
      const text = readFileSync(file.descriptor);
      closeSync(file.descriptor);
      file.keep(new Uint8Array(text));
      return text.toString();
    };
    // A file that was written just now may be written again within the same step of its clock.
    expect([textOf(), textOf()]).toEqual(["inside", "inside"]);
    wall += 5000;
    expect([textOf(), textOf()]).toEqual(["inside", "kept inside"]);
    writeFileSync(join(screens, "a.txt"), "INSIDE");
    wall += 5000;
    expect([textOf(), textOf()]).toEqual(["INSIDE", "kept INSIDE"]);
    now += 1001;
    expect([textOf(), textOf()]).toEqual(["INSIDE", "kept INSIDE"]);
    rmSync(join(screens, "a.txt"));
    symlinkSync(join(root, "secret.txt"), join(screens, "a.txt"));
    expect(textOf()).toBeUndefined();
    rmSync(join(screens, "a.txt"));
    expect(textOf()).toBeUndefined();
  });

  test("screens itself may be a symlink, also to a new place", () => {
    renameSync(screens, join(root, "one"));
    symlinkSync("one", screens);
    expect(content("/a.txt")).toBe("inside");
    mkdirSync(join(root, "two"));
    writeFileSync(join(root, "two/a.txt"), "other");
    rmSync(screens);
    symlinkSync("two", screens);
    now += 2000;
    expect(content("/a.txt")).toBe("other");
  });

  test("a FIFO is not opened, nor waited for", () => {
    execFileSync("mkfifo", [join(screens, "pipe")]);
    expect(content("/pipe")).toBeUndefined();
  });
});

test("a swapped directory never gives out what lies outside, however the race goes", async () => {
  mkdirSync(join(root, "out"));
  writeFileSync(join(root, "out/b.txt"), "SECRET");
  const files = screenFiles(screens, process.platform, {
    now: () => Date.now(),
    monotonic: () => performance.now(),
  });
  const script = `cd '${screens}'; while :; do mv sub keep; ln -s ../out sub; rm sub; mv keep sub; done`;
  const { spawn } = await import("node:child_process");
  const swapper = spawn("sh", ["-c", script], { stdio: "ignore" });
  try {
    let seen = 0;
    const end = Date.now() + 1500;
    while (Date.now() < end) {
      await new Promise((resolve) => setImmediate(resolve));
      for (let i = 0; i < 50; i++) {
        const file = files.open("/sub/b.txt");
        if (file === undefined) continue;
        seen++;
        expect(readFileSync(file.descriptor, "utf8")).toBe("below");
        closeSync(file.descriptor);
      }
    }
    expect(seen).toBeGreaterThan(0);
  } finally {
    swapper.kill("SIGKILL");
    await new Promise((resolve) => swapper.once("close", resolve));
  }
});

test("a page path is percent-encoded once per segment", () => {
  expect(encodePage("001 special#view.html")).toBe("/001%20special%23view.html");
  expect(encodePage("a/ü?.html")).toBe("/a/%C3%BC%3F.html");
  expect(encodePage("\ud800.html")).toBe("/%EF%BF%BD.html");
});

describe("the newest screen", () => {
  const touch = (name: string, seconds: number) => utimesSync(join(screens, name), seconds, seconds);

  function html(name: string, seconds: number) {
    writeFileSync(join(screens, name), name);
    touch(name, seconds);
  }

  test("the latest regular .html child", () => {
    expect(newestScreen(screens)).toBeUndefined();
    html("1.html", 100);
    html("2.html", 200);
    html("3.HTML", 300);
    mkdirSync(join(screens, "z.html"));
    touch("z.html", 400);
    expect(newestScreen(screens)).toEqual({ entry: "2.html", name: "2.html", mtimeMs: 200_000 });
  });

  test("of equal times the name that sorts last bytewise", () => {
    for (const name of ["b.html", "a.html", "ü.html", "B.html"]) html(name, 100);
    expect(newestScreen(screens)?.entry).toBe("ü.html");
  });

  test("a link inside reports its real name, a link out is passed over", () => {
    html("1.html", 100);
    writeFileSync(join(screens, "sub/real.html"), "x");
    touch("sub/real.html", 300);
    symlinkSync("sub/real.html", join(screens, "link.html"));
    writeFileSync(join(root, "out.html"), "x");
    symlinkSync("../out.html", join(screens, "999.html"));
    expect(newestScreen(screens)).toEqual({ entry: "link.html", name: "real.html", mtimeMs: 300_000 });
  });
});
