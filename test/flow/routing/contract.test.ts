import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkContract } from "../../../src/flow/routing/contract.ts";

const contract = (...lines: string[]) =>
  ["Done.", "### Router Contract (MACHINE-READABLE)", "```yaml", ...lines, "```", "bye"].join("\n");

describe("an agent's contract", () => {
  test("a kind that is not known has to give its status alone", () => {
    expect(checkContract("x", contract("STATUS: PASS"))).toEqual({ valid: true, errors: [] });
    expect(checkContract("__proto__", contract("A: 1")).errors).toEqual(["missing required field: STATUS"]);
  });

  test("each field that is missing is named, in the order of the table", () => {
    expect(checkContract("skill-author", contract("SUMMARY: x"))).toEqual({
      valid: false,
      errors: ["missing required field: STATUS", "missing required field: CANDIDATE_ID"],
    });
    const fields =
      "STATUS SUMMARY CONFIDENCE PHASE_ID PHASE_STATUS PHASE_EXIT_READY PROOF_STATUS TDD_RED_EXIT".split(" ");
    expect(
      checkContract("component-builder", contract(...fields.map((field) => `${field}: PASS`))).errors,
    ).toEqual(
      ["TDD_GREEN_EXIT", "SCENARIOS", "BLOCKING", "REMEDIATION_NEEDED"].map(
        (field) => `missing required field: ${field}`,
      ),
    );
  });

  test("flow-66 the type of a gap is its first field, the severity stands anywhere, both in any case", () => {
    const gaps = (...items: string[]) =>
      checkContract(
        "x",
        contract("STATUS: PASS", "GAP_CLASSIFICATION:", ...items.map((item) => `  - ${item}`)),
      );
    expect(gaps("partial | x | high", '"Missing | CRITICAL | \\"x\\""')).toEqual({ valid: true, errors: [] });
    const { errors } = gaps("Partial | LOW | x", "partially done | HIGH | x", "Missing | highest | x");
    expect(errors).toEqual([
      expect.stringMatching(/^GAP_CLASSIFICATION\[1\]: invalid type 'partially done'/),
      expect.stringMatching(/^GAP_CLASSIFICATION\[2\]: no valid severity/),
    ]);
    expect(errors[0]).not.toContain("severity");
    expect(errors[1]).not.toContain("type");
  });

  test.each(["pass", "DONE", "", "COMPLETE BLOCKED"])("a status of %j is refused", (status) => {
    expect(checkContract("x", contract(`STATUS: ${status}`)).errors).toEqual([
      expect.stringContaining("invalid STATUS"),
    ]);
  });

  test.each(['STATUS: "PASS"', "STATUS: 'PASS' # x", "STATUS: PASS   # fine", "STATUS:\tPASS\r"])(
    "%j gives a status",
    (line) => {
      expect(checkContract("x", contract(line)).valid).toBe(true);
    },
  );

  test.each([
    ["no heading", "```yaml\nSTATUS: PASS\n```"],
    ["no block", "### Router Contract (MACHINE-READABLE)\nSTATUS: PASS"],
    ["a block of another language", "### Router Contract (MACHINE-READABLE)\n```json\n{}\n```"],
    [
      "a block below another heading",
      "### Router Contract (MACHINE-READABLE)\n### X\n```yaml\nSTATUS: PASS\n```",
    ],
    ["a block that was cut off", "### Router Contract (MACHINE-READABLE)\n```yaml\nSTATUS: PASS\n"],
    ["a heading of another level", "## Router Contract (MACHINE-READABLE)\n```yaml\nSTATUS: PASS\n```"],
  ])("%s is no contract", (_, text) => {
    expect(checkContract("x", text).errors).toEqual(["no Router Contract YAML block found"]);
  });

  test("the heading may be in any case, with text before the block, which may be fenced with tildes", () => {
    const text =
      "### ROUTER CONTRACT (machine-readable)\n\nAs agreed:\n\n~~~~YAML\nSTATUS: PASS\n```\n~~~~\n";
    expect(checkContract("x", text).valid).toBe(true);
  });

  test("only the top level and its items are read", () => {
    const { errors } = checkContract(
      "skill-author",
      contract("STATUS: PASS", "NESTED:", "  SUMMARY: x", "  CANDIDATE_ID: 1", "- GAP"),
    );
    expect(errors).toEqual(["missing required field: SUMMARY", "missing required field: CANDIDATE_ID"]);
  });

  test("any text is judged, and what is valid stays so behind any other text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, kind) => {
        expect(checkContract(kind, before).valid).toBe(checkContract(kind, before).errors.length === 0);
        const rest = before.replaceAll("#", "");
        expect(checkContract("x", `${rest}\n${contract("STATUS: PASS")}`).valid).toBe(true);
      }),
    );
  });
});
