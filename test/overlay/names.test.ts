import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeIdentifier, isGenerated, isPlainClass, quoteValue } from "../../src/overlay/target/names.ts";
import { candidates, type Described, landmarks } from "../../src/overlay/target/selector.ts";

const element = (tag: string, attributes: Record<string, string> = {}): Described => ({
  tag,
  id: attributes["id"] ?? null,
  classes: (attributes["class"] ?? "").split(" ").filter((name) => name !== ""),
  attribute: (name) => attributes[name] ?? null,
});

describe("names a selector may use", () => {
  test.each([
    ":r1:",
    "radix-:r3:",
    "css-1q2w3e",
    "sc-bdVaJa",
    "jsx-2871293847",
    "svelte-1tky8bj",
    "emotion-0",
    "chakra-x7f2",
    "headlessui-menu-button-3",
    "mui-9f2",
    "a8f3k",
    "x1y2z3",
    "Card_root__x1Y2z",
    "_root_x1y2z_12",
    "42",
  ])("%s was generated", (name) => expect(isGenerated(name)).toBe(true));

  test.each([
    "save",
    "btn-primary",
    "h1",
    "card__title",
    "menu__item",
    "mui-button",
    "css-grid",
    "step2",
    "main_nav",
    "hero",
  ])("%s was written by a person", (name) => expect(isGenerated(name)).toBe(false));

  test.each([
    "active",
    "hover",
    "open",
    "selected",
    "is-open",
    "has-error",
    "md:flex",
    "w-[12px]",
    "w-1/2",
    "mt-4",
    "css-1q2w3e",
  ])("%s is no class to name an element by", (name) => expect(isPlainClass(name)).toBe(false));

  test.each(["hero", "btn-primary", "openings", "card__title", "isolate"])("%s is", (name) =>
    expect(isPlainClass(name)).toBe(true),
  );

  test.each([
    ["a b", "a\\ b"],
    ["1st", "\\31 st"],
    ["-1", "-\\31 "],
    ["-", "\\-"],
    ["a.b#c", "a\\.b\\#c"],
    ["ünï", "ünï"],
    ["a\u0000b", "a\ufffdb"],
    ["a\nb", "a\\a b"],
  ])("%j is escaped as %j", (name, escaped) => expect(escapeIdentifier(name)).toBe(escaped));

  test("a quoted value ends only at its own quote", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const quoted = quoteValue(value);
        expect(quoted.slice(1, -1).replace(/\\[\s\S]/g, "")).not.toMatch(/["\\\n\r\f]/);
      }),
    );
  });
});

describe("candidates, best first", () => {
  test("an id, an attribute, a class, the tag", () => {
    expect(
      candidates(
        element("button", {
          id: "save",
          "data-testid": "go",
          name: "n",
          class: "css-1q2w3e btn primary active",
        }),
      ),
    ).toEqual([
      "#save",
      '[data-testid="go"]',
      'button[name="n"]',
      "button.btn",
      "button.primary",
      "button.btn.primary",
      "button",
    ]);
  });

  test("generated ids, over-long values and the type of a button are left out", () => {
    const attributes = { id: ":r1:", title: "x".repeat(61), type: "button", href: "https://example.org/" };
    expect(candidates(element("button", attributes))).toEqual(["button"]);
    expect(candidates(element("input", { type: "email" }))).toEqual(['input[type="email"]', "input"]);
  });

  test("places to stop: ids, test attributes and variants", () => {
    expect(
      landmarks(element("div", { id: "hero", "data-cy": "top", "data-ce-variant": 'B "two"', name: "n" })),
    ).toEqual(["#hero", '[data-cy="top"]', '[data-ce-variant="B \\"two\\""]']);
  });
});
