import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deriveDelta } from "../../../src/craft/memory/save/from-ledger.ts";
import { guardObservation, looksSecret, withoutAssignments } from "../../../src/craft/memory/save/guard.ts";
import { mergeRun } from "../../../src/craft/memory/save/merge.ts";
import { CONCERNS, keyOf } from "../../../src/craft/memory/store/concerns.ts";
import { type Entry, entryRecord, noEntries, readEntries } from "../../../src/craft/memory/store/entry.ts";
import { emptyBytes, entryBytes, storeText } from "../../../src/craft/memory/store/write-store.ts";
import { readFrontMatter } from "../../../src/kernel/yaml/frontmatter.ts";
import { yamlValue } from "../../../src/kernel/yaml/yaml.ts";

const machine = { root: "/srv/work/repo", home: "/home/me" };
const guard = (concern: string, payload: Record<string, unknown>) =>
  guardObservation(concern, payload, machine);
const finding = (more: Record<string, unknown> = {}) => ({
  file: "src/a.ts",
  severity: "low",
  pattern: "p",
  ...more,
});

describe("what is stored of a command", () => {
  test.each([
    ["npm test", "npm test"],
    ["TOKEN=x npm test", "npm test"],
    ['A=1 B=\'two words\' C="a \\" b" npm test', "npm test"],
    ["env A=1 B=2 npm test", "npm test"],
    ["env -i A=1 npm test", "npm test"],
    ["export A=1; npm test", "npm test"],
    ["export A=1 && B=2 npm test", "npm test"],
    ["A=1; B=2 && make check", "make check"],
    ["make VAR=1 check", "make VAR=1 check"],
    ["TOKEN=x", undefined],
    ["export TOKEN=x", undefined],
    ['TOKEN="not closed npm test', undefined],
    ["TOKEN=$(cat secret) npm test", undefined],
    ["TOKEN=`cat secret` npm test", undefined],
    ["TOKEN=$" + "{A:-b c} npm test", undefined],
    ["env -u A TOKEN=x npm test", undefined],
    ["", undefined],
  ])("%j becomes %j", (command, bare) => {
    expect(withoutAssignments(command)).toBe(bare);
  });

  test("no assignment's value is left, whatever it is and however it is written", () => {
    const secret = "hunter2";
    const value = fc.constantFrom(
      secret,
      `'${secret} x'`,
      `"${secret} y"`,
      `a\\ ${secret}`,
      `"a'${secret}"`,
      `x${secret}$`,
    );
    const prefix = fc.constantFrom("", "env ", "export ", "env -i ");
    const end = fc.constantFrom(" ", "; ", " && ", "  ");
    fc.assert(
      fc.property(fc.array(fc.tuple(prefix, value, end), { minLength: 1, maxLength: 5 }), (parts) => {
        const command = parts.map(([word, text, after]) => `${word}TOKEN=${text}${after}`).join("");
        const bare = withoutAssignments(`${command}npm test`);
        expect(bare ?? "").not.toContain(secret);
      }),
    );
  });
});

describe("what is not stored", () => {
  test.each([
    ["nope", finding(), "schema"],
    ["findings", finding({ severity: "HIGH" }), "schema"],
    ["findings", finding({ extra: "1" }), "schema"],
    ["findings", finding({ pattern: ["p"] }), "schema"],
    ["findings", finding({ file: "/etc/passwd" }), "path"],
    ["findings", finding({ file: "C:\\x" }), "path"],
    ["findings", finding({ file: "\\\\server\\x" }), "path"],
    ["findings", finding({ file: "~/x" }), "path"],
    ["findings", finding({ file: "$HOME/x" }), "path"],
    ["findings", finding({ file: "a/../b" }), "path"],
    ["findings", finding({ pattern: "see /home/somebody/x" }), "path"],
    ["findings", finding({ pattern: "see /Users/somebody/x" }), "path"],
    ["findings", finding({ pattern: "see C:\\Users\\somebody\\x" }), "path"],
    ["findings", finding({ pattern: "in /srv/work/repo" }), "path"],
    ["findings", finding({ pattern: "https://me:pw@host/x" }), "secret"],
    ["findings", finding({ pattern: "Authorization: Bearer abc" }), "secret"],
    ["gate-cmd", { phase: "p", command: "deploy --token=abc" }, "secret"],
    ["gate-cmd", { phase: "p", command: "deploy --password abc" }, "secret"],
    ["findings", finding({ pattern: "ghp_abcdef" }), "secret"],
    ["findings", finding({ pattern: "key sk-abc" }), "secret"],
    ["findings", finding({ pattern: "AKIAIOSFODNN7" }), "secret"],
    ["findings", finding({ pattern: "xoxb-1" }), "secret"],
    ["findings", finding({ pattern: "-----BEGIN PRIVATE KEY-----" }), "secret"],
    ["findings", finding({ pattern: "x".repeat(1_001) }), "too long"],
    ["toolchain", { ecosystem: "npm" }, "schema"],
    ["gate-cmd", { phase: "", command: "x" }, "schema"],
  ])("%s %j: %s", (concern, payload, reason) => {
    expect(guard(concern, payload)).toEqual({ ok: false, reason });
  });

  test("ordinary words are no secrets", () => {
    for (const text of [
      "task-runner",
      "risk-based",
      "https://host:8080/x",
      "npm run token-check",
      "bearer of news",
    ]) {
      expect([text, text === "bearer of news" || !looksSecret(text)]).toEqual([text, true]);
    }
  });

  test("a path inside the root is stored from there, a text on one line", () => {
    expect(
      guard("findings", finding({ file: "/srv/work/repo/src/b.ts", pattern: "a\r\n\tb\u0007" })),
    ).toMatchObject({
      ok: true,
      payload: { file: "src/b.ts", pattern: "a b" },
    });
  });
});

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "no",
    "~",
    "1e3",
    "0x1",
    "2026-01-01",
    "- a",
    "a: b",
    "a #b",
    "'",
    '"',
    "x:",
    "<<",
    "",
    "1_0",
    "=",
    "---",
    "1:30",
  ),
);
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const entry: fc.Arbitrary<Entry> = fc.record({
  concern: fc.constant("part-sizing" as const),
  payload: fc.record({ size: scalar, outcome: scalar }),
  confidence: fc.integer({ min: 1, max: 5 }),
  provenance: fc.record({ run: text, commit: text, date: text }),
});

