import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Reservation } from "../../src/plan/schema.ts";
import { startJig, until } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { world } from "./world.ts";

const BASE = "docs/plans/2026-09-24-0952-fix-a-b-plan";
const AB = ["--type", "fix", "--topic", "a-b"];

function plansIn(root: string, directory = "docs/plans"): string[] {
  return existsSync(join(root, directory)) ? readdirSync(join(root, directory)).sort() : [];
}

describe("names", () => {
  test("plan-1 an empty file under the conventional name, its absolute path printed", async () => {
    const { res, root } = world();
    const run = await res(AB);
    expect(run).toMatchObject({ code: 0, stdout: `${root}/${BASE}.md\n`, stderr: "" });
    expect(statSync(`${root}/${BASE}.md`).size).toBe(0);
  });

  test("plan-2 a taken name gets the smallest free number", async () => {
    const { res, root } = world();
    for (const suffix of ["", "-2", "-3"]) {
      expect((await res(AB)).stdout).toBe(`${root}/${BASE}${suffix}.md\n`);
    }
    unlinkSync(`${root}/${BASE}-2.md`);
    expect((await res(AB)).stdout).toBe(`${root}/${BASE}-2.md\n`);
  });

  test("plan-3 the other format takes the name too", async () => {
    const { res, root } = world();
    await res(AB);
    expect((await res([...AB, "--format", "html"])).stdout).toBe(`${root}/${BASE}-2.html\n`);
  });

  test("plan-8 a dangling symlink has the name, and stays as it is", async () => {
    const { res, root } = world();
    mkdirSync(join(root, "docs/plans"), { recursive: true });
    symlinkSync("nowhere", `${root}/${BASE}.md`);
    expect((await res(AB)).stdout).toBe(`${root}/${BASE}-2.md\n`);
    expect(readlinkSync(`${root}/${BASE}.md`)).toBe("nowhere");
  });

  test("a directory under the other extension has the name", async () => {
    const { res, root, write } = world();
    write(`${BASE}.html/inside.txt`);
    expect((await res(AB)).stdout).toBe(`${root}/${BASE}-2.md\n`);
  });

  test("999 numbers taken is a failure that makes nothing", async () => {
    const { res, root, write } = world();
    write(`${BASE}.md`);
    for (let number = 2; number <= 999; number++) writeFileSync(`${root}/${BASE}-${number}.html`, "");
    const run = await res(AB);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("-999");
    expect(plansIn(root)).toHaveLength(999);
  });

  test("date and time default to the local clock", async () => {
    const { plan } = world();
    const run = await plan(["reserve", ...AB, "--json"], { env: { TZ: "Pacific/Kiritimati" } });
    const { date, time } = JSON.parse(run.stdout) as Reservation;
    const there = new Date(Date.now() + 14 * 3_600_000).toISOString();
    expect(date).toBe(there.slice(0, 10));
    expect(time?.slice(0, 2)).toBe(there.slice(11, 13));
  });

  test("the JSON says what was made and why", async () => {
    const { res, root } = world();
    await res(AB);
    expect(JSON.parse((await res([...AB, "--json"])).stdout)).toEqual({
      path: `${root}/${BASE}-2.md`,
      relative: `${BASE}-2.md`,
      root: "docs",
      format: "md",
      format_source: "default",
      date: "2026-09-24",
      time: "0952",
      type: "fix",
      topic: "a-b",
      suffix: 2,
      bytes: 0,
    });
  });
});

