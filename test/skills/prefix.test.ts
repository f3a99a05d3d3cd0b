import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shellWords } from "../../src/skills/lint/shell.ts";
import { choosePrefix, prefixNotes, renderPrefix } from "../../src/skills/source/prefix.ts";
import { renderSkill } from "../../src/skills/source/render.ts";
import { compareSemver, isSemver } from "../../src/skills/source/semver.ts";
import { makeSkill } from "./shipments.ts";

const absolute = { bin: [], portable: false, byDefault: "absolute" } as const;
const windows = {
  cwd: "C:\\",
  env: { PATH: "" },
  platform: "win32",
  home: undefined,
  uid: undefined,
} as const;
const posix = { cwd: "/", env: { PATH: "" }, platform: "linux", home: "/home/ana", uid: 1000 } as const;

describe("the command prefix", () => {
  test("skills-36 a Windows path has forward slashes and needs no quotes", () => {
    const prefix = choosePrefix(absolute, windows, { executable: "C:\\Users\\ana\\bin\\jig.exe" });
    expect(renderPrefix(prefix.command)).toBe("C:/Users/ana/bin/jig.exe");
    expect(prefixNotes(prefix, windows, "1.0.0")).toEqual([]);
    const spaced = choosePrefix(absolute, windows, { executable: "C:\\Program Files\\jig.exe" });
    expect(renderPrefix(spaced.command)).toBe('"C:/Program Files/jig.exe"');
    expect(prefixNotes(spaced, windows, "1.0.0")).toEqual([expect.stringContaining("PowerShell needs &")]);
  });

  test("whatever path is accepted comes back from a shell as one word", () => {
    const path = fc.string({ minLength: 1, unit: "grapheme" }).map((text) => `/opt/${text}`);
    fc.assert(
      fc.property(path, (executable) => {
        let command: readonly string[];
        try {
          command = choosePrefix(absolute, posix, { executable }).command;
        } catch {
          expect(executable).toMatch(/["`$\u0000-\u001f\u007f]/);
          return;
        }
        expect(shellWords(`${renderPrefix(command)} job list`)).toEqual({
          words: [executable, "job", "list"],
        });
      }),
    );
  });

  test("a directory's name never fills or breaks a text", () => {
    const skill = makeSkill("jig-a", {}, "In {{SKILL_DIR}}: `{{JIG}} job list`.\n");
    const choice = {
      prefix: { mode: "absolute", command: ["/opt/{{SKILL_DIR}}/jig"], given: false },
      extras: [],
      strict: false,
      allowReadonly: false,
    } as const;
    const text = renderSkill(skill, choice, { version: "1.0.0" }, "/home/$& {{JIG}}/skills")[0]!.text;
    expect(text).toContain('In the directory that holds this SKILL.md: `"/opt/{{SKILL_DIR}}/jig" job list`.');
  });
});

describe("versions", () => {
  test("the order of the semantic versioning specification", () => {
    const ordered = [
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0",
      "1.0.1",
      "1.10.0",
      "2.0.0",
    ];
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries())
        expect(Math.sign(compareSemver(a, b)), `${a} ${b}`).toBe(Math.sign(i - j));
    }
    expect(compareSemver("1.0.0+one", "1.0.0+two")).toBe(0);
    expect(compareSemver("99999999999999999999.0.0", "99999999999999999998.0.0")).toBeGreaterThan(0);
  });

  test("what is no version", () => {
    for (const text of ["1", "1.0", "01.0.0", "1.0.0-", "1.0.0-01", "v1.0.0", "1.0.0 ", ""])
      expect(isSemver(text)).toBe(false);
  });
});
