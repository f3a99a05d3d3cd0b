import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { DoctorReport } from "../../src/doctor/schema.ts";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

withWindows("config, packs, plan, link and doctor on Windows", () => {
  let windows: Machine;
  let repository: string;
  let here: { cwd: string };
  beforeAll(async () => {
    windows = await machine();
    repository = windows.fresh("rooms");
    here = { cwd: repository };
    const write = (path: string, text: string) => {
      mkdirSync(join(repository, path, ".."), { recursive: true });
      writeFileSync(join(repository, path), text);
    };
    mkdirSync(join(repository, ".git/objects"), { recursive: true });
    mkdirSync(join(repository, ".git/refs"));
    write(".git/HEAD", "ref: refs/heads/main\n");
    // Lines end as an editor there ends them.
    write(
      ".compound-engineering/config.yaml",
      "docs_root: notes\r\nplan_model: opus\r\npacks:\r\n  - source: rules\r\n",
    );
    write("rules/house/one.md", "---\r\ntitle: One\r\napplies_when:\r\n  - always\r\n---\r\n\r\nText.\r\n");
  });

  test("settings are read and their file is named", async () => {
    expect(await windows.jig(["config", "get", "plan_model"], here)).toMatchObject({
      code: 0,
      stdout: "opus\n",
    });
    const root = JSON.parse((await windows.jig(["config", "docs-root", "--json"], here)).stdout);
    expect(root).toMatchObject({ root: "notes", absolute: `${windowsPath(repository)}\\notes` });
  });

  test("a pack of the repository is found", async () => {
    const packs = await windows.jig(["packs", "resolve"], here);
    expect(JSON.parse(packs.stdout)).toMatchObject({
      roots: [{ id: "house", dir: `${windowsPath(repository)}\\rules\\house` }],
      errors: [],
    });
  });

  test("a plan's name is taken once, and the plan is checked", async () => {
    const reserve = [
      "plan",
      "reserve",
      "--type",
      "feat",
      "--topic",
      "x",
      "--date",
      "2026-01-02",
      "--time",
      "0304",
    ];
    const paths = [await windows.jig(reserve, here), await windows.jig(reserve, here)].map(({ stdout }) =>
      stdout.trim(),
    );
    const plans = `${windowsPath(repository)}\\notes\\plans`;
    expect(paths).toEqual([
      `${plans}\\2026-01-02-0304-feat-x-plan.md`,
      `${plans}\\2026-01-02-0304-feat-x-plan-2.md`,
    ]);
    expect(readdirSync(join(repository, "notes/plans"))).toHaveLength(2);
    expect(await windows.jig(["plan", "check", paths[0]!], here)).toMatchObject({ code: 1 });
    expect(await windows.jig(["plan", "release", paths[0]!], here)).toMatchObject({ code: 0 });
    expect(readdirSync(join(repository, "notes/plans"))).toHaveLength(1);
  });

  test("a drop-in name reaches jig by its .cmd, with its exit code", async () => {
    const names = windows.fresh("names");
    const link = await windows.jig(
      ["link", windowsPath(names), "cafleet", "peer-job-runner.py", "--launchers"],
      here,
    );
    expect(link.code).toBe(0);
    const files = ["cafleet", "cafleet.cmd", "peer-job-runner.py", "peer-job-runner.py.cmd"];
    expect(readdirSync(names).sort()).toEqual(files);
    expect(readFileSync(join(names, "cafleet"), "utf8")).toMatch(/^#!\/bin\/sh\n/);
    const call = (...words: string[]) =>
      windows.run(["cmd", "/d", "/c", windowsPath(join(names, "cafleet.cmd")), "base-dir", ...words], here);
    const resolved = await call("resolve", "design x", "--json");
    expect(JSON.parse(resolved.stdout)).toMatchObject({ base: `${windowsPath(repository)}\\design x` });
    expect(await call("resolve", "..")).toMatchObject({ code: 1, stdout: "" });
    expect((await windows.jig(["link", "--remove", windowsPath(names)], here)).code).toBe(0);
    expect(readdirSync(names)).toEqual([]);
  });

  test("doctor looks at everything, and its commands are for cmd", async () => {
    const temporary = windows.fresh("temp dir");
    // A demo that was killed long ago.
    const demo = join(temporary, "jig-demo-abcdef");
    mkdirSync(demo);
    utimesSync(demo, 1, 1);
    const run = await windows.jig(["doctor", "--json"], {
      ...here,
      env: { JIG_TMP_ROOT: windowsPath(temporary) },
    });
    const checks = (JSON.parse(run.stdout) as DoctorReport).checks;
    const names = ["version", "temp roots", "jobs", "servers", "skills"];
    expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining(names));
    expect(checks.find(({ check }) => check === "demo")?.mend).toBe(`rmdir /s /q "${windowsPath(demo)}"`);
    for (const { mend } of checks) expect(mend ?? "").not.toMatch(/'|rm -|ln -s|chmod/);
  });
});
