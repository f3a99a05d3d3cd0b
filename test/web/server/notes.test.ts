import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StoredNote } from "../../../src/web/schema.ts";
import { readNote } from "../../../src/web/server/notes/note-input.ts";
import { openNoteStore } from "../../../src/web/server/notes/note-store.ts";
import { makeNotes, storedNote } from "../../../src/web/server/notes/notes.ts";
import { notesPath, readNotes, writeNotes } from "../../../src/web/state/notes-file.ts";
import { canMount, smallDisk } from "../../support/disk.ts";
import { tempDir } from "../../support/temp.ts";

const clock = { now: () => Date.parse("2026-01-10T00:00:00Z"), monotonic: () => 0 };

const stored = (id: string, over: Partial<StoredNote> = {}): StoredNote => ({
  id,
  screen: "a.html",
  comment: id,
  selector: "h1",
  textSnippet: null,
  variant: null,
  rect: null,
  point: null,
  state: "queued",
  created_at: "2026-01-09T00:00:00.000Z",
  delivered_at: null,
  ...over,
});

const input = {
  screen: "a.html",
  comment: "c",
  selector: "h1",
  textSnippet: null,
  variant: null,
  rect: null,
  point: null,
};

describe("reading a posted note", () => {
  const screens = {
    files: {
      locate: (path: string) => (path.includes("missing") ? undefined : path.replace(/^\//, "")),
    },
    newest: () => ({ entry: "new.html", name: "new.html", mtimeMs: 1 }),
  };
  const read = (body: unknown) => readNote(typeof body === "string" ? body : JSON.stringify(body), screens);

  test("what is an object is kept as it is, also with keys that mean something elsewhere", () => {
    const rect = '{"x":1,"__proto__":{"y":2},"constructor":3}';
    const result = read(`{"comment":"c","selector":"s","rect":${rect}}`);
    expect("record" in result && JSON.stringify(result.record.rect)).toBe(rect);
    expect(({} as Record<string, unknown>)["y"]).toBeUndefined();
  });

  test("a context up to 8 KiB, a client id up to 64 characters", () => {
    const withContext = (size: number) => read({ ...input, context: { t: "x".repeat(size) } });
    const small = withContext(8192 - 8);
    const large = withContext(8192 - 7);
    expect("record" in small && small.record.context).toBeDefined();
    expect("record" in large && large.record).not.toHaveProperty("context");
    const clientId = (value: unknown) => {
      const result = read({ ...input, client_id: value });
      return "record" in result ? result.clientId : "refused";
    };
    expect(clientId("x".repeat(64))).toBe("x".repeat(64));
    expect([clientId("x".repeat(65)), clientId(""), clientId(5)]).toEqual([undefined, undefined, undefined]);
  });

  test("the variants are strings only, none is null", () => {
    const variant = (value: unknown) => {
      const result = read({ ...input, variant: value });
      return "record" in result ? result.record.variant : "refused";
    };
    expect(variant(["a"])).toEqual(["a"]);
    expect([variant([]), variant(["a", 1]), variant("a"), variant({})]).toEqual([null, null, null, null]);
  });

  test("no JSON whatever makes it fail otherwise than by saying why", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (body) => {
        const result = read(body);
        expect("detail" in result || typeof result.record.comment === "string").toBe(true);
      }),
    );
  });
});

describe("the notes of a root", () => {
  test("numbers go on from the last server's and are never given twice", () => {
    const notes = makeNotes({ lastNumber: 7, earlier: [] }, clock);
    const first = notes.add(input, "a")!;
    expect(first.record.number).toBe(8);
    expect(notes.add(input, undefined)!.record).not.toHaveProperty("number");
    notes.remove(first);
    expect(notes.add(input, "b")!.record.number).toBe(9);
    expect(notes.ofClient("b")!.record.number).toBe(9);
  });

  test("undelivered notes of an earlier server are queued, old ones only kept", () => {
    const notes = makeNotes(
      {
        lastNumber: 0,
        earlier: [
          stored("held", { state: "held" }),
          stored("old", { created_at: "2026-01-01T00:00:00.000Z" }),
          stored("given", { state: "working", delivered_at: "2026-01-09T00:00:01.000Z" }),
        ],
      },
      clock,
    );
    expect(notes.inState("queued").map((note) => note.record.id)).toEqual(["held"]);
    expect(notes.all()).toHaveLength(3);
    expect(notes.stateMap()).toEqual({});
    expect(notes.find("given")!.state).toBe("done");
  });

  test("a thousand notes or 8 MiB, no more", () => {
    const many = makeNotes({ lastNumber: 0, earlier: [] }, clock);
    for (let index = 0; index < 1000; index++) expect(many.add(input, undefined)).toBeDefined();
    expect(many.add(input, undefined)).toBeUndefined();
    const large = makeNotes({ lastNumber: 0, earlier: [] }, clock);
    const big = { ...input, comment: "x".repeat(60_000) };
    let count = 0;
    while (large.add(big, undefined) !== undefined) count++;
    expect(count).toBe(Math.floor((8 << 20) / JSON.stringify(big).length));
  });
});

