import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noteBody } from "../../src/overlay/notes/body.ts";
import { fullStatus, presence, screenName, showsAge, toMarkdown } from "../../src/overlay/notes/words.ts";
import { replaceHover } from "../../src/overlay/page/hover.ts";
import { byteLength, toJson } from "../../src/overlay/page/json.ts";
import { clip, ellipsis, findQuote, fold, resembles } from "../../src/overlay/target/text.ts";
import type { Anchor } from "../../src/overlay/types.ts";
import { anchor, note } from "./samples.ts";

describe("texts", () => {
  test("clipping never halves a character and never lengthens", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, length) => {
        const cut = clip(text, length);
        expect(cut.length).toBeLessThanOrEqual(length);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut).not.toMatch(/[\ud800-\udbff]$/);
      }),
    );
    expect(ellipsis("a long sentence", 8)).toBe("a long…");
  });

  test.each([
    ["Save", "Save", true],
    [" Save\n it ", "Save it", true],
    ["Save it now", "Save it", true],
    ["Save", "Save it", true],
    ["Cancel", "Save", false],
    ["", "Save", false],
    ["anything", null, true],
    ["anything", "", true],
  ])("text %j for a note on %j", (now, then, same) => expect(resembles(now, then)).toBe(same));

  test("a quote is found where its surroundings fit, over any white space", () => {
    const text = "one fish, two fish,\n  red fish, blue fish";
    const found = findQuote(text, { exact: "fish", prefix: "two ", suffix: ", red" })!;
    expect(text.slice(found.start, found.end)).toBe("fish");
    expect(found.start).toBe(text.indexOf("fish", 6));
    const spread = findQuote(text, { exact: "fish, red", prefix: "", suffix: "" })!;
    expect(fold(text.slice(spread.start, spread.end))).toBe("fish, red");
    expect(findQuote(text, { exact: "green", prefix: "", suffix: "" })).toBeNull();
  });

  test("whatever is quoted from a text is found in it", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, exact, after) => {
        fc.pre(fold(exact) !== "");
        const text = before + exact + after;
        const place = findQuote(text, {
          exact: fold(exact),
          prefix: fold(before).slice(-40),
          suffix: fold(after).slice(0, 40),
        });
        expect(place).not.toBeNull();
        expect(fold(text.slice(place!.start, place!.end))).toBe(fold(exact));
      }),
    );
  });

  test.each([
    ["a:hover", "a[x]"],
    ["a:not(:hover) b:HOVER::before", "a:not([x]) b[x]::before"],
    [".hover\\:bg:hover", ".hover\\:bg[x]"],
    ['a[title=":hover"]', null],
    ["a:hover-card, a::hover", null],
    ["a[b='x\\':hover']:hover", "a[b='x\\':hover'][x]"],
  ])("hover in %s", (selector, frozen) => expect(replaceHover(selector, "[x]")).toBe(frozen));
});

describe("what is sent", () => {
  test("fields in their order, trimmed; variant only when there is one", () => {
    expect(Object.keys(noteBody(anchor(), " c ", [], "id"))).toEqual([
      "page",
      "comment",
      "selector",
      "textSnippet",
      "rect",
      "point",
      "context",
      "client_id",
    ]);
    expect(noteBody(anchor({ variant: ["B"] }), " c ", ["i"], "id")).toMatchObject({
      comment: "c",
      variant: ["B"],
      images: ["i"],
    });
  });

  test("covers go first, then the tag, then the ends of texts, until it fits", () => {
    const wide = (context: Anchor["context"]) => noteBody(anchor({ context }), "c", [], "id").context;
    const covers = Array.from({ length: 10 }, (_, at) => `${"x".repeat(1000)}${at}`);
    expect(wide({ covers, html: "<a>" })).toEqual({ html: "<a>" });
    expect(wide({ covers, html: "é".repeat(5000) })).toEqual({});
    const targets = ["a", "b", "c"].map((selector) => ({ selector, label: "x".repeat(3000), text: "" }));
    expect(wide({ item_html: "<li>", targets, print: { v: 1 } })).toEqual({
      targets: targets.slice(0, 2),
      print: { v: 1 },
    });
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 1000 }),
        fc.integer({ min: 1, max: 12 }),
        (exact, times) => {
          const context = {
            quote: { exact: exact.repeat(times).slice(0, 1000), prefix: "p", suffix: "s" },
            html: exact.slice(0, 300),
          };
          const body = noteBody(anchor({ context, textSnippet: exact }), exact || "c", [], "id");
          expect(byteLength(toJson(body.context))).toBeLessThanOrEqual(8192);
          expect(byteLength(toJson(body))).toBeLessThanOrEqual(60 * 1024);
        },
      ),
    );
  });

  test("JSON is plain JSON whatever hangs on the prototypes", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toJson(value)).toBe(JSON.stringify(value));
      }),
    );
    const prototype = Array.prototype as unknown as { toJSON?: () => string };
    prototype.toJSON = () => "hijacked";
    try {
      expect(toJson({ a: [1, { b: [] }] })).toBe('{"a":[1,{"b":[]}]}');
    } finally {
      delete prototype.toJSON;
    }
  });
});

