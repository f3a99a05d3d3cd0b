import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideReload, reloadTarget } from "../../src/overlay/link/reload-decision.ts";
import {
  applyStates,
  markSaved,
  mergeRecords,
  readRecord,
  readStates,
} from "../../src/overlay/notes/notes.ts";
import { emptySaved, load, parse, serialise } from "../../src/overlay/notes/storage.ts";
import { saveDelay, streamDelay } from "../../src/overlay/page/retry-delays.ts";
import { anchorTag, type Finder, matchAnchor } from "../../src/overlay/target/match-anchor.ts";
import type { NoteState } from "../../src/overlay/types.ts";
import { anchor, note } from "./samples.ts";

const map = (entries: Record<string, NoteState>) => new Map(Object.entries(entries));

describe("the state map decides", () => {
  test("statuses follow it, deleted notes go, unsaved ones stay, unknown ids are asked for", () => {
    const known = note({ id: "a", state: "queued" });
    const deleted = note({ id: "b" });
    const saving = note({ id: null, clientId: "c", state: "saving", seen: false });
    const fresh = note({ id: "d", seen: false });
    const applied = applyStates([known, deleted, saving, fresh], map({ a: "working", z: "held" }));
    expect(applied.notes.map((one) => [one.id, one.state])).toEqual([
      ["a", "working"],
      [null, "saving"],
      ["d", "held"],
    ]);
    expect(applied.changed.map((one) => one.id)).toEqual(["a"]);
    expect(applied.unknown).toEqual(["z"]);
  });

  const states = fc.constantFrom<NoteState>("held", "queued", "working", "done");
  test("applying a map twice changes nothing more, and no local note is ever lost", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "b", "c", "d"), states),
        fc.subarray(["a", "b", "e"]),
        (entries, ids) => {
          const notes = [
            ...ids.map((id) => note({ id })),
            note({ id: null, clientId: "x", state: "unsaved" }),
          ];
          const once = applyStates(notes, map(entries));
          const twice = applyStates(once.notes, map(entries));
          expect(twice.notes).toEqual(once.notes);
          expect(twice.changed).toEqual([]);
          expect(once.notes.filter((one) => one.id === null).length).toBe(1);
          for (const one of once.notes) if (one.id !== null) expect(one.state).toBe(entries[one.id]);
        },
      ),
    );
  });

  test("a saved note takes its id and number, and replaces a copy that came another way", () => {
    const mine = note({ key: "mine", id: null, clientId: "c", state: "saving", number: null });
    const copy = note({ key: "id-1", id: "id-1", state: "queued", number: 4 });
    const [saved, ...rest] = markSaved([copy, mine], "mine", { id: "id-1", number: 4 });
    expect(rest).toEqual([]);
    expect(saved).toMatchObject({ key: "mine", id: "id-1", number: 4, state: "queued" });
  });

  test("records of the server win over what the tab remembers, and keep the server's order", () => {
    const local = note({ id: "b", comment: "old", state: "held", doneShown: 500 });
    const waiting = note({ id: null, clientId: "c", state: "unsaved" });
    const records = [note({ id: "a" }), note({ id: "b", comment: "new", state: "done" })];
    const merged = mergeRecords([local, waiting], records);
    expect(merged.map((one) => one.id)).toEqual(["a", "b", null]);
    expect(merged[1]).toMatchObject({ comment: "new", state: "done", doneShown: 500 });
  });

  test("frames and records of any shape are read without harm", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const state of readStates(value).values())
          expect(["held", "queued", "working", "done"]).toContain(state);
        const record = readRecord(value);
        if (record !== null) expect(record.anchor.selector).not.toBe("");
      }),
    );
    expect(
      readRecord(
        JSON.parse(
          '{"id":"a","state":"held","selector":"h1","comment":"c","rect":{"x":1},"context":{"__proto__":{"kind":"text"}}}',
        ),
      ),
    ).toMatchObject({ id: "a", anchor: { rect: null, context: {} } });
  });
});

describe("finding a target again", () => {
  interface Fake {
    tag: string;
    text: string;
    variant?: string;
    matches?: boolean;
  }
  const finder = (elements: Fake[]): Finder<Fake> => ({
    bySelector: () => elements.find((one) => one.matches) ?? null,
    textOf: (one) => one.text,
    tagOf: (one) => one.tag,
    byTag: (tag, variant) =>
      elements.filter((one) => one.tag === tag && (variant === null || one.variant === variant.at(-1))),
  });
  const button = (text: string, more: Partial<Fake> = {}): Fake => ({ tag: "button", text, ...more });

  test("the selector's element, when its text resembles", () => {
    const there = button("Save now", { matches: true });
    expect(matchAnchor(anchor(), finder([there]))).toBe(there);
    expect(
      matchAnchor(anchor({ textSnippet: null }), finder([button("x", { matches: true })])),
    ).not.toBeNull();
  });

  test("another of its tag with the text, when there is exactly one", () => {
    const other = button("Save");
    expect(matchAnchor(anchor(), finder([button("Cancel", { matches: true }), other]))).toBe(other);
    expect(
      matchAnchor(anchor(), finder([button("Cancel", { matches: true }), other, button("Save")])),
    ).toBeNull();
    expect(matchAnchor(anchor({ context: { html: "<button>" } }), finder([other]))).toBe(other);
    expect(
      matchAnchor(anchor(), finder([{ tag: "a", text: "Save" }, button("Cancel", { matches: true })])),
    ).toBeNull();
  });

  test("first in the same variant, then anywhere", () => {
    const inside = button("Save", { variant: "B" });
    const all = [button("Save", { variant: "A" }), inside, button("Drop", { matches: true, variant: "B" })];
    expect(matchAnchor(anchor({ variant: ["B"] }), finder(all))).toBe(inside);
    expect(matchAnchor(anchor({ variant: ["C"] }), finder([button("Drop", { matches: true }), inside]))).toBe(
      inside,
    );
  });

  test("a region stays with its container whatever stands in it", () => {
    const container = { tag: "main", text: "all new", matches: true };
    expect(
      matchAnchor(anchor({ textSnippet: "old", context: { kind: "region" } }), finder([container])),
    ).toBe(container);
  });

  test("the tag of a note, from its opening tag or its selector", () => {
    expect(anchorTag(anchor({ context: { html: '<my-card class="x">' } }))).toBe("my-card");
    expect(anchorTag(anchor({ selector: "main > section.hero a.cta" }))).toBe("a");
    expect(anchorTag(anchor({ selector: ".cta" }))).toBeNull();
  });
});

