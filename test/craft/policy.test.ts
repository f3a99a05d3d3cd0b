import { describe, expect, test } from "vitest";
import { ACTIONS, VERDICTS } from "../../src/craft/common/vocabulary.ts";
import { adjudicate } from "../../src/craft/policy/consult.ts";
import { craft, resolved, world } from "./world.ts";

const consult = async (...words: string[]) => {
  const { code, stdout, stderr } = await craft(world(), ["policy", "consult", ...words]);
  return code === 0 ? JSON.parse(stdout) : { code, stdout, stderr };
};

describe("policy consult", () => {
  test("craft-engine-42 ask, degrade, pre-approve, refuse", async () => {
    expect(await consult("integrate", "--effective", "{}")).toEqual({
      action: "integrate",
      verdict: "ask",
      source: "default",
      surface: "ask-then-proceed",
      onRefuse: "no-op",
      onDecline: "block",
      tokens: { approved: "POLICY(ask:integrate→approved)", declined: "POLICY(ask:integrate→declined)" },
    });
    const headless = ["integrate", "--effective", "{}", "--binding", "headless"];
    expect(await consult(...headless)).toMatchObject({
      surface: "degrade-to-blocker",
      tokens: { degraded: "POLICY(degraded:integrate)" },
    });
    expect(await consult(...headless, "--preapproved", "push,integrate")).toMatchObject({
      ...{ verdict: "always", source: "preapproved", surface: "proceed" },
      tokens: { done: "POLICY(always:integrate)" },
    });
    const never = ["integrate", "--effective", '{"integrate":"never"}', "--binding", "headless"];
    expect(await consult(...never, "--preapproved", "integrate")).toMatchObject({
      ...{ verdict: "never", source: "explicit", surface: "refuse" },
      tokens: { refused: "POLICY(never:integrate)" },
    });
  });

  test("craft-engine-43 a floor is never consulted, nor set", async () => {
    expect(await consult("never-commit-on-red", "--effective", "{}")).toEqual({
      ...{ code: 2, stdout: "" },
      stderr:
        "policy: 'never-commit-on-red' is an engine floor, not a policy action — it is never consulted\n",
    });
    const effective = '{"validation-triage-gates-propose":"never"}';
    expect(await consult("push", "--effective", effective)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is an engine floor"),
    });
  });

  test.each([
    [
      ["merge", "--effective", "{}"],
      "policy: unknown action 'merge' — must be one of isolate, commit, push, propose, integrate, teardown, external-send, backlog-write",
    ],
    [
      ["push", "--effective", "{}", "--binding", "x"],
      "policy: unknown binding 'x' — must be one of interactive, headless",
    ],
    [["push", "--effective", "{}", "--preapproved", "x"], "policy: unknown action 'x'"],
    [["push", "--effective", '{"push":"maybe"}'], "policy: unknown verdict 'maybe' for push"],
    [["push", "--effective", "[]"], "policy: --effective must be a JSON object"],
    [["push", "--effective", "{"], "policy: --effective is not valid JSON"],
    [["push"], "policy: give one of --effective JSON and --resolution FILE"],
    [["push", "--effective", "{}", "--resolution", "r"], "policy: give one of"],
    [["push", "--resolution", "none"], "policy: none: no such file or directory"],
  ])("%j is refused", async (words, message) => {
    expect(await consult(...words)).toMatchObject({
      ...{ code: 2, stdout: "" },
      stderr: expect.stringMatching(`^${message.replaceAll(/[()[\].]/g, "\\$&")}`),
    });
  });

  test("a Resolution's policy is used, and upstream's binding names are understood", async () => {
    const at = world();
    at.write("r.json", JSON.stringify(await resolved(at, "policy: { always: [push] }")));
    const words = ["policy", "consult", "push", "--resolution", "r.json", "--binding", "pi"];
    expect(JSON.parse((await craft(at, words)).stdout)).toMatchObject({
      verdict: "always",
      source: "explicit",
    });
  });

  test("the table of actions: what a refusal and a declined question do", () => {
    const rows = ACTIONS.map((action) => {
      const { verdict, onRefuse, onDecline } = adjudicate(action, {}, "interactive");
      return [action, verdict, onRefuse, onDecline].join(" ");
    });
    expect(rows).toEqual([
      "isolate always no-op no-op",
      "commit always no-op no-op",
      "push ask block block",
      "propose ask no-op block",
      "integrate ask no-op block",
      "teardown ask block block",
      "external-send ask block block",
      "backlog-write always no-op no-op",
    ]);
  });

  test("nothing but a standing always, or an approval of this call, ever lets an action through unasked", () => {
    for (const action of ACTIONS) {
      for (const verdict of VERDICTS) {
        for (const binding of ["interactive", "headless"] as const) {
          for (const preapproved of [[], [action]]) {
            const { surface } = adjudicate(action, { [action]: verdict }, binding, preapproved);
            const approved = verdict === "ask" && binding === "headless" && preapproved.length > 0;
            expect(surface === "proceed").toBe(verdict === "always" || approved);
          }
        }
      }
    }
  });
});
