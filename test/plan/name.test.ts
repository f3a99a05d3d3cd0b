import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { baseName, looseParts, MAX_TOPIC, nearestSlug, parseBaseName } from "../../src/plan/name.ts";
import { CONVENTIONAL_TYPES, isRealDate, SLUG_FORM } from "../../src/plan/terms.ts";

const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const slug = fc.array(word, { minLength: 1, maxLength: 10 }).map((words) => words.join("-"));
const two = (value: number) => String(value).padStart(2, "0");
const date = fc
  .date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((value) => value.toISOString().slice(0, 10));
const time = fc.tuple(fc.nat(23), fc.nat(59)).map(([hours, minutes]) => two(hours) + two(minutes));

describe("slugs", () => {
  test.each([
    ["A b", "a-b"],
    ["  Über-Größe! ", "uber-grosse"],
    ["don't stop", "dont-stop"],
    ["Œuvre Łódź Ærø", "oeuvre-lodz-aero"],
    ["a__b--c", "a-b-c"],
    ["ﬁle №2", "file-no2"],
    ["話題", ""],
    ["---", ""],
    ["x".repeat(150), "x".repeat(100)],
    [`${"a".repeat(60)} ${"b".repeat(60)}`, "a".repeat(60)],
  ])("%j becomes %j", (text, expected) => {
    expect(nearestSlug(text)).toBe(expected);
  });

  test("whatever the text, the result is a slug or nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const found = nearestSlug(text);
        expect(found === "" || (SLUG_FORM.test(found) && found.length <= MAX_TOPIC)).toBe(true);
        expect(nearestSlug(found)).toBe(found);
      }),
    );
  });

  test("a slug is its own nearest slug", () => {
    fc.assert(
      fc.property(slug, (text) => {
        expect(nearestSlug(text)).toBe(text);
      }),
    );
  });
});

describe("file names", () => {
  test("what is written is read back", () => {
    const suffix = fc.option(fc.integer({ min: 2, max: 999 }));
    const type = fc.constantFrom(...CONVENTIONAL_TYPES);
    fc.assert(
      fc.property(fc.record({ date, time, type, topic: slug, suffix }), (name) => {
        // `x-plan` as the end of a topic with a number behind it reads as a suffix: the name alone cannot tell.
        fc.pre(!/(^|-)plan(-\d+)?$/.test(name.topic));
        const base = baseName(name);
        expect(parseBaseName(base)).toEqual(name);
        expect(looseParts(base)).toEqual({
          date: name.date,
          time: name.time,
          middle: `${name.type}-${name.topic}`,
          suffix: name.suffix,
        });
      }),
    );
  });

  test.each([
    "2026-02-30-0952-fix-a-plan",
    "2026-09-24-2460-fix-a-plan",
    "2026-09-24-952-fix-a-plan",
    "2026-09-24-0952-Fix-a-plan",
    "2026-09-24-0952-fix-plan",
    "2026-09-24-0952-fix-a-plan-1",
    "2026-09-24-0952-fix-a-plan-02",
    "2026-09-24-0952-fix-a-plan-1000",
    "2026-09-24-0952-fix-a-b",
    "x2026-09-24-0952-fix-a-plan",
  ])("%s is no reserved name", (base) => {
    expect(parseBaseName(base)).toBeUndefined();
  });
});

test("only days of the calendar are dates", () => {
  fc.assert(
    fc.property(date, (text) => {
      expect(isRealDate(text)).toBe(true);
    }),
  );
  for (const text of [
    "2026-02-29",
    "2026-00-10",
    "2026-13-01",
    "2026-04-31",
    "2026-4-1",
    "",
    "2026-01-01 ",
  ]) {
    expect([text, isRealDate(text)]).toEqual([text, false]);
  }
  expect(isRealDate("2024-02-29")).toBe(true);
  expect(isRealDate("0004-02-29")).toBe(true);
});
