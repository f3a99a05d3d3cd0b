import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseFailure } from "../../src/cli/parse/parse.ts";
import { parse, reach } from "../../src/cli/parse/reach.ts";
import { type Command, command, type Group } from "../../src/kernel/call/command.ts";

const nothing = async () => ({ data: null, text: "" });

const start = command({
  name: "job start",
  summary: "Start",
  flags: {
    skill: { type: "string", value: "S", summary: "skill", required: true },
    label: { type: "string", value: "L", summary: "label" },
    tag: { type: "string", value: "T", summary: "tag", repeat: true },
    mode: { type: "string", value: "M", summary: "mode", choices: ["fast", "slow"] },
    "no-sweep": { type: "boolean", summary: "keep" },
    follow: { type: "boolean", summary: "follow", short: "f" },
  },
  rest: { name: "ARGV...", summary: "worker", required: true },
  examples: [],
  run: nothing,
});

const show = command({
  name: "job show",
  summary: "Show",
  flags: {},
  positionals: [
    { name: "REF", summary: "a job", required: true },
    { name: "OTHER", summary: "more", repeat: true },
  ],
  examples: [],
  run: nothing,
});

const group: Group = { name: "job", summary: "Jobs", verbs: { start, show } };

async function args(words: string[], target: Command | Group = group) {
  const parsed = parse(await reach(target, words));
  if (parsed.kind !== "run") throw new Error("help");
  return parsed.args as { flags: Record<string, unknown>; positionals: string[]; rest: string[] | undefined };
}

async function problem(words: string[], target: Command | Group = group) {
  try {
    parse(await reach(target, words));
  } catch (error) {
    if (error instanceof ParseFailure) return error.problem;
    throw error;
  }
  throw new Error("parsed");
}

