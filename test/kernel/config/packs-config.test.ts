import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  labelled,
  maskPasswords,
  packEntryValue,
  readPacksBlock,
  shapeProblem,
} from "../../../src/kernel/config/packs-config.ts";

const read = (...lines: string[]) => readPacksBlock(lines.join("\n"), "config.yaml");
const values = (...lines: string[]) => read(...lines).entries.map((entry) => entry.values);
const errors = (...lines: string[]) => read(...lines).errors.map(labelled);

describe("readPacksBlock", () => {
  test("reads the documented constructs", () => {
    const text = `
top: 1
packs:
  - source: rules/house              # below the repository root
  - source: ~/my-rules
  - source: https://git.example/team/rules   # git: ref required
    ref: 2026.1
    path: published
    pack: [web, "b,c", 'm']
  - pack:
      - a
      - "b"
    source: x
    id: team-api
other:
  - source: not a pack
`;
    const result = readPacksBlock(text, "config.yaml");
    expect(result.errors).toEqual([]);
    expect(result.entries.map(({ line, values: found }) => [line, found])).toEqual([
      [4, { source: "rules/house" }],
      [5, { source: "~/my-rules" }],
      [
        6,
        {
          source: "https://git.example/team/rules",
          ref: "2026.1",
          path: "published",
          pack: ["web", "b,c", "m"],
        },
      ],
      [10, { pack: ["a", "b"], source: "x", id: "team-api" }],
    ]);
  });

  test("indentation, tabs, CRLF, a byte-order mark, a bare dash and column 0 make no difference", () => {
    const expected = [{ source: "packs/local", ref: "v1" }];
    for (const text of [
      "packs:\n  - source: packs/local\n    ref: v1",
      "packs:\n- source: packs/local\n  ref: v1",
      "packs:\n\t- source: packs/local\n\t\t\tref: v1",
      "packs:\r\n  - source: packs/local\r\n    ref: v1\r\n",
      "\ufeffpacks:\n  -\n    source: packs/local\n    ref: v1",
      "packs :\n  -   source:   packs/local\n # comment\n\n ref: v1",
      "packs: # mine\n  - source: 'packs/local' # it's\n    ref: \"v1\"",
    ]) {
      expect(readPacksBlock(text, "f")).toMatchObject({ errors: [], entries: [{ values: expected[0] }] });
    }
  });

  test("an apostrophe inside a word is text, a hash inside quotes or a word is no comment", () => {
    expect(values("packs:", "  - source: packs/o'brien-rules  # team's rules")).toEqual([
      { source: "packs/o'brien-rules" },
    ]);
    expect(values("packs:", "  - source: 'a # b'", "  - source: a#b")).toEqual([
      { source: "a # b" },
      { source: "a#b" },
    ]);
  });

  test("an empty list and comments declare nothing", () => {
    for (const text of ["packs: []", "packs:", "# packs:\n#  - source: x", "packs:\n  # - source: x", ""]) {
      expect(readPacksBlock(text, "f")).toEqual({ entries: [], errors: [], warnings: [] });
    }
  });

  test("a second block continues the first, with a warning", () => {
    const result = read("packs:", "  - source: a", "x: 1", "packs:", "  - source: b");
    expect(result.entries).toHaveLength(2);
    expect(result.warnings.map(labelled)).toEqual([
      "config.yaml:4: a second `packs:` block, read as a continuation of the first",
    ]);
  });

  test("packs-8 an inline value other than [] declares nothing", () => {
    for (const value of ["[packs/local]", "packs/local", "null", "{}", "~"]) {
      const result = read(`packs: ${value}`, "  - source: x");
      expect(result.entries).toEqual([]);
      expect(result.errors.map(labelled)).toEqual([
        `config.yaml:1: \`packs:\` must be a block list of \`- source: ...\` entries (got \`packs: ${value}\`)`,
      ]);
    }
    expect(errors("packs: []")).toEqual([]);
  });

  test("packs-9 an entry without a key counts, and has no source", () => {
    const result = read("packs:", "  - packs/local");
    expect(result.errors.map(labelled)).toEqual([
      "config.yaml:2: unrecognized packs entry `- packs/local` -- expected `key: value`",
    ]);
    expect(result.entries.map((entry) => labelled(shapeProblem(entry)!))).toEqual([
      "config.yaml:2: entry has no `source:`",
    ]);
  });

  test("packs-10 a line that is no key is an error with its line", () => {
    expect(errors("packs:", "  - source: a", "    what even is this")).toEqual([
      "config.yaml:3: unrecognized line under packs: `what even is this` -- expected `key: value`",
    ]);
    expect(errors("packs:", "  source: a", "  - source: b")).toEqual([
      "config.yaml:2: unrecognized line under packs: `source: a` -- expected a `- source: ...` entry",
    ]);
  });

  test("packs-11 an unknown key is an error and the rest of the entry still counts", () => {
    const result = read("packs:", "  - source: a", "    refs: v1", "    id: b");
    expect(result.errors.map(labelled)).toEqual([
      "config.yaml:3: unknown packs entry key `refs:` -- accepted keys: id, pack, path, ref, source",
    ]);
    expect(result.entries[0]).toMatchObject({ values: { source: "a", id: "b" }, unusable: false });
    for (const key of ["{source", '"source"', "&a source", "<<"]) {
      expect(errors("packs:", `  - ${key}: x`)).toEqual([
        `config.yaml:2: unknown packs entry key \`${key}:\` -- accepted keys: id, pack, path, ref, source`,
      ]);
    }
  });

  test.each([
    ["- source: |", "block scalar"],
    ["- source: >-", "block scalar"],
    ["- source: &a x", "anchor"],
    ["- source: *x", "alias"],
    ["- source: !t x", "tag"],
    ["- source: {a: b}", "flow mapping"],
    ['- source: "packs/local', "multi-line value"],
    ["- source: 'packs/local", "multi-line value"],
    ["- pack: [a,", "multi-line value"],
    ["- pack: [a, *b]", "alias"],
    ["- id:", "empty id"],
  ])("packs-13 %s is unsupported: %s", (line, what) => {
    const result = read("packs:", `  ${line}`, "  - source: good");
    expect(result.errors.map(labelled)).toEqual([`config.yaml:2: unsupported YAML under packs: ${what}`]);
    expect(result.entries.map((entry) => entry.unusable)).toEqual([true, false]);
    expect(shapeProblem(result.entries[0]!)).toBeUndefined();
  });

  test("packs-13 a key twice, a quoted packs key, and backslashes in quotes", () => {
    expect(errors("packs:", "  - source: a", "    source: b")).toEqual([
      "config.yaml:3: unsupported YAML under packs: duplicate key",
    ]);
    for (const key of ['"packs"', "'packs'"]) {
      const result = read(`${key}:`, "  - source: a");
      expect(result.errors.map(labelled)).toEqual([
        "config.yaml:1: unsupported YAML under packs: quoted packs key",
      ]);
      expect(result.entries).toEqual([]);
    }
    expect(values("packs:", String.raw`  - source: 'C:\rules\x'`)).toEqual([
      { source: String.raw`C:\rules\x` },
    ]);
    expect(values("packs:", "  - source: 'it''s'")).toEqual([{ source: "it''s" }]);
  });

  test("true and false without quotes are booleans, and ids where ids are listed", () => {
    expect(
      values("packs:", "  - source: True", "  - source: 'true'", "  - pack: false", "  - pack: [TRUE]"),
    ).toEqual([{ source: true }, { source: "true" }, { pack: "false" }, { pack: ["TRUE"] }]);
  });

  test("a document marker inside the block is an error, not an entry", () => {
    const result = read("packs:", "  - source: a", "---", "x: 1");
    expect(result.entries).toHaveLength(1);
    expect(result.errors.map(labelled)).toEqual([
      "config.yaml:3: unrecognized line under packs: `---` -- expected `key: value`",
    ]);
  });

  test("agrees with YAML on every block inside the subset", () => {
    const word = fc
      .stringMatching(/^[a-z][a-z0-9/._-]{0,8}$/)
      .filter((text) => !/^(true|false|null)$/.test(text));
    const quotedWord = fc
      .tuple(word, fc.constantFrom("", "'", '"'))
      .map(([text, quote]) => quote + text + quote);
    const list = fc.array(quotedWord, { maxLength: 3 });
    const entry = fc.record(
      {
        source: quotedWord,
        ref: quotedWord,
        path: quotedWord,
        id: quotedWord,
        pack: fc.oneof(quotedWord, list),
      },
      { requiredKeys: ["source"] },
    );
    const indent = fc.integer({ min: 0, max: 4 });
    const comment = fc.constantFrom("", " # note", '  # it\'s "so"', " #");
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 4 }),
        indent,
        comment,
        (entries, spaces, note) => {
          const pad = " ".repeat(spaces);
          const lines = entries.flatMap((one) =>
            Object.entries(one).map(
              ([key, value], index) =>
                `${pad}${index === 0 ? "- " : "  "}${key}: ${Array.isArray(value) ? `[${value.join(", ")}]` : value}${note}`,
            ),
          );
          const text = `packs:${note}\n${lines.join("\n")}\nnext: 1\n`;
          const result = readPacksBlock(text, "f");
          expect(result.errors).toEqual([]);
          // Both readers see the same entries; numbers and the like stay text here.
          const yaml = parse(text, { schema: "failsafe" }) as { packs: unknown[] };
          expect(result.entries.map((one) => one.values)).toEqual(yaml.packs);
        },
      ),
    );
  });

  test("never throws, and every problem has a line of the text", () => {
    const piece = fc.constantFrom(
      ..."packs : - [ ] , ' \" # | > & * { } source: ref: pack: id: path: a b true".split(" "),
      " ",
      "\t",
      "\n",
      "\n  ",
      "\r\n",
      "\npacks:\n",
      "\n- ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const text = `packs:\n${pieces.join("")}`;
        const lines = text.split("\n").length;
        const result = readPacksBlock(text, "f");
        for (const { line } of [...result.errors, ...result.warnings, ...result.entries]) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
        }
        result.entries.forEach(shapeProblem);
      }),
      { numRuns: 500 },
    );
  });
});

