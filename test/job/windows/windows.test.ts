import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseEnvArgv } from "../../../src/job/windows/env-argv.ts";
import { jobObjectName } from "../../../src/job/windows/job-object.ts";
import { preflightOnWindows } from "../../../src/job/windows/preflight.ts";
import { isWslShell, NO_SHELL, preferredShell } from "../../../src/job/windows/shell.ts";
import { environmentBlock, wide } from "../../../src/kernel/process/windows/wide.ts";
import {
  isBatchFile,
  isSafeForCmd,
  quoteArgument,
  throughCmd,
} from "../../../src/kernel/process/windows-command-line.ts";

describe("the words after env (12.6)", () => {
  test.each([
    [["bash", "-c", "x"], 0],
    [["A=1", "B=2", "cmd"], 2],
    [["-", "A=1", "cmd"], 2],
    [["--", "-S=x", "cmd"], 2],
    [["A=1", "-S=x", "cmd"], 2],
    [["-i", "-v", "-iv", "cmd"], 3],
    [["-u", "NAME", "cmd"], 2],
    [["-uNAME", "cmd"], 1],
    [["-iu", "NAME", "cmd"], 2],
    [["-ivC/dir", "cmd"], 1],
    [["-C", "dir", "cmd"], 2],
    [["--unset", "NAME", "--chdir", "d", "cmd"], 4],
    [["--unset=NAME", "--chdir=d", "--ignore-environment", "--debug", "cmd"], 4],
    [["--block-signal", "--default-signal=INT", "--ignore-signal=", "--list-signal-handling", "cmd"], 4],
    [["-uS", "cmd"], 1],
    [["-u0", "cmd"], 1],
  ] as [string[], number][])("%j: the command is word %d", (words, command) => {
    expect(parseEnvArgv(words)).toEqual({ command });
  });

  test.each([[[]], [["A=1"]], [["-u"]], [["--chdir", "d"]], [["-i", "--"]]] as string[][][])(
    "%j has no command",
    (words) => {
      expect(parseEnvArgv(words)).toEqual({ command: undefined });
    },
  );

  test.each([
    ["-S", /-S\/--split-string is unsupported/],
    ["-Sx y", /-S\/--split-string is unsupported/],
    ["-iS", /-S\/--split-string is unsupported/],
    ["--split-string=x", /-S\/--split-string is unsupported/],
    ["--split-string", /-S\/--split-string is unsupported/],
    ["-0", /-0\/--null cannot be used with a command/],
    ["-i0", /-0\/--null cannot be used with a command/],
    ["--null", /-0\/--null cannot be used with a command/],
    ["--ignore", /unsupported env long option '--ignore'/],
    ["--unset-all=x", /unsupported env long option '--unset-all=x'/],
    ["-ix", /unsupported env short-option cluster '-ix'/],
    ["-A=1", /unsupported env short-option cluster '-A=1'/],
  ])("%s is refused", (word, message) => {
    const parsed = parseEnvArgv([word, "bash"]);
    expect("problem" in parsed && parsed.problem).toMatch(message);
  });

  test("a command found is a word without =, and every word before it was accounted for", () => {
    const word = fc.constantFrom(
      "-i",
      "-u",
      "-uX",
      "-",
      "--",
      "A=1",
      "--unset",
      "--debug",
      "-C",
      "cmd",
      "-v",
      "-iv",
    );
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const parsed = parseEnvArgv(words);
        if (!("command" in parsed) || parsed.command === undefined) return;
        expect(words[parsed.command]).not.toContain("=");
        expect(parseEnvArgv(words.slice(0, parsed.command))).toEqual({ command: undefined });
      }),
    );
  });
});

const GIT_BASH = "C:\\Program Files\\Git\\bin\\bash.exe";
const WSL = "C:\\Windows\\System32\\bash.exe";
const files = (...paths: string[]) => {
  const known = new Set(paths.map((path) => path.toLowerCase()));
  return (path: string) => known.has(path.toLowerCase());
};

