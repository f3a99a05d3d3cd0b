import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { slugOf, slugSource } from "../../../src/flow/identity/slug.ts";

const slug = (request: string, branch?: string) => slugOf(slugSource(branch, request));

describe("the slug", () => {
  test.each([
    ["Add auth refactor", "auth-refactor"],
    ["Crème brûlée: Façade ß Ünïcode", "creme-brulee-facade-unicode"],
    ["fix: the bug (#123) in v1.2.3", "fix-bug-123-v1-2-3"],
    ["a/b_c-d  e f g h i j k", "b-c-d-e-f-g"],
    ["please can you fix the build", "task"],
    ["", "task"],
    ["日本語 ⟨x⟩", "x"],
    ["--- __ //", "task"],
    ["ﬁne print", "fine-print"],
    ["abcdefghij abcdefghij abcdefghi -- k", "abcdefghij-abcdefghij-abcdefghi"],
  ])("of %j is %s", (request, expected) => {
    expect(slug(request)).toBe(expected);
    expect(slug(request, "main")).toBe(expected);
  });

  test.each([
    ["feature/auth-refactor", "auth-refactor"],
    ["Feature/Auth", "auth"],
    ["users/jane/fix_login", "users-jane-login"],
    ["release/1.2.3", "1-2-3"],
    ["feat/", "task"],
    ["feature/feature/x", "feature-x"],
    ["main", "hello-world"],
    ["TRUNK", "hello-world"],
    ["HEAD", "hello-world"],
    ["wf-abc", "hello-world"],
    ["Worktree-x", "hello-world"],
    ["worktree-wf-x", "hello-world"],
    ["", "hello-world"],
  ])("on branch %j is %s", (branch, expected) => {
    expect(slug("Hello world", branch)).toBe(expected);
  });

  test("is always words of a-z0-9, at most 32 characters in all, and the case of the text says nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const made = slugOf(text);
        expect(made).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        expect(made.length).toBeLessThanOrEqual(32);
        expect(slugOf(text.toUpperCase().toLowerCase())).toBe(slugOf(text.toUpperCase()));
      }),
    );
  });
});