describe("the store", () => {
  test("reads back as it was written, whatever the values are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 5 }), async (list) => {
        const once = new Map(list.map((one) => [keyOf("part-sizing", one.payload), one]));
        const entries = { ...noEntries(), "part-sizing": [...once.values()] };
        const matter = await readFrontMatter(storeText(entries));
        if (matter.kind !== "map") throw new Error(JSON.stringify(matter));
        const read = readEntries(yamlValue(matter.map) as Record<string, unknown>);
        expect(read.entries["part-sizing"].map(entryRecord)).toEqual(entries["part-sizing"].map(entryRecord));
      }),
      { numRuns: 300 },
    );
  });

  test("its size is known without making it", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 5 }), (list) => {
        const entries = { ...noEntries(), "part-sizing": list };
        const size = new TextEncoder().encode(storeText(entries)).length;
        const sum = list.reduce((bytes, one) => bytes + entryBytes(one), 0);
        expect(sum + emptyBytes((concern) => entries[concern].length === 0)).toBe(size);
      }),
    );
  });

  test("no merge loses another run's entry, or keeps a retracted one", () => {
    const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"));
    const made = (names: readonly string[]) => ({
      ...noEntries(),
      "part-sizing": names.map(
        (size): Entry => ({ concern: "part-sizing", payload: { size }, confidence: 2, provenance: {} }),
      ),
    });
    fc.assert(
      fc.property(keys, keys, keys, keys, (now, view, seen, retracted) => {
        const observe = (size: string, retract: boolean) =>
          ({ concern: "part-sizing", payload: { size }, retract }) as const;
        const { entries } = mergeRun(
          made(now),
          made(view),
          [...seen.map((size) => observe(size, false)), ...retracted.map((size) => observe(size, true))],
          {},
        );
        const left = new Map(
          entries["part-sizing"].map(({ payload, confidence }) => [payload["size"], confidence]),
        );
        for (const size of ["a", "b", "c", "d", "e"] as const) {
          const gone = retracted.includes(size) || (!now.includes(size) && !seen.includes(size));
          const confidence = !now.includes(size) ? 1 : seen.includes(size) ? 3 : view.includes(size) ? 1 : 2;
          expect([size, left.get(size)]).toEqual([size, gone ? undefined : confidence]);
        }
      }),
    );
  });

  test("every concern has a rule", () => {
    for (const concern of CONCERNS) expect(keyOf(concern, {})).toBeTypeOf("string");
  });
});

test("a ledger gives its parts and its retractions, and names what it could not read", () => {
  const lines = [
    "PART(1): abc1234 size=pure-module outcome=pass",
    "PART(2): abc1234 size=? outcome=pass",
    "PART(3): xyz size=a b outcome=pass",
    "MEMORY-RETRACT(findings): src/a.ts unchecked  cast",
    "MEMORY-RETRACT(nope): x",
    "MEMORY-RETRACT(findings): src/a.ts",
    "noted PART(4): abc1234 size=x outcome=pass",
  ];
  const { items, notes } = deriveDelta(lines.map((line, index) => ({ line: index + 1, text: line })));
  expect(items).toEqual([
    { concern: "part-sizing", payload: { size: "pure-module", outcome: "pass" }, retract: false },
    { concern: "findings", payload: { file: "src/a.ts", pattern: "unchecked  cast" }, retract: true },
  ]);
  expect(notes.map((note) => /line (\d)/.exec(note)![1])).toEqual(["3", "5", "6"]);
});