describe("the preferred shell (12.5)", () => {
  test.each([
    [
      "CE_PEER_BASH first",
      { CE_PEER_BASH: " D:\\b.exe ", CLAUDE_CODE_GIT_BASH_PATH: "D:\\c.exe" },
      ["D:\\b.exe", "D:\\c.exe", GIT_BASH],
      "D:\\b.exe",
    ],
    [
      "a missing one is skipped",
      { CE_PEER_BASH: "D:\\b.exe", CLAUDE_CODE_GIT_BASH_PATH: "D:\\c.exe" },
      ["D:\\c.exe"],
      "D:\\c.exe",
    ],
    ["a blank one is skipped", { CE_PEER_BASH: "  " }, [GIT_BASH], GIT_BASH],
    [
      "64-bit Program Files first",
      { ProgramW6432: "E:\\PF", ProgramFiles: "C:\\PF" },
      ["E:\\PF\\Git\\usr\\bin\\bash.exe", "C:\\PF\\Git\\bin\\bash.exe"],
      "E:\\PF\\Git\\usr\\bin\\bash.exe",
    ],
    [
      "the user's install",
      { LOCALAPPDATA: "C:\\L" },
      ["C:\\L\\Programs\\Git\\bin\\bash.exe"],
      "C:\\L\\Programs\\Git\\bin\\bash.exe",
    ],
    [
      "PATH last, without WSL's",
      { Path: "C:\\Windows\\System32;C:\\msys" },
      [WSL, "C:\\msys\\sh.exe"],
      "C:\\msys\\sh.exe",
    ],
    [
      "never WSL's, even when named",
      { CE_PEER_BASH: "c:/windows/SYSNATIVE/bash.exe" },
      ["c:/windows/SYSNATIVE/bash.exe"],
      undefined,
    ],
  ] as [string, Record<string, string>, string[], string | undefined][])(
    "%s",
    (_name, env, present, expected) => {
      expect(preferredShell(env, files(...present))).toBe(expected);
    },
  );

  test("System32 is found by any spelling and another SystemRoot", () => {
    expect(isWslShell("C:/WINDOWS/system32/bash.exe", {})).toBe(true);
    expect(isWslShell("D:\\Win\\System32\\bash.exe", { SystemRoot: "D:\\Win" })).toBe(true);
    expect(isWslShell("C:\\tools\\System32\\bash.exe", {})).toBe(false);
  });
});

describe("preflight on Windows (12.5)", () => {
  const host = { cwd: "C:\\work", env: {} };
  const check = (argv: string[], present: string[] = [GIT_BASH], onPath: Record<string, string> = {}) =>
    preflightOnWindows(host, argv, { isFile: files(...present), find: (name) => onPath[name] });

  test.each(["bash", "bash.exe", "sh", "SH.EXE"])("a bare %s becomes the preferred shell", (name) => {
    expect(check([name, "-c", "x"])).toEqual({ argv: [GIT_BASH, "-c", "x"], windowsPosixShell: GIT_BASH });
    expect(check([name], [])).toMatchObject({ problem: NO_SHELL });
  });

  test("an absolute shell is kept, WSL's is replaced, a missing one is said", () => {
    const own = "D:\\msys\\bash.exe";
    expect(check([own], [own, GIT_BASH])).toEqual({ argv: [own], windowsPosixShell: own });
    expect(check([WSL], [WSL, GIT_BASH])).toEqual({ argv: [GIT_BASH], windowsPosixShell: GIT_BASH });
    expect(check([own]).problem).toBe(`peer worker shell does not exist or is not a regular file: ${own}`);
  });

  test("a script is run by the shell but stays the recorded worker", () => {
    const script = "C:\\work\\w.sh";
    expect(check([".\\w.sh", "a"], [script, GIT_BASH])).toEqual({
      argv: [script, "a"],
      windowsPosixShell: GIT_BASH,
      launch: [GIT_BASH, script, "a"],
    });
    expect(check(["w.bash"], [GIT_BASH], { "w.bash": "C:\\bin\\w.bash" }).launch).toEqual([
      GIT_BASH,
      "C:\\bin\\w.bash",
    ]);
    expect(check([".\\w.sh"], [script]).problem).toBe(NO_SHELL);
  });

  test("env: the shell it runs is replaced, its options are read, problems are joined", () => {
    const env = { env: "C:\\git\\env.exe" };
    expect(check(["env", "-u", "X", "A=1", "bash", "-c", "x"], [GIT_BASH], env)).toEqual({
      argv: ["C:\\git\\env.exe", "-u", "X", "A=1", GIT_BASH, "-c", "x"],
      windowsPosixShell: GIT_BASH,
    });
    expect(check(["env", "python", "bash"], [GIT_BASH], env)).toEqual({
      argv: ["C:\\git\\env.exe", "python", "bash"],
    });
    expect(check(["env", "-S", "bash x"], [], env).problem).toMatch(/^env -S/);
    expect(check(["env", "-S", "bash x"], []).problem).toMatch(/^was not found on PATH; env -S/);
  });

  test("anything else is as on POSIX", () => {
    expect(check(["codex", "exec"], [], { codex: "C:\\n\\codex.exe" })).toEqual({
      argv: ["C:\\n\\codex.exe", "exec"],
    });
    expect(check(["nope"], []).problem).toBe("was not found on PATH");
    expect(check(["a\\b.exe"], []).problem).toBe("does not exist or is not a regular file");
  });

  test("a path without its suffix is found as cmd.exe would find it", () => {
    const at = (name: string) => `C:\\work\\${name}`;
    expect(check(["./w", "a"], [at("w.EXE")]).argv).toEqual([at("w.EXE"), "a"]);
    // Beside what npm installs lies a script of the same name for other systems.
    expect(check([".\\w"], [at("w"), at("w.CMD")]).argv).toEqual([at("w.CMD")]);
    expect(check(["./w"], [at("w")]).argv).toEqual([at("w")]);
    expect(check(["./w.py"], [at("w.py"), at("w.py.EXE")]).argv).toEqual([at("w.py")]);
    expect(check(["./w.1"], [at("w.1.EXE")]).argv).toEqual([at("w.1.EXE")]);
    expect(check(["./w.exe"], [at("w.exe.EXE")]).problem).toBe("does not exist or is not a regular file");
  });

  test("a batch file is refused an argument cmd.exe would change", () => {
    const batch = { w: "C:\\n\\w.cmd" };
    expect(check(["w", "a b", "c&d"], [], batch)).toEqual({ argv: ["C:\\n\\w.cmd", "a b", "c&d"] });
    expect(check(["w", "%PATH%"], [], batch).problem).toContain("'%PATH%'");
  });
});

