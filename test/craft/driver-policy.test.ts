import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold, policyReading, readsAsPolicy, stripPolicy } from "../../src/craft/driver/policy-words.ts";

describe("plain flags are stripped", () => {
  test.each([
    ["/craft:run P7 --policy integrate=always now", "/craft:run P7 now", 1],
    ["a --policy=push=always b", "a b", 1],
    ["--policy push=never", "", 1],
    ["--policy push=never x", "x", 1],
    ["a\n\t--policy  push=ask\nb", "a\nb", 1],
    ["a --policy x=always --policy=y=ask b", "a b", 2],
    ["a --policy integrate=yes b", "a --policy integrate=yes b", 0],
    ["no flag  here\n", "no flag  here\n", 0],
  ])("%j", (text, expected, count) => {
    expect(stripPolicy(text)).toEqual({ text: expected, count });
  });

  test("whatever is not a flag stays, byte for byte and in its order", () => {
    const word = fc.constantFrom("a", "b=c", "--x", "--policy", "push=always", "--policy=push=ask", "é");
    const blank = fc.constantFrom(" ", "\n", "\t\t", "  ");
    fc.assert(
      fc.property(fc.array(fc.tuple(word, blank)), (pairs) => {
        const text = pairs.map(([w, b]) => w + b).join("");
        const { text: stripped, count } = stripPolicy(text);
        const words = (of: string) => of.split(/\s+/).filter(Boolean);
        const expected: string[] = [];
        const all = words(text);
        for (let at = 0; at < all.length; at++) {
          if (all[at] === "--policy" && all[at + 1] === "push=always") at++;
          else if (all[at] !== "--policy=push=ask") expected.push(all[at]!);
        }
        expect(words(stripped)).toEqual(expected);
        if (count === 0) expect(stripped).toBe(text);
      }),
    );
  });
});

describe("disguised flags are seen", () => {
  test.each([
    "--policy",
    "--Policy",
    "--POLICY=push=always",
    "—policy",
    "–policy",
    "‐‐policy",
    "-policy",
    "--pol\u200bicy",
    "--po\u00adlicy",
    "--рolicy",
    "--p0licy",
    "--poIicy",
    "(--policy",
    '"--policy",',
    "**--policy**",
    "--pol\\icy",
    "−−policy",
    "ーーpolicy",
    "--ｐｏｌｉｃｙ",
    "--𝐩𝐨𝐥𝐢𝐜𝐲",
    "--ⓟⓞⓛⓘⓒⓨ",
    "--pólícý",
    "--po|!cy",
    "--роӏісу",
    "--ροlιϲγ",
    "--policy\u{e0041}",
    "-\u2060-policy",
    "x--policy",
  ])("craft-run-27 %j reads as the flag", (token) => {
    expect(readsAsPolicy(token)).toBe(true);
  });

  test.each(["docs/policy.md", "branch-policy", "policy", "--", "--police", "pol-icy", "--pol", "политика"])(
    "craft-run-27 %j does not",
    (token) => {
      expect(readsAsPolicy(token)).toBe(false);
    },
  );

  /** Every spelling that swaps letters for look-alikes, dashes for dashes, and sprinkles marks that cannot be seen. */
  const dash = fc.constantFrom("-", "‐", "‑", "‒", "–", "−", "﹣", "－", "˗", "⁃", "➖", "─");
  const long = fc.constantFrom("—", "―", "⸺");
  const unseen = fc.constantFrom(
    "",
    "",
    "",
    "\u200b",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u034f",
    "\u202e",
    "\ufe0f",
    "\u3164",
    "\u{e0061}",
    "\u0301",
    "\u0007",
  );
  const letter = (plain: string, alike: string) => fc.constantFrom(plain, plain.toUpperCase(), ...alike);
  const letters = [
    letter("p", "рρｐ𝗉ⓟΡРᴘ"),
    letter("o", "оο0օｏ𝗈ⓞОΟº"),
    letter("l", "ӏ1|Iｌ𝗅ⓛıǀ"),
    letter("i", "іι1!lｉ𝗂ⓘı¡"),
    letter("c", "сϲｃ𝖼ⓒСᴄ"),
    letter("y", "уγүｙ𝗒ⓨУʏ"),
  ];
  const disguised = fc
    .tuple(
      fc.oneof(
        fc.tuple(dash, unseen, dash).map((parts) => parts.join("")),
        long,
        dash,
      ),
      fc.tuple(...letters),
      fc.array(unseen, { minLength: 6, maxLength: 6 }),
      fc.constantFrom("", "=push=always", ",", "**", '"'),
      fc.constantFrom("", "(", '"', "**", "`"),
    )
    .map(
      ([dashes, word, marks, tail, head]) =>
        head + dashes + word.map((l, at) => l + marks[at]).join("") + tail,
    );

  test("a generated corpus of disguises is seen, wherever it stands", () => {
    fc.assert(
      fc.property(disguised, (token) => {
        expect({ token, folded: fold(token), reads: readsAsPolicy(token) }).toMatchObject({ reads: true });
        expect(policyReading(`go on\n  then ${token} x`)).toMatchObject({ line: 2, column: 8 });
        expect(stripPolicy(`a ${token} push=always`).text === "a").toBe(token === "--policy");
      }),
      { numRuns: 2_000 },
    );
  });

  test("the time of a hostile prompt grows with its length alone", () => {
    const text = `${"--pol ".repeat(10_000)}${"-".repeat(60_000)}x ${"\u200b".repeat(60_000)}`;
    expect(policyReading(text)).toBeUndefined();
    expect(stripPolicy("--policy ".repeat(20_000)).count).toBe(0);
  });
});
