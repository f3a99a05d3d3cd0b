import { expect, test } from "vitest";
import { isSameModel, readReceipt } from "../../../src/elevate/call/receipt.ts";
import { event, say, world } from "../fixture.ts";

test("elevate-6 which model answered, by the provider's own account", async () => {
  expect(readReceipt("fable", ["claude-opus-4-8"])).toEqual({
    served: "claude-opus-4-8",
    receipt: "mismatch",
  });
  expect(readReceipt("opus", ["claude-haiku-4-5", "claude-opus-4-8"])).toEqual({
    served: "claude-opus-4-8",
    receipt: "matched",
  });
  expect(readReceipt("opus", [])).toEqual({ served: "unverified", receipt: "unverified" });
  expect(readReceipt("gizmo", ["zeta", "alpha"])).toEqual({ served: "alpha", receipt: "unverified" });
  expect(readReceipt("claude-opus-4-8", ["alpha"])).toEqual({ served: "alpha", receipt: "mismatch" });
  expect(readReceipt("claude-opus-4-8", ["a", "claude-opus-4-8-x"]).receipt).toBe("matched");
  // Code point order, where the default order of UTF-16 units differs.
  expect(readReceipt("gizmo", ["\u{1f600}", "\uffee"]).served).toBe("\uffee");
  // Through the program, with the two shapes that carry no keys.
  const w = world();
  for (const fields of [{}, { modelUsage: ["claude-opus-4"] }, { modelUsage: null }]) {
    w.stub(say(event("x", fields)));
    await w.elevate("opus");
    expect(w.envelope()).toMatchObject({ status: "ok", served_model: "unverified", receipt: "unverified" });
  }
  w.stub(say(event("x", { modelUsage: { "claude-opus-4-8": {} } })));
  const run = await w.elevate("fable");
  expect(w.envelope()).toMatchObject({ status: "ok", served_model: "claude-opus-4-8", receipt: "mismatch" });
  expect(run.stderr).toContain("requested=fable served=claude-opus-4-8 receipt=mismatch");
});

test("a family and an id of it are the same model", () => {
  expect(isSameModel("fable", "fable")).toBe(true);
  expect(isSameModel("fable", "claude-fable-5")).toBe(true);
  expect(isSameModel("claude-fable-5", "fable")).toBe(true);
  expect(isSameModel("opus", "claude-fable-5")).toBe(false);
  expect(isSameModel("claude-fable-5", "claude-fable-6")).toBe(false);
  expect(isSameModel("gizmo", "gizmo-1")).toBe(false);
});
