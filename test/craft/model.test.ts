import { describe, expect, test } from "vitest";
import { classOf } from "../../src/craft/models/classify.ts";
import { craft, resolved, world } from "./world.ts";

describe("model select", () => {
  test("craft-engine-45 the declared tier, then the fallback, then the session; an error text classified", async () => {
    const at = world();
    at.write("m.md", "---\nmodels: { reviewer: haiku, fallback: opus }\n---\n");
    const select = (...words: string[]) =>
      craft(at, ["model", "select", "craft:reviewer", "--manifest", "m.md", ...words]);
    expect(await select()).toEqual({ code: 0, stdout: "haiku\n", stderr: "" });
    expect((await select("--degraded", "haiku")).stdout).toBe("opus\n");
    expect((await select("--degraded", "haiku,opus,sonnet")).stdout).toBe("session\n");
    expect(await craft(at, ["model", "classify"], "took 1529ms\n")).toMatchObject({
      code: 0,
      stdout: "unclassified\n",
    });
  });

  test("the descriptor's tier, by role or by phase; an unknown phase is refused", async () => {
    const at = world();
    at.write(
      "r.json",
      JSON.stringify(await resolved(at, "phases: { architecture: { enabled: true, model: haiku } }")),
    );
    const select = async (...words: string[]) =>
      JSON.parse((await craft(at, ["model", "select", ...words, "--json"])).stdout);
    expect(await select("harness-triager", "--resolution", "r.json")).toEqual({
      ...{ role: "harness-triager", tier: "sonnet", source: "descriptor", skipped: [] },
    });
    expect(
      await select("craft:harness-triager", "--phase", "architecture", "--resolution", "r.json"),
    ).toMatchObject({
      tier: "haiku",
    });
    expect(await select("backlog-ticker")).toMatchObject({ tier: "haiku", source: "default" });
    expect(await select("requirements-writer", "--degraded", "opus")).toEqual({
      ...{ role: "requirements-writer", tier: "sonnet", source: "default", skipped: ["opus"] },
    });
    expect(await select("someone")).toMatchObject({ tier: "sonnet", source: "default" });
    expect(await craft(at, ["model", "select", "planner", "--phase", "none"])).toEqual({
      ...{ code: 2, stdout: "" },
      stderr: "model: none is no phase of this run\n",
    });
  });
});

describe("model classify", () => {
  test.each([
    ['API Error: 529 {"type":"error"}', "overload"],
    ["HTTP 529", "overload"],
    ["status: 529", "overload"],
    ['{"status":529}', "overload"],
    ["error code 529", "overload"],
    ["529 Overloaded", "overload"],
    ['529 {"type":"error","error":{"type":"overloaded_error"}}', "overload"],
    ["overloaded_error", "overload"],
    ["took 1529ms", "unclassified"],
    ["529 files changed", "unclassified"],
    ["line 529", "unclassified"],
    ["code 529ms", "unclassified"],
    ["status 1.529", "unclassified"],
    ["", "unclassified"],
    ["the model is slow today", "unclassified"],
    ["model: opus-9 not found", "permanent"],
    [
      "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
      "permanent",
    ],
    ["You do not have access to the requested model", "permanent"],
    ["Unknown model x", "permanent"],
    ["model_not_found", "permanent"],
    ["This model has been disabled by your administrator", "permanent"],
    ["529 overloaded: due to high load, please switch to sonnet", "permanent"],
  ])("%s", (text, expected) => {
    expect(classOf(text)).toBe(expected);
  });

  test("a hostile megabyte ends", () => {
    for (const piece of ["model ", "529 ", "high load ", "model not ", "no access ", "model\t"])
      expect(classOf(piece.repeat((1 << 20) / piece.length))).toBe("unclassified");
  });
});