describe("words", () => {
  const now = 100_000_000;
  const agent = { waiting: false, seenAt: now - 245_000, takenAt: null as number | null };
  const view = { connection: "live" as const, agent, notes: [] as ReturnType<typeof note>[] };
  const working = [note({ state: "working" }), note({ state: "working" })];
  test.each([
    ["Session ended", { ...view, connection: "ended" as const }],
    ["Reconnecting…", { ...view, connection: "offline" as const }],
    ["Agent is listening", { ...view, agent: { ...agent, waiting: true }, notes: working }],
    ["Agent is working on 2 notes", { ...view, agent: { ...agent, takenAt: now - 599_000 }, notes: working }],
    [
      "Agent took 2 notes 12 min ago",
      { ...view, agent: { ...agent, takenAt: now - 720_000 }, notes: working },
    ],
    ["Waiting for your agent to listen", { ...view, agent: { ...agent, seenAt: null } }],
    [
      "No agent is waiting · last seen 4 min ago · 1 note queued",
      { ...view, notes: [note({ state: "queued" })] },
    ],
    ["No agent is waiting · last seen just now", { ...view, agent: { ...agent, seenAt: now - 3000 } }],
    ["", { ...view, agent: null }],
  ])("%s", (words, state) => {
    expect(presence(state, now)).toBe(words);
    expect(showsAge(words)).toBe(/ago|just now/.test(words));
  });

  test.each([
    ["Sent, waiting for the agent", { state: "queued" }],
    ["Agent is working", { state: "working" }],
    ["Done", { state: "working", outcome: "done" }],
    [
      "Declined: why",
      { state: "working", outcome: "declined", answers: [{ kind: "declined", text: "why", at: "" }] },
    ],
    [
      "The agent asks: which?",
      { state: "done", outcome: "question", answers: [{ kind: "question", text: "which?", at: "" }] },
    ],
    ["Agent moved on: check", { state: "done" }],
    ["Agent moved on: check", { state: "done", outcome: "passed" }],
    ["Session ended before the agent answered: check", { state: "done", outcome: "abandoned" }],
  ] as const)("a note says %s", (words, change) => expect(fullStatus(note(change))).toBe(words));

  test("a screen is called by its file name", () => {
    expect(screenName("/sub/001%20home.html")).toBe("001 home.html");
    expect(screenName("/%ZZ")).toBe("%ZZ");
  });

  test("Markdown keeps each note one entry, and its selector whole", () => {
    const text = toMarkdown([
      note({
        number: 7,
        comment: "two\nlines",
        anchor: anchor({ selector: 'a[title="`x`"]', textSnippet: "say\n so" }),
      }),
      note({ number: null, comment: "- not a list" }),
    ]);
    expect(text.split("\n\n").length).toBe(2);
    expect(text).toContain("7. two\n   lines\n");
    expect(text).toContain('element: `` a[title="`x`"] ``');
    expect(text).toContain("text: “say so”");
  });
});
