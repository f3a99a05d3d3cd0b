import { mkdirSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseLossless } from "../../../src/flow/common/lossless-json.ts";
import { readAllowlist } from "../../../src/flow/identity/allowlist.ts";
import { pythonSpelling } from "../../../src/flow/identity/python-spelling.ts";
import { tempDir } from "../../support/temp.ts";

/** A directory with what stands for a repository, a link to it and a plain directory. */
function workspace() {
  const path = tempDir();
  for (const name of ["alpha", "plain"]) mkdirSync(join(path, name));
  writeFileSync(join(path, "alpha/README.md"), "");
  symlinkSync("alpha", join(path, "link"));
  return { path, candidates: [join(path, "alpha")] };
}

describe("a workspace's allowlist", () => {
  test.each([
    ["..", "not_a_direct_workspace_root_child"],
    [".", "not_a_direct_workspace_root_child"],
    ["", "not_a_direct_workspace_root_child"],
    ["/etc", "not_a_direct_workspace_root_child"],
    ["~x", "not_a_direct_workspace_root_child"],
    ["a\\b", "not_a_direct_workspace_root_child"],
    ["x".repeat(256), "not_a_direct_workspace_root_child"],
    ["話".repeat(200), "resolve_failed:OSError"],
    ["a\0b", "resolve_failed:ValueError"],
    ["\ud800", "resolve_failed:ValueError"],
    ["loop", "resolve_failed:OSError"],
    ["outside", "resolves_outside_workspace_root"],
    ["inside", "resolves_outside_workspace_root"],
    ["link", "resolves_inside_nested_repo"],
    ["same", undefined],
    ["new file", undefined],
    ["😀".repeat(60), undefined],
  ])("an entry is judged alone: %j %s", (entry, reason) => {
    const { path, candidates } = workspace();
    symlinkSync("loop", join(path, "loop"));
    symlinkSync("/", join(path, "outside"));
    symlinkSync("alpha/README.md", join(path, "inside"));
    symlinkSync("plain", join(path, "same"));
    writeFileSync(join(path, ".craftflow-workspace.json"), JSON.stringify({ writable_paths: [entry, "ok"] }));
    const good = entry === "same" ? "plain" : entry;
    expect(readAllowlist(path, candidates)).toEqual({
      paths: [...(reason === undefined ? [join(path, good)] : []), join(path, "ok")],
      dropped: reason === undefined ? [] : [{ entry, reason }],
    });
  });

  test.each([
    ["{bad", "unreadable_or_malformed_json:JSONDecodeError"],
    ["\xff", "unreadable_or_malformed_json:UnicodeDecodeError"],
    ["[]", "writable_paths_missing_or_not_a_list"],
    ["{}", "writable_paths_missing_or_not_a_list"],
    ['{"writable_paths":"x"}', "writable_paths_missing_or_not_a_list"],
  ])("a configuration that is not one is said once: %j", (text, reason) => {
    const { path, candidates } = workspace();
    writeFileSync(join(path, ".craftflow-workspace.json"), Buffer.from(text, "latin1"));
    expect(readAllowlist(path, candidates)).toEqual({ paths: [], dropped: [{ entry: null, reason }] });
  });

  test("a configuration that is a directory, or leads nowhere", () => {
    const { path, candidates } = workspace();
    const file = join(path, ".craftflow-workspace.json");
    mkdirSync(file);
    const reason = "unreadable_or_malformed_json:IsADirectoryError";
    expect(readAllowlist(path, candidates).dropped).toEqual([{ entry: null, reason }]);
    rmdirSync(file);
    symlinkSync("nowhere", file);
    expect(readAllowlist(path, candidates)).toEqual({ paths: [], dropped: [] });
  });
});

describe("Python's spelling of JSON values", () => {
  test.each([
    ["null", "None"],
    ["true", "True"],
    ["5", "5"],
    ["-0", "0"],
    ["12345678901234567890123", "12345678901234567890123"],
    ["1.0", "1.0"],
    ["-0.0", "-0.0"],
    ["1.50", "1.5"],
    ["1e5", "100000.0"],
    ["123456.75", "123456.75"],
    ["1e15", "1000000000000000.0"],
    ["1e16", "1e+16"],
    ["0.0001", "0.0001"],
    ["0.00001", "1e-05"],
    ["-2.5e-7", "-2.5e-07"],
    ["1e400", "inf"],
    ['["q",[],{"a":1}]', "['q', [], {'a': 1}]"],
    ['["it\'s"]', '["it\'s"]'],
    ['["\\"it\'s\\""]', "['\"it\\'s\"']"],
    ['["\\n\\u0007é\\u200b\\ud83d\\ude00"]', "['\\n\\x07é\\u200b😀']"],
  ])("%s is %s", (json, spelling) => {
    expect(pythonSpelling(parseLossless(json))).toBe(spelling);
  });
});