describe("command lines", () => {
  test.each([
    ["plain", "plain"],
    ["", '""'],
    ["a b", '"a b"'],
    ['say "hi"', '"say \\"hi\\""'],
    ["C:\\dir\\", "C:\\dir\\"],
    ["C:\\my dir\\", '"C:\\my dir\\\\"'],
    ['a\\"b', '"a\\\\\\"b"'],
  ])("%j is quoted as %s", (word, expected) => {
    expect(quoteArgument(word)).toBe(expected);
  });

  test("words come back as they were", () => {
    const word = fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "\t") });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(readBack(words.map(quoteArgument).join(" "))).toEqual(words);
      }),
    );
  });

  test("words come back as they were from a batch file that hands them on", () => {
    const word = fc.string({ unit: fc.constantFrom("a", " ", "\\", "/", "&", "^", ")") });
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = throughCmd(["w.cmd", ...words], undefined).at(-1)!;
        // `/s` takes off the first and the last quote.
        expect(readBack(line.slice(1, -1))).toEqual(["w.cmd", ...words]);
      }),
    );
  });

  test("a batch file goes through cmd.exe with every word in quotes", () => {
    expect(throughCmd(["C:\\a b\\w.cmd", "x&y", ""], undefined)).toEqual([
      "C:\\Windows\\System32\\cmd.exe",
      "/d",
      "/v:off",
      "/s",
      "/c",
      '""C:\\a b\\w.cmd" "x&y" """',
    ]);
    expect(throughCmd(["w.cmd", "C:\\dir\\", "\\"], undefined).at(-1)).toBe('""w.cmd" "C:\\dir\\\\" "\\\\""');
    expect([isBatchFile("x.CMD"), isBatchFile("x.bat"), isBatchFile("x.exe")]).toEqual([true, true, false]);
    for (const bad of ['"', "%", "\n", "\r", "\0"]) expect(isSafeForCmd(`a${bad}b`)).toBe(false);
  });
});

test("texts for Windows calls", () => {
  expect([...wide("aé")]).toEqual([0x61, 0, 0xe9, 0, 0, 0]);
  const block = new TextDecoder("utf-16le").decode(environmentBlock({ b: "2", A: "1" }));
  expect(block).toBe("A=1\0b=2\0\0");
  expect(jobObjectName("id")).toBe("Local\\ce-peer-job-id");
});

/** How the C runtime of a Windows program cuts its command line. */
function readBack(line: string): string[] {
  const words: string[] = [];
  let word = "";
  let inQuotes = false;
  let inWord = false;
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (character === "\\") {
      let count = 1;
      while (line[at + count] === "\\") count++;
      const beforeQuote = line[at + count] === '"';
      word += "\\".repeat(beforeQuote ? Math.floor(count / 2) : count);
      if (beforeQuote && count % 2 === 1) {
        word += '"';
        at++;
      }
      at += count - 1;
      inWord = true;
    } else if (character === '"') {
      inQuotes = !inQuotes;
      inWord = true;
    } else if (!inQuotes && (character === " " || character === "\t")) {
      if (inWord) words.push(word);
      word = "";
      inWord = false;
    } else {
      word += character;
      inWord = true;
    }
  }
  if (inWord) words.push(word);
  return words;
}
