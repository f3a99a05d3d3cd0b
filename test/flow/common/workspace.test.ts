import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  findWorkspace,
  findWritableWorkspace,
  readWorkspaceConfig,
  WORKSPACE_CONFIG,
  WORKSPACE_MEMORY,
} from "../../../src/flow/common/workspace.ts";
import { tempDir } from "../../support/temp.ts";

/** A home with a project at `a/r` below it, and a place for markers. */
function world() {
  const base = tempDir();
  const home = join(base, "h");
  const root = join(home, "a", "r");
  mkdirSync(root, { recursive: true });
  return {
    base,
    home,
    root,
    memory: (directory: string) => mkdirSync(join(directory, WORKSPACE_MEMORY), { recursive: true }),
    config(directory: string, content: unknown) {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      writeFileSync(join(directory, WORKSPACE_CONFIG), text);
    },
  };
}

describe("the workspace of a project", () => {
  test("flow-35 a marker in the home directory is not selected, one below it is, one four levels up is not", () => {
    const { base, home, root, memory } = world();
    memory(home);
    expect(findWorkspace({ home }, root)).toBeUndefined();
    memory(join(home, "a"));
    expect(findWorkspace({ home }, root)).toBe(join(home, "a"));
    const deep = join(base, "w", "1", "2", "3", "r");
    mkdirSync(deep, { recursive: true });
    memory(join(base, "w"));
    expect(findWorkspace({ home }, deep)).toBeUndefined();
    expect(findWorkspace({ home }, dirname(deep))).toBe(join(base, "w"));
  });

  test("the nearest marker counts, of either kind; the walk goes on past the home directory", () => {
    const { base, home, root, memory, config } = world();
    memory(base);
    expect(findWorkspace({ home }, root)).toBe(base);
    config(join(home, "a"), "not even JSON");
    expect(findWorkspace({ home }, root)).toBe(join(home, "a"));
    expect(findWorkspace({ home: undefined }, join(base, "h"))).toBe(base);
  });

  test("the home directory is known by identity, whatever it is called", () => {
    const { base, home, root, memory } = world();
    memory(home);
    symlinkSync(home, join(base, "other"));
    expect(findWorkspace({ home: join(base, "other") }, root)).toBeUndefined();
    expect(findWorkspace({ home }, join(base, "other", "a", "r"))).toBeUndefined();
  });

  test("a marker of the project itself is none", () => {
    const { home, root, memory } = world();
    memory(root);
    expect(findWorkspace({ home }, root)).toBeUndefined();
  });
});

describe("who may write the workspace's memory", () => {
  const grant = { members: ["a/r"], memory_writable: true };

  test("only a member, and only when the configuration says so", () => {
    const { base, home, root, memory, config } = world();
    memory(base);
    expect(findWritableWorkspace({ home }, root)).toBeUndefined();
    config(base, { ...grant, members: ["h/a/r"] });
    expect(findWritableWorkspace({ home }, root)).toBe(base);
    config(base, { ...grant, members: ["h/a/other"] });
    expect(findWritableWorkspace({ home }, root)).toBeUndefined();
    for (const memory_writable of [undefined, false, "true", 1]) {
      config(base, { members: ["h/a/r"], memory_writable });
      expect(findWritableWorkspace({ home }, root)).toBeUndefined();
    }
  });

  test("an ancestor that grants nothing is passed over, the home directory always", () => {
    const { base, home, root, config } = world();
    config(home, grant);
    expect(findWritableWorkspace({ home }, root)).toBeUndefined();
    config(join(home, "a"), { members: ["other"], memory_writable: true });
    config(base, { members: [null, "h/a/r"], memory_writable: true });
    expect(findWritableWorkspace({ home }, root)).toBe(base);
  });

  test("entries that are absolute, climb, or lead outside are ignored", () => {
    const { base, home, root, config } = world();
    symlinkSync(tempDir(), join(home, "a", "out"));
    const members = ["r", root, "../a/r", "~/a/r", "a\\r", "out", "", 5, null, "r\0", "missing"];
    config(join(home, "a"), { members, memory_writable: true });
    expect(readWorkspaceConfig(join(home, "a")).members).toEqual(["r", "missing"]);
    config(base, { members: ["h/a/r/"] });
    expect(readWorkspaceConfig(base)).toMatchObject({ state: "read", memoryWritable: false });
  });

  test("a configuration that cannot be read grants nothing and says why", () => {
    const { base, config } = world();
    expect(readWorkspaceConfig(base)).toMatchObject({ state: "absent", reason: null });
    config(base, "{bad");
    expect(readWorkspaceConfig(base)).toMatchObject({ state: "unreadable", reason: "is not JSON" });
    config(base, "[]");
    expect(readWorkspaceConfig(base)).toMatchObject({ reason: "is not a JSON object" });
    config(base, { members: "a", memory_writable: true });
    expect(readWorkspaceConfig(base)).toMatchObject({ state: "read", members: [], memoryWritable: true });
  });
});