describe("reloading", () => {
  test.each([
    [{ saving: false, composing: false, dragging: false }, "now"],
    [{ saving: true, composing: false, dragging: false }, "wait"],
    [{ saving: true, composing: true, dragging: false }, "ask"],
    [{ saving: false, composing: false, dragging: true }, "ask"],
  ] as const)("%j → %s", (state, decision) => expect(decideReload(state)).toBe(decision));

  const address = { pathname: "/", search: "?a=1", hash: "#part" };
  test.each([
    ["/", "/001.html", address, { path: "/?a=1#part", same: true }],
    [
      "/001.html",
      "/001.html",
      { ...address, pathname: "/001.html" },
      { path: "/001.html?a=1#part", same: true },
    ],
    [
      "/001.html",
      "/001.html",
      { ...address, pathname: "/app/route" },
      { path: "/001.html?a=1#part", same: false },
    ],
    ["/gone.html", "/", { ...address, pathname: "/gone.html" }, { path: "/gone.html?a=1#part", same: true }],
    ["/", "/001.html", { ...address, pathname: "/app" }, { path: "/?a=1#part", same: false }],
  ])("requested %s, page %s", (requested, page, where, target) =>
    expect(reloadTarget(requested, page, where)).toEqual(target),
  );

  test("delays grow and then stay, or stop", () => {
    expect([0, 1, 2, 3, 4, 9].map(streamDelay)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    expect([0, 1, 2, 3, 4].map(saveDelay)).toEqual([1000, 2000, 4000, 8000, null]);
  });
});

describe("what the tab remembers", () => {
  class Memory implements Storage {
    private readonly items = new Map<string, string>();
    [name: string]: unknown;
    get length() {
      return this.items.size;
    }
    clear = () => this.items.clear();
    getItem = (key: string) => this.items.get(key) ?? null;
    key = (at: number) => [...this.items.keys()][at] ?? null;
    removeItem = (key: string) => void this.items.delete(key);
    setItem = (key: string, value: string) => void this.items.set(key, value);
  }
  const draft = { key: "d", anchor: anchor(), text: "half", images: [], editOf: null };

  test("what is written is read again", () => {
    const saved = {
      ...emptySaved(),
      on: true,
      pins: [note({ place: { x: 0, y: 0, width: 1, height: 1 } })],
      drafts: [draft],
      scroll: {
        page: "/001.html",
        hash: "#a",
        x: 0,
        y: 900,
        own: true,
        boxes: [{ selector: "#box", x: 0, y: 5 }],
      },
    };
    expect(parse(serialise(saved))).toEqual(saved);
  });

  test("anything else is read as nothing, without an error", () => {
    for (const text of [null, "", "{", "null", "[]", '{"v":2,"on":true}'])
      expect(parse(text)).toEqual(emptySaved());
    fc.assert(
      fc.property(
        fc.record({
          v: fc.constant(1),
          on: fc.jsonValue(),
          pins: fc.jsonValue(),
          drafts: fc.jsonValue(),
          scroll: fc.jsonValue(),
          ui: fc.jsonValue(),
        }),
        (data) => {
          const saved = parse(JSON.stringify(data));
          expect(parse(serialise(saved))).toEqual(saved);
        },
      ),
    );
  });

  test("at most 512 KiB: the oldest done pins go first, drafts never", () => {
    const long = "x".repeat(4000);
    const done = Array.from({ length: 100 }, () => note({ state: "done", comment: long }));
    const held = Array.from({ length: 10 }, () => note({ state: "held", comment: long }));
    const text = serialise({ ...emptySaved(), pins: [...done, ...held], drafts: [draft] });
    expect(text.length * 2).toBeLessThanOrEqual(512 * 1024);
    const { pins, drafts } = parse(text);
    expect(pins.filter((pin) => pin.state === "held").length).toBe(10);
    expect(pins[0]!.key).not.toBe(done[0]!.key);
    expect(drafts.length).toBe(1);
  });

  test("an earlier session leaves its drafts and unsaved notes, as drafts, and nothing else", () => {
    const storage = new Memory();
    const unsaved = note({ id: null, clientId: "c", state: "unsaved", comment: "never saved" });
    storage.setItem(
      "ce-annotate-state:old",
      serialise({ ...emptySaved(), on: true, pins: [note(), unsaved], drafts: [draft] }),
    );
    storage.setItem("ce-annotate-state:older", "{");
    storage.setItem("mine", "stays");
    const saved = load(storage, "new");
    expect(saved.pins).toEqual([]);
    expect(saved.drafts.map((one) => one.text)).toEqual(["half", "never saved"]);
    expect([
      storage.getItem("ce-annotate-state:old"),
      storage.getItem("ce-annotate-state:older"),
      storage.getItem("mine"),
    ]).toEqual([null, null, "stays"]);
  });

  test("no storage is no error", () => expect(load(null, "s")).toEqual(emptySaved()));
});