describe("words", () => {
  test("plan-6 what cannot be a name is refused before anything is made", async () => {
    const { res, root, plan } = world();
    const topic = await res(["--type", "fix", "--topic", "A b"]);
    expect(topic.code).toBe(2);
    expect(topic.stderr).toContain("a-b");
    expect((await res(["--type", "Feat", "--topic", "a-b"])).code).toBe(2);
    expect((await plan(["reserve", ...AB, "--date", "2026-02-30"])).code).toBe(2);
    expect((await plan(["reserve", ...AB, "--time", "2460"])).code).toBe(2);
    expect(plansIn(root)).toEqual([]);
  });

  test("plan-39 a topic without an ASCII letter", async () => {
    const { res } = world();
    const run = await res(["--type", "fix", "--topic", "話題"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("ASCII");
  });

  test("further words that are refused", async () => {
    const { plan, root } = world();
    const refused = [
      ["reserve", "--topic", "a"],
      ["reserve", "--type", "fix"],
      ["reserve", "--type", "f".repeat(21), "--topic", "a"],
      ["reserve", "--type", "fix", "--topic", "a".repeat(101)],
      ["reserve", ...AB, "--date", "٢٠٢٦-٠٩-٢٤"],
      ["reserve", ...AB, "--date", "2026-9-24"],
      ["reserve", ...AB, "--time", "952"],
      ["reserve", ...AB, "--format", "pdf"],
      ["reserve", "--convert", "x.md"],
      ["reserve", "--convert", "x.txt", "--format", "md"],
      ["reserve", "--convert", "x.md", "--format", "md"],
      ["reserve", "--convert", "x.md", "--format", "html", "--topic", "a"],
      ["reserve", "--convert", "x.md", "--format", "html", "--date", "2026-01-01"],
    ];
    for (const words of refused) expect([words, (await plan(words)).code]).toEqual([words, 2]);
    expect(plansIn(root)).toEqual([]);
  });

  test("an unusual type passes with a warning, a usual one without", async () => {
    const { res } = world();
    const unusual = await res(["--type", "spike", "--topic", "a"]);
    expect(unusual.code).toBe(0);
    expect(unusual.stderr).toContain("spike");
    expect((await res(["--type", "revert", "--topic", "a"])).stderr).toBe("");
  });
});

describe("place", () => {
  test("plan-5 docs_root decides, and a wrong one or no repository makes nothing", async () => {
    const { config, res, root } = world();
    config("docs_root: .art\n");
    expect((await res(AB)).stdout).toBe(`${root}/.art/plans/2026-09-24-0952-fix-a-b-plan.md\n`);
    config("docs_root: ../x\n");
    const wrong = await res(AB);
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("docs_root");
    expect(existsSync(join(root, "../x"))).toBe(false);
    const outside = tempDir();
    const run = await res(AB, { cwd: outside });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("not inside a git repository");
    expect(readdirSync(outside)).toEqual([]);
  });

  test("a set root keeps plans inside the repository, also through links; docs may lead anywhere", async () => {
    const { config, res, root, write } = world();
    const outside = tempDir();
    write("art/keep");
    symlinkSync(outside, join(root, "art/plans"));
    config("docs_root: art\n");
    expect((await res(AB)).code).toBe(1);
    expect(readdirSync(outside)).toEqual([]);
    config("");
    symlinkSync(outside, join(root, "docs"));
    const run = await res(AB);
    expect(run.stdout).toBe(`${root}/${BASE}.md\n`);
    expect(readdirSync(join(outside, "plans"))).toEqual(["2026-09-24-0952-fix-a-b-plan.md"]);
  });

  test("plan-7 the config decides the format, and the JSON says which file", async () => {
    const { config, res } = world();
    config("brainstorm_output: html\n");
    const run = await res([...AB, "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ format: "html", format_source: "config.yaml" });
    config("brainstorm_output: MD\n", "config.local.yaml");
    const local = await res([...AB, "--json"]);
    expect(JSON.parse(local.stdout)).toMatchObject({ format: "md", format_source: "config.local.yaml" });
    const flag = await res([...AB, "--json", "--format", "html"]);
    expect(JSON.parse(flag.stdout)).toMatchObject({ format: "html", format_source: "flag" });
  });
});

describe("content", () => {
  test("plan-9 the content is there from the first moment, or nothing is", async () => {
    const { res, root } = world();
    const run = await res(["--type", "fix", "--topic", "c", "--from", "-", "--json"], { stdin: "x" });
    const { bytes, path } = JSON.parse(run.stdout) as Reservation;
    expect(bytes).toBe(1);
    expect(readFileSync(path, "utf8")).toBe("x");
    const missing = await res(["--type", "fix", "--topic", "d", "--from", "missing.md"]);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toContain("missing.md");
    expect(plansIn(root)).toEqual(["2026-09-24-0952-fix-c-plan.md"]);
  });

  test("nothing is made for input that is missing, a directory or too large", async () => {
    const { res, root, write } = world();
    write("dir/file");
    write("large.md", "x".repeat((16 << 20) + 1));
    for (const from of ["missing.md", "dir", "large.md"]) {
      const run = await res([...AB, "--from", from]);
      expect([from, run.code, run.stdout]).toEqual([from, 1, ""]);
    }
    const piped = await res([...AB, "--from", "-"], { stdin: "x".repeat((16 << 20) + 1) });
    expect([piped.code, piped.stdout]).toEqual([1, ""]);
    expect(existsSync(join(root, "docs"))).toBe(false);
  });

  test("an existing file of the same name keeps its content", async () => {
    const { res, root, write } = world();
    write(`${BASE}.md`, "mine");
    await res([...AB, "--from", "-"], { stdin: "other" });
    expect(readFileSync(`${root}/${BASE}.md`, "utf8")).toBe("mine");
    expect(readFileSync(`${root}/${BASE}-2.md`, "utf8")).toBe("other");
  });
});

describe("convert", () => {
  test("plan-10 the parallel name, and never another", async () => {
    const { plan, root, write } = world();
    write("docs/plans/P-plan.md", "text");
    const words = ["reserve", "--convert", "docs/plans/P-plan.md", "--format", "html"];
    const run = await plan(words);
    expect(run).toMatchObject({ code: 0, stdout: `${root}/docs/plans/P-plan.html\n` });
    expect(readFileSync(join(root, "docs/plans/P-plan.md"), "utf8")).toBe("text");
    const again = await plan(words);
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toContain(`${root}/docs/plans/P-plan.html`);
    expect(plansIn(root)).toEqual(["P-plan.html", "P-plan.md"]);
  });

  test("works by absolute path from anywhere, takes content, and needs its file", async () => {
    const { plan, root, write } = world();
    const file = write(`${BASE}.md`, "text");
    const elsewhere = { cwd: tempDir(), stdin: "<p>" };
    const run = await plan(
      ["reserve", "--convert", file, "--format", "html", "--from", "-", "--json"],
      elsewhere,
    );
    expect(JSON.parse(run.stdout)).toMatchObject({
      path: `${root}/${BASE}.html`,
      relative: `${BASE}.html`,
      topic: "a-b",
      suffix: null,
      bytes: 3,
    });
    const missing = await plan(["reserve", "--convert", `${root}/none.md`, "--format", "html"]);
    expect(missing.code).toBe(1);
    expect(existsSync(`${root}/none.html`)).toBe(false);
  });
});

describe("at the same time", () => {
  test("plan-4 a hundred concurrent calls in both formats, half of them with content, get a hundred names", async () => {
    const { res, root } = world();
    const calls = Array.from({ length: 100 }, (_, index) => {
      const format = index % 2 === 0 ? "md" : "html";
      const content = index % 4 < 2 ? [] : ["--from", "-"];
      return res([...AB, "--format", format, ...content], { stdin: `content ${index}`, timeout: 100_000 });
    });
    const runs = await Promise.all(calls);
    expect(runs.filter(({ code }) => code !== 0)).toEqual([]);
    const names = runs.map(({ stdout }) => stdout.trim().replace(/\.(md|html)$/, ""));
    expect(new Set(names).size).toBe(100);
    for (const [index, { stdout }] of runs.entries()) {
      expect(readFileSync(stdout.trim(), "utf8")).toBe(index % 4 < 2 ? "" : `content ${index}`);
    }
    const made = runs.map(({ stdout }) => stdout.trim().slice(`${root}/docs/plans/`.length)).sort();
    expect(plansIn(root)).toEqual(made);
  }, 120_000);

  test("SIGTERM in a row of reservations leaves whole files, and the next call works", async () => {
    const { res, root } = world();
    const content = "line\n".repeat(20_000);
    for (let round = 0; round < 12; round++) {
      const child = startJig(["plan", "reserve", ...AB, "--from", "-"], { cwd: root });
      child.stdin!.on("error", () => {});
      child.stdin!.end(content);
      setTimeout(() => child.kill("SIGTERM"), 30 + round * 12);
      await until("the call to end", () => child.exitCode !== null || child.signalCode !== null);
      expect([0, 143, null]).toContain(child.exitCode);
    }
    for (const name of plansIn(root)) {
      expect(name).toMatch(/-plan(-\d+)?\.md$/);
      expect(statSync(join(root, "docs/plans", name)).size).toBe(content.length);
    }
    expect((await res(AB)).code).toBe(0);
  });
});

test("modes follow the umask", () => {
  const { root } = world();
  const jig = process.env["JIG_TEST_BINARY"] ?? join(import.meta.dirname, "../../dist/jig");
  const words = `umask 027; "${jig}" plan reserve --type fix --topic a --date 2026-09-24 --time 0952`;
  spawnSync("sh", ["-c", `${words}; echo x | "${jig}" plan reserve --type fix --topic b --from -`], {
    cwd: root,
  });
  const modes = plansIn(root).map((name) => lstatSync(join(root, "docs/plans", name)).mode & 0o777);
  expect(modes).toEqual([0o640, 0o640]);
});
