import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkTask } from "../../../src/flow/routing/task-metadata.ts";

const check = (description: string, subject?: string) => checkTask(description, subject, () => true);

const WHOLE = {
  wf: "wf-x",
  kind: "agent",
  origin: "router",
  phase: "build-implement",
  plan: "N/A",
  scope: "N/A",
  reason: "N/A",
};
const text = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([key, value]) => `${key}:${value}\n`)
    .join("");

describe("a task's metadata", () => {
  test("the whole set is in order, in any order of its lines", () => {
    expect(check(text(WHOLE), "CRAFTFLOW build")).toEqual({
      valid: true,
      errors: [],
      warnings: [],
      metadata: WHOLE,
    });
    const reversed = Object.fromEntries(Object.entries(WHOLE).reverse());
    expect(check(`${text(reversed)}\nkind:nonsense`, "CRAFTFLOW build").errors).toEqual([]);
  });

  test("flow-46 a remediation needs its origin and its reason; a placeholder is no workflow", () => {
    const { errors, valid } = check("wf:wf-x\nkind:remfix\nphase:re-review\n");
    expect(valid).toBe(false);
    expect(errors).toEqual([expect.stringMatching(/^origin: /), expect.stringMatching(/^reason: /)]);
    expect(check(text({ ...WHOLE, wf: "PENDING_SELF" })).errors).toEqual([
      expect.stringContaining("PENDING_SELF"),
    ]);
  });

  test.each([
    ["wf", "../x"],
    ["kind", "Agent"],
    ["origin", "N/A"],
    ["phase", "build-x"],
    ["scope", "SOME"],
  ])("%s may not be %s", (key, value) => {
    expect(check(text({ ...WHOLE, [key]: value })).errors).toEqual([
      expect.stringMatching(new RegExp(`^${key}: .*${value}`)),
    ]);
  });

  test.each([
    ["workflow", "build", ["plan"]],
    ["agent", "fix-verify", ["plan"]],
    ["reverify", "re-verify", ["plan"]],
    ["memory", "memory-finalize", ["plan"]],
    ["remfix", "re-review", ["origin", "reason"]],
    ["research", "research-web", ["reason"]],
  ])("kind %s in phase %s needs %j as well", (kind, phase, needed) => {
    const { errors } = check(`wf: a \nkind:\t${kind}\nphase:${phase}\nplan:\n`);
    expect(errors.map((error) => error.split(":")[0])).toEqual(needed);
  });

  test("a reason of N/A satisfies where none is needed alone", () => {
    expect(check(text({ ...WHOLE, kind: "research", phase: "research-web" })).errors).toEqual([
      expect.stringContaining("N/A is no reason"),
    ]);
  });

  test("one key twice counts when both say the same", () => {
    expect(check(`${text(WHOLE)}kind: agent`).errors).toEqual([]);
    expect(check(`${text(WHOLE)}kind:memory\nkind:x`).errors).toEqual([
      "kind: given twice with different values, 'agent' and 'memory'",
    ]);
  });

  test("warnings fail nothing", () => {
    const report = checkTask("wf:a\nkind:memory\nphase:build\nplan:p\nNote: x\n", "build", () => false);
    expect(report.valid).toBe(true);
    expect(report.warnings).toEqual([
      expect.stringContaining("line 5"),
      expect.stringContaining("missing origin, scope, reason"),
      expect.stringContaining("CRAFTFLOW "),
      expect.stringContaining("memory-finalize"),
      "no artifact for workflow a",
    ]);
  });

  test("a description that begins with something else has no metadata", () => {
    expect(check(`\n${text(WHOLE)}`).errors).toEqual(["wf: missing", "kind: missing", "phase: missing"]);
    expect(check(`Do it.\n${text(WHOLE)}`).errors).toEqual([expect.stringContaining("does not begin")]);
  });

  test("any text is judged; what is read is never more than the seven keys", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("wf:", "kind:", "a", "agent", "\n", " ", "\r", "\0", "🙂")),
        (parts) => {
          const { errors, metadata, valid } = check(parts.join(""));
          expect(valid).toBe(errors.length === 0);
          for (const [key, value] of Object.entries(metadata)) {
            expect([key, value === value.trim() && value !== ""]).toEqual([
              expect.stringMatching(/^(wf|kind)$/),
              true,
            ]);
          }
        },
      ),
    );
  });
});