describe("annotations.json", () => {
  const uid = process.geteuid?.();

  test("is private, whole, and keeps what a newer version wrote", () => {
    const dir = tempDir();
    writeNotes(dir, {
      format: 1,
      session: "s",
      last_number: 3,
      records: [stored("a", { colour: "red" })],
      later: true,
    });
    expect(statSync(notesPath(dir)).mode & 0o777).toBe(0o600);
    const store = openNoteStore(dir, uid, () => {});
    const notes = makeNotes(store.start, clock);
    store.attach(notes, "new");
    notes.add(input, "x");
    expect(store.save()).toBe(true);
    const file = JSON.parse(readFileSync(notesPath(dir), "utf8"));
    expect(file).toMatchObject({ format: 1, session: "new", last_number: 4, later: true });
    expect(file.records[0]).toMatchObject({ id: "a", colour: "red" });
    expect(file.records).toHaveLength(2);
  });

  test.each([
    ["not JSON", "{"],
    ["another format", '{"format":2,"session":"s","last_number":0,"records":[]}'],
    ["a record that is none", '{"format":1,"session":"s","last_number":0,"records":[{"id":1}]}'],
  ])("%s is put aside with one log line, and the server starts empty", (_name, text) => {
    const dir = tempDir();
    writeFileSync(notesPath(dir), text);
    const lines: string[] = [];
    const store = openNoteStore(dir, uid, (line) => void lines.push(line));
    expect(store.start.earlier).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(readFileSync(`${notesPath(dir)}.bad`, "utf8")).toBe(text);
    expect(readNotes(dir, uid).kind).toBe("none");
  });

  test("a thousand delivered notes are kept, undelivered ones always", () => {
    const dir = tempDir();
    const records = Array.from({ length: 1010 }, (_, index) =>
      stored(`d${index}`, { state: "done", delivered_at: "x" }),
    );
    writeNotes(dir, { format: 1, session: "s", last_number: 0, records: [stored("first"), ...records] });
    const read = readNotes(dir, uid);
    const ids = read.kind === "notes" ? read.file.records.map((note) => note.id) : [];
    expect(ids).toHaveLength(1001);
    expect(ids.slice(0, 2)).toEqual(["first", "d10"]);
  });

  test("nothing is written as long as there is nothing to keep", () => {
    const dir = tempDir();
    const store = openNoteStore(dir, uid, () => {});
    store.attach(makeNotes(store.start, clock), "s");
    expect(store.save()).toBe(true);
    expect(readNotes(dir, uid).kind).toBe("none");
  });

  test.runIf(canMount)(
    "a full disk: the note stays in memory, the log says so once, and it is written later",
    () => {
      const dir = join(smallDisk("16k"), "state");
      mkdirSync(dir);
      const lines: string[] = [];
      const store = openNoteStore(dir, uid, (line) => void lines.push(line));
      const notes = makeNotes(store.start, clock);
      store.attach(notes, "s");
      notes.add(input, undefined);
      expect(store.save()).toBe(true);
      const before = readFileSync(notesPath(dir), "utf8");
      const large = notes.add({ ...input, comment: "x".repeat(40_000) }, undefined)!;
      expect([store.save(), store.save()]).toEqual([false, false]);
      expect(readFileSync(notesPath(dir), "utf8")).toBe(before);
      expect(lines).toHaveLength(1);
      notes.remove(large);
      notes.add(input, undefined);
      store.close();
      expect(JSON.parse(readFileSync(notesPath(dir), "utf8")).records).toHaveLength(2);
    },
  );

  test("what is stored comes back as it was", () => {
    const text = fc.string();
    const object = fc.option(fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<unknown>));
    fc.assert(
      fc.property(
        text,
        object,
        object,
        fc.option(fc.array(text, { minLength: 1 })),
        (comment, rect, point, variant) => {
          const notes = makeNotes({ lastNumber: 0, earlier: [] }, clock);
          const note = notes.add({ ...input, comment, rect, point, variant }, "c")!;
          const line = JSON.parse(JSON.stringify(storedNote(note))) as StoredNote;
          const again = makeNotes({ lastNumber: 1, earlier: [line] }, clock).all()[0]!;
          expect(JSON.stringify(again.record)).toBe(JSON.stringify(note.record));
        },
      ),
    );
  });
});
