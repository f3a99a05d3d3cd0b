import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ParseFailure, parse } from "../../src/cli/parse/parse.ts";
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

function args(words: string[], target: Command | Group = group) {
  const parsed = parse(target, words);
  if (parsed.kind !== "run") throw new Error("help");
  return parsed.args as { flags: Record<string, unknown>; positionals: string[]; rest: string[] | undefined };
}

function problem(words: string[], target: Command | Group = group) {
  try {
    parse(target, words);
  } catch (error) {
    if (error instanceof ParseFailure) return error.problem;
    throw error;
  }
  throw new Error("parsed");
}

describe("strict parsing", () => {
  test("takes a flag's value behind a blank or an equals sign", () => {
    expect(args(["start", "--skill", "a", "--label=b=c", "--", "w"]).flags).toMatchObject({
      skill: "a",
      label: "b=c",
    });
  });

  test("keeps every word after -- as data, help and flags included", () => {
    const { rest } = args(["start", "--skill=a", "--", "w", "--help", "-h", "--version", "--", "--skill"]);
    expect(rest).toEqual(["w", "--help", "-h", "--version", "--", "--skill"]);
  });

  test("names an unknown flag and suggests the nearest", () => {
    expect(problem(["start", "--skil", "a", "--", "w"])).toMatchObject({
      kind: "unknown-flag",
      message: "unknown flag --skil; did you mean --skill?",
    });
    expect(problem(["start", "--sk=a", "--", "w"]).message).toContain("unknown flag --sk");
  });

  test("takes --no-x only where it is declared: nothing is negated by a prefix", () => {
    expect(args(["start", "--skill=a", "--no-sweep", "--", "w"]).flags["no-sweep"]).toBe(true);
    expect(problem(["start", "--skill=a", "--no-label", "--", "w"]).kind).toBe("unknown-flag");
  });

  test.each(["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])(
    "does not know a command %s",
    (word) => {
      expect(problem([word]).kind).toBe("unknown-command");
      expect(problem(["start", `--${word}`, "--", "w"]).kind).toBe("unknown-flag");
    },
  );

  test("refuses a flag given twice, unless it repeats or its group says the last wins", () => {
    expect(problem(["start", "--skill=a", "--skill=b", "--", "w"]).kind).toBe("repeated-flag");
    expect(args(["start", "--skill=a", "--tag=1", "--tag", "2", "--", "w"]).flags["tag"]).toEqual(["1", "2"]);
    const lenient: Group = { ...group, repeated: "last-wins" };
    expect(args(["start", "--skill=a", "--skill=b", "--", "w"], lenient).flags["skill"]).toBe("b");
  });

  test("asks for a missing value instead of eating the next flag", () => {
    expect(problem(["start", "--skill", "--label", "x", "--", "w"])).toMatchObject({
      kind: "missing-value",
      message: "--skill needs a value (S)",
    });
    expect(problem(["start", "--skill"]).kind).toBe("missing-value");
  });

  test("takes a negative number and a lone dash as values", () => {
    expect(args(["start", "--skill", "-1", "--label", "-", "--", "w"]).flags).toMatchObject({
      skill: "-1",
      label: "-",
    });
  });

  test("checks required flags, positionals and data", () => {
    expect(problem(["start", "--", "w"]).message).toBe("missing --skill S");
    expect(problem(["start", "--skill=a"]).message).toBe("missing ARGV...; put it after --");
    expect(problem(["show"]).message).toBe("missing REF");
    expect(problem(["start", "--skill=a", "stray", "--", "w"])).toMatchObject({
      kind: "extra-positional",
      word: "stray",
    });
  });

  test("takes words after -- as positionals, or refuses them where the group says so", () => {
    expect(args(["show", "--", "-x", "--y"]).positionals).toEqual(["-x", "--y"]);
    const refusing: Group = { ...group, afterSeparator: "refused" };
    expect(problem(["show", "a", "--", "x"], refusing)).toMatchObject({ kind: "unexpected-rest", word: "x" });
  });

  test("checks choices and suggests one", () => {
    expect(problem(["start", "--skill=a", "--mode=fst", "--", "w"]).message).toContain("did you mean fast?");
    expect(problem(["start", "--skill=a", "--mode=zzzzzz", "--", "w"]).message).toContain(
      "expected one of fast, slow",
    );
  });

  test("a switch takes no value", () => {
    expect(problem(["start", "--skill=a", "--follow=yes", "--", "w"]).kind).toBe("unexpected-value");
  });

  test("a short flag is one letter; no clusters and no abbreviations", () => {
    expect(args(["start", "--skill=a", "-f", "--", "w"]).flags["follow"]).toBe(true);
    expect(problem(["start", "--skill=a", "-ff", "--", "w"]).kind).toBe("unknown-flag");
    expect(problem(["start", "--skill=a", "--foll", "--", "w"]).message).toContain("did you mean --follow?");
  });

  test("help is asked for before --, anywhere", () => {
    expect(parse(group, ["start", "--skill", "a", "--help", "--", "w"]).kind).toBe("help");
    expect(parse(group, ["--help"]).kind).toBe("help");
    expect(parse(group, ["-h", "show"]).kind).toBe("help");
  });

  test("a missing or misspelt command names the choices", () => {
    expect(problem([]).message).toBe("no command given; expected one of start, show");
    expect(problem(["strat"]).message).toBe("unknown command 'strat'; did you mean start?");
  });

  test("property: whatever stands after -- comes through unchanged", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        expect(args(["start", "--skill=a", "--", ...words]).rest).toEqual(words);
      }),
    );
  });

  test("property: any words end in a parse, help or a named problem, never in another error", () => {
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
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        try {
          expect(["run", "help"]).toContain(parse(group, words).kind);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseFailure);
          expect((error as ParseFailure).message).not.toBe("");
        }
      }),
    );
  });

  test("property: a value given with = arrives byte for byte", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(args(["start", "--skill=a", `--label=${value}`, "--", "w"]).flags["label"]).toBe(value);
      }),
    );
  });
});