describe("strict parsing", () => {
  test("takes a flag's value behind a blank or an equals sign", async () => {
    expect((await args(["start", "--skill", "a", "--label=b=c", "--", "w"])).flags).toMatchObject({
      skill: "a",
      label: "b=c",
    });
  });

  test("keeps every word after -- as data, help and flags included", async () => {
    const { rest } = await args([
      "start",
      "--skill=a",
      "--",
      "w",
      "--help",
      "-h",
      "--version",
      "--",
      "--skill",
    ]);
    expect(rest).toEqual(["w", "--help", "-h", "--version", "--", "--skill"]);
  });

  test("names an unknown flag and suggests the nearest", async () => {
    expect(await problem(["start", "--skil", "a", "--", "w"])).toMatchObject({
      kind: "unknown-flag",
      message: "unknown flag --skil; did you mean --skill?",
    });
    expect((await problem(["start", "--sk=a", "--", "w"])).message).toContain("unknown flag --sk");
  });

  test("takes --no-x only where it is declared: nothing is negated by a prefix", async () => {
    expect((await args(["start", "--skill=a", "--no-sweep", "--", "w"])).flags["no-sweep"]).toBe(true);
    expect((await problem(["start", "--skill=a", "--no-label", "--", "w"])).kind).toBe("unknown-flag");
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])(
    "does not know a command %s",
    async (word) => {
      expect((await problem([word])).kind).toBe("unknown-command");
      expect((await problem(["start", `--${word}`, "--", "w"])).kind).toBe("unknown-flag");
    },
  );

  test("refuses a flag given twice, unless it repeats or its group says the last wins", async () => {
    expect((await problem(["start", "--skill=a", "--skill=b", "--", "w"])).kind).toBe("repeated-flag");
    expect((await args(["start", "--skill=a", "--tag=1", "--tag", "2", "--", "w"])).flags["tag"]).toEqual([
      "1",
      "2",
    ]);
    const lenient: Group = { ...group, repeated: "last-wins" };
    expect((await args(["start", "--skill=a", "--skill=b", "--", "w"], lenient)).flags["skill"]).toBe("b");
  });

  test("asks for a missing value instead of eating the next flag", async () => {
    expect(await problem(["start", "--skill", "--label", "x", "--", "w"])).toMatchObject({
      kind: "missing-value",
      message: "--skill needs a value (S)",
    });
    expect((await problem(["start", "--skill"])).kind).toBe("missing-value");
  });

  test("takes a negative number and a lone dash as values", async () => {
    expect((await args(["start", "--skill", "-1", "--label", "-", "--", "w"])).flags).toMatchObject({
      skill: "-1",
      label: "-",
    });
  });

  test("checks required flags, positionals and data", async () => {
    expect((await problem(["start", "--", "w"])).message).toBe("missing --skill S");
    expect((await problem(["start", "--skill=a"])).message).toBe("missing ARGV...; put it after --");
    expect((await problem(["show"])).message).toBe("missing REF");
    expect(await problem(["start", "--skill=a", "stray", "--", "w"])).toMatchObject({
      kind: "extra-positional",
      word: "stray",
    });
  });

  test("takes words after -- as positionals, or refuses them where the group says so", async () => {
    expect((await args(["show", "--", "-x", "--y"])).positionals).toEqual(["-x", "--y"]);
    const refusing: Group = { ...group, afterSeparator: "refused" };
    expect(await problem(["show", "a", "--", "x"], refusing)).toMatchObject({
      kind: "unexpected-rest",
      word: "x",
    });
  });

  test("checks choices and suggests one", async () => {
    expect((await problem(["start", "--skill=a", "--mode=fst", "--", "w"])).message).toContain(
      "did you mean fast?",
    );
    expect((await problem(["start", "--skill=a", "--mode=zzzzzz", "--", "w"])).message).toContain(
      "expected one of fast, slow",
    );
  });

  test("a switch takes no value", async () => {
    expect((await problem(["start", "--skill=a", "--follow=yes", "--", "w"])).kind).toBe("unexpected-value");
  });

  test("a short flag is one letter; no clusters and no abbreviations", async () => {
    expect((await args(["start", "--skill=a", "-f", "--", "w"])).flags["follow"]).toBe(true);
    expect((await problem(["start", "--skill=a", "-ff", "--", "w"])).kind).toBe("unknown-flag");
    expect((await problem(["start", "--skill=a", "--foll", "--", "w"])).message).toContain(
      "did you mean --follow?",
    );
  });

  test("help is asked for before --, anywhere", async () => {
    expect(parse(await reach(group, ["start", "--skill", "a", "--help", "--", "w"])).kind).toBe("help");
    expect(parse(await reach(group, ["--help"])).kind).toBe("help");
    expect(parse(await reach(group, ["-h", "show"])).kind).toBe("help");
  });

  test("a missing or misspelt command names the choices", async () => {
    expect((await problem([])).message).toBe("no command given; expected one of start, show");
    expect((await problem(["strat"])).message).toBe("unknown command 'strat'; did you mean start?");
  });

  test("property: whatever stands after -- comes through unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { minLength: 1 }), async (words) => {
        expect((await args(["start", "--skill=a", "--", ...words])).rest).toEqual(words);
      }),
    );
  });

  test("property: any words end in a parse, help or a named problem, never in another error", async () => {
    const word = fc.oneof(
      fc.constantFrom(
        "start",
        "show",
        "--skill",
        "--label=x",
        "--tag",
        "-f",
        "--",
        "-",
        "--help",
        "--mode",
        "x",
      ),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 8 }), async (words) => {
        try {
          expect(["run", "help"]).toContain(parse(await reach(group, words)).kind);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseFailure);
          expect((error as ParseFailure).message).not.toBe("");
        }
      }),
    );
  });

  test("property: a value given with = arrives byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (value) => {
        expect((await args(["start", "--skill=a", `--label=${value}`, "--", "w"])).flags["label"]).toBe(
          value,
        );
      }),
    );
  });
});