describe("shapeProblem", () => {
  test("packs-12 source, ref, path and id are one string each", () => {
    const shape = (...lines: string[]) => {
      const problem = shapeProblem(read("packs:", ...lines).entries[0]!);
      return problem && labelled(problem);
    };
    expect(shape("  - source: a", "    path: [a, b]")).toBe(
      'config.yaml:2: `path:` must be a single string (got ["a","b"])',
    );
    expect(shape("  - source: true")).toBe("config.yaml:2: `source:` must be a single string (got true)");
    expect(shape("  - source:")).toBe("config.yaml:2: entry has no `source:`");
    expect(shape("  - source: a", "    pack: [b]")).toBeUndefined();
  });
});

describe("passwords", () => {
  test("are masked before a long line is cut", () => {
    for (let blanks = 120; blanks < 200; blanks++) {
      const url = `https://user:${"s3cret".repeat(20)}@host/r`;
      const { errors } = readPacksBlock(`packs: [x,${" ".repeat(blanks)}${url}]\n`, "config.yaml");
      expect(errors[0]?.message).not.toContain("s3");
    }
  });

  test("are masked in messages and values, and the user name stays", () => {
    expect(maskPasswords("see https://u:secret@host/r and ssh://a@b:22/x")).toBe(
      "see https://u:***@host/r and ssh://a@b:22/x",
    );
    expect(maskPasswords("https://u:p@ss:word@host.invalid/r")).toBe("https://u:***@host.invalid/r");
    const result = read("packs:", "  - source: https://u:secret@host/r", "    https://u:secret@host");
    expect(JSON.stringify([result.errors, result.entries.map(packEntryValue)])).not.toContain("secret");
    expect(result.entries[0]?.values.source).toBe("https://u:secret@host/r");
  });
});
