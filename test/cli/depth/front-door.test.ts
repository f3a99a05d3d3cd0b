import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { catalogue } from "../../../src/cli/catalogue.ts";
import { runInvocation } from "../../../src/cli/dispatch.ts";
import { commandReference } from "../../../src/cli/help/reference.ts";
import { parseOnly } from "../../../src/cli/parse-only.ts";
import { loaded } from "./rooms.ts";

vi.mock("../../../src/cli/tree.ts", () => import("./rooms.ts"));

/** A whole call in this process: from its words to what is printed. */
async function jig(words: readonly string[], invokedAs = "jig") {
  const out = { code: 0, stdout: "", stderr: "" };
  const decoder = new TextDecoder();
  out.code = await runInvocation(invokedAs, words, {
    env: {},
    sink: {
      stdout: (chunk) => {
        out.stdout += typeof chunk === "string" ? chunk : decoder.decode(chunk);
      },
      stderr: (text) => {
        out.stderr += text;
      },
      terminal: () => ({ isTerminal: false, width: 80, colour: false }),
    },
  });
  return out;
}

beforeEach(() => void loaded.splice(0));

describe("a verb three groups deep", () => {
  test("runs, with flags before and behind the words that reach it", async () => {
    expect(await jig(["made", "ledger", "append", "a", "b"])).toMatchObject({ code: 7 });
    expect(await jig(["made", "ledger", "append", "a"])).toEqual({
      code: 0,
      stdout: "appended a\n",
      stderr: "",
    });
    expect(await jig(["made", "ledger", "deep", "leaf"])).toMatchObject({ code: 0, stdout: "leaf\n" });
    expect(await jig(["made", "--json", "ledger", "deep", "--n=3", "leaf"])).toMatchObject({
      stdout: '"é"\n',
    });
  });

  test("loads the doors on its way and nothing beside them; help of a group loads no verb", async () => {
    await jig(["made", "ledger", "append", "a"]);
    expect(loaded.splice(0)).toEqual(["made", "ledger", "append"]);
    await jig(["made", "ping"]);
    expect(loaded.splice(0)).toEqual(["made"]);
    for (const words of [["made", "--help"], ["help", "made"], ["made"], ["made", "nosuch"]]) {
      await jig(words);
      expect([words, loaded.splice(0)]).toEqual([words, ["made"]]);
    }
    await jig(["made", "ledger", "--help"]);
    expect(loaded.splice(0)).toEqual(["made", "ledger"]);
    await jig(["--help"]);
    expect(loaded).toEqual([]);
  });

  test("help at every depth, by flag and by word", async () => {
    const group = await jig(["made", "ledger", "--help"]);
    expect(group).toMatchObject({ code: 0, stderr: "" });
    expect(group.stdout).toContain("USAGE jig made ledger COMMAND");
    expect(group.stdout).toMatch(/^ {2}append {2}Append a record$/m);
    expect(group.stdout).toMatch(/^ {2}deep {4}Deeper still$/m);
    expect(await jig(["help", "made", "ledger"])).toEqual(group);
    const verb = await jig(["made", "ledger", "deep", "leaf", "-h"]);
    expect(verb.stdout).toMatch(/^USAGE jig made ledger deep leaf/m);
    expect(await jig(["help", "made", "ledger", "deep", "leaf"])).toEqual(verb);
    expect(await jig(["made", "--help", "ledger", "deep", "leaf"])).toEqual(verb);
    // Whoever asks for help gets it, also about a word that does not exist.
    expect(await jig(["made", "ledger", "nosuch", "--help"])).toEqual(group);
  });

  test("a missing or misspelt word is judged where it stands, in the form that holds there", async () => {
    expect((await jig(["made", "ledger"])).stderr).toBe(
      "ledger: [jig] no command given; expected one of append, deep | jig made ledger COMMAND\n",
    );
    expect((await jig(["made", "ledgr", "append"])).stderr).toContain(
      "unknown command 'ledgr'; did you mean ledger?",
    );
    expect((await jig(["made", "ledger", "apend"])).stderr).toContain(
      "unknown command 'apend'; did you mean append?",
    );
    expect((await jig(["made", "ledger", "deep", "laef"])).stderr).toBe(
      "deep: [jig] unknown command 'laef'; did you mean leaf? | jig made ledger deep COMMAND\n",
    );
    expect((await jig(["made", "ledger", "deep", "leaf", "--n=0"])).stderr).toBe(
      "deep: [jig] --n must be a positive integer, got '0' | jig made ledger deep leaf [--n N] [--json]\n",
    );
    for (const word of ["constructor", "__proto__", "toString"]) {
      expect(await jig(["made", "ledger", word])).toMatchObject({ code: 7, stdout: "" });
    }
  });

  test("habits are those of the nearest group that has one", async () => {
    const style = ["--style=plain", "--style=js"];
    const append = await jig(["made", "ledger", "append", ...style, "--json"]);
    expect(JSON.parse(append.stdout)).toMatchObject({ flags: { style: "js" }, prefix: "ledger: " });
    expect((await jig(["made", "ledger", "append", "--", "x"])).stderr).toContain(
      "unexpected argument 'x' after --",
    );
    expect((await jig(["made", "ledger", "deep", "leaf", "--n=1", "--n=2"])).stderr).toContain(
      "--n given twice",
    );
    expect((await jig(["made", "ledger", "deep", "leaf", "--", "x"])).stderr).toContain(
      "unexpected argument 'x' |",
    );
  });

  test("Host.parse, the reference and the read-only calls reach it", async () => {
    expect(await parseOnly(["made", "ledger", "append", "x"])).toEqual({
      ok: true,
      command: "made ledger append",
    });
    expect(await parseOnly(["made", "ledger", "deep", "--help"])).toEqual({
      ok: true,
      command: "made ledger deep",
    });
    expect(await parseOnly(["made", "ledger", "nosuch"])).toMatchObject({ ok: false });
    expect(await catalogue.readOnlyCalls()).toEqual([
      "made ping",
      "made ledger append --dry *",
      "made other",
      "plain",
    ]);
    const headings = (await commandReference()).match(/^#+ jig .*$/gm);
    expect(headings).toEqual([
      "### jig made",
      "#### jig made ping",
      "#### jig made ledger",
      "##### jig made ledger append",
      "##### jig made ledger deep",
      "###### jig made ledger deep leaf",
      "#### jig made other",
      "### jig plain",
    ]);
  });
});

test("property: whatever the words and the name, a call ends in a result or in one message, never in a bug", async () => {
  const word = fc.oneof(
    fc.constantFrom("made", "ledger", "append", "deep", "leaf", "ping", "help", "plain", "a", "bad"),
    fc.constantFrom(
      "--json",
      "--style=js",
      "--style",
      "--tag",
      "--n=2",
      "--n",
      "--loud",
      "--",
      "-",
      "--help",
      "-h",
      "--as",
    ),
    fc.string(),
  );
  const name = fc.constantFrom("jig", "ledger.sh", "append.js", "only.py", "lax.sh", "odd.py");
  await fc.assert(
    fc.asyncProperty(name, fc.array(word, { maxLength: 7 }), async (invokedAs, words) => {
      const run = await jig(words, invokedAs);
      expect([0, 2, 7]).toContain(run.code);
      expect(run.code === 0 ? run.stderr : run.stdout).toBe("");
      if (run.code !== 0) expect(run.stderr).not.toBe("");
    }),
  );
});

describe("a drop-in name", () => {
  const data = (run: { stdout: string }) => JSON.parse(run.stdout);

  test("may stand for a group below a room, with or without its extension, called or given with --as", async () => {
    for (const run of [
      await jig(["append", "a"], "/usr/bin/ledger.sh"),
      await jig(["append", "a"], "ledger"),
      await jig(["--as", "ledger.sh", "append", "a"]),
    ]) {
      expect(run).toEqual({ code: 0, stdout: "appended a\n", stderr: "" });
    }
    expect(data(await jig(["append", "--json"], "ledger.sh")).under).toBe("ledger.sh");
    expect(data(await jig(["made", "ledger", "append", "--json"])).under).toBeNull();
  });

  test("help: unknown-flag makes --help and -h flags like any other, of the group and of its verbs", async () => {
    for (const words of [["--help"], ["-h"], ["append", "--help"], ["append", "-h"]]) {
      const run = await jig(words, "ledger.sh");
      expect(run).toMatchObject({ code: 7, stdout: "" });
      expect(run.stderr).toMatch(/^ledger: \[ledger\.sh\] unknown flag '?--?h/);
    }
    expect(await jig(["--", "--help"], "ledger.sh")).toMatchObject({ code: 7 });
  });

  test("without, requires, fixed and json change the command for its callers alone", async () => {
    const run = await jig(["a"], "append.js");
    expect(run.stdout).toMatch(/^\{"under": "append\.js", "flags": \{/);
    expect(data(run).flags).toEqual({ style: "js", tag: [], loud: false, json: true });
    expect((await jig([], "append.js")).stderr).toContain("missing TEXT");
    expect((await jig(["a", "--json"], "append.js")).stderr).toContain("unknown flag --json");
    expect((await jig(["a", "--tag=x"], "append.js")).stderr).toContain("unknown flag --tag");
    // Set whatever the caller says.
    expect(data(await jig(["a", "--style=plain"], "append.js")).flags.style).toBe("js");
    expect(await jig(["made", "ledger", "append", "--tag=x"])).toMatchObject({ code: 0 });
  });

  test("only leaves no other flag, and JSON may be indented", async () => {
    const run = await jig(["--loud", "--json"], "only.py");
    expect(run.stdout).toBe(`${JSON.stringify(data(run), null, 2)}\n`);
    expect((await jig(["--loud", "--style=js"], "only.py")).stderr).toContain("unknown flag --style");
  });

  test("unknown: ignored passes over flags it does not have and arguments too many", async () => {
    const run = await jig(["--style=js", "a", "--nosuch", "b", "--help", "--loud"], "lax.sh");
    expect(run).toEqual({ code: 0, stdout: "appended a\n", stderr: "" });
    expect(await jig(["--loud=yes"], "lax.sh")).toMatchObject({ code: 7 });
  });

  test("translate rewrites the words or says what is wrong with them", async () => {
    expect(await jig(["x"], "odd.py")).toMatchObject({ code: 0, stdout: "pong\n" });
    expect(await jig(["bad"], "odd.py")).toEqual({ code: 2, stdout: "", stderr: "odd: cannot\n" });
  });

  test("errors begin with the name where nothing nearer says what they begin with", async () => {
    expect((await jig(["nosuch"], "odd.py")).stdout).toBe("pong\n");
    expect((await jig(["x", "y"], "odd.py")).stderr).toMatch(/^odd: \[odd\.py\] unexpected argument 'y'/);
    expect((await jig(["made", "ping", "y"])).stderr).toMatch(/^jig made: \[jig\] unexpected argument 'y'/);
  });
});
