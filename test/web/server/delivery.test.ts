import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { NoteRecord } from "../../../src/web/schema.ts";
import { type Deliveries, LEASE_MS, makeDeliveries } from "../../../src/web/server/notes/delivery.ts";
import { makeNotes, type Notes, storedNote } from "../../../src/web/server/notes/notes.ts";

const WAIT = 30_000;
const clock = { now: () => Date.now(), monotonic: () => performance.now() };

let notes: Notes;
let deliveries: Deliveries;
let ended: { reason: string } | undefined;
let parkedCount = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  ended = undefined;
  notes = makeNotes({ lastNumber: 0, earlier: [] }, clock);
  deliveries = makeDeliveries(notes, WAIT, clock, {
    changed: () => {},
    took: () => {},
    finished: () => {},
    recordFor: (note) => note.record,
    parkedChanged: (count) => {
      parkedCount = count;
    },
    ended: () => ended,
  });
});
afterEach(() => {
  deliveries.stop();
  vi.useRealTimers();
});

function queue(comment: string) {
  const input = {
    screen: "a.html",
    comment,
    selector: "h1",
    textSnippet: null,
    variant: null,
    rect: null,
    point: null,
  };
  const note = notes.add(input, undefined)!;
  note.state = "queued";
  return note;
}

interface Waiter {
  answer: { status: number; comments: string[]; batch: string | null } | undefined;
  leave(): void;
}

function wait(acknowledges = true, waiter: string | null = null): Waiter {
  const connection = new AbortController();
  const asked: Waiter = { answer: undefined, leave: () => connection.abort() };
  void Promise.resolve(deliveries.wait({ signal: connection.signal, acknowledges, waiter })).then(
    async (response) => {
      const body = response.status === 200 ? ((await response.json()) as NoteRecord[]) : [];
      asked.answer = {
        status: response.status,
        comments: body.map((record) => record.comment),
        batch: response.headers.get("x-jig-batch"),
      };
    },
  );
  return asked;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe("a lease", () => {
  test("an acknowledged batch is done with the next wait", async () => {
    const note = queue("one");
    const first = wait();
    await settle();
    expect(first.answer?.comments).toEqual(["one"]);
    expect(storedNote(note)).toMatchObject({ state: "queued", delivered_at: null });
    expect(deliveries.acknowledge(first.answer!.batch!)).toBe(true);
    expect(storedNote(note).state).toBe("working");
    wait();
    expect(note.state).toBe("done");
    expect(deliveries.acknowledge(first.answer!.batch!)).toBe(false);
  });

  test.each([
    ["the connection closed before the reply was complete", (first: Waiter) => first.leave()],
    ["ten seconds passed", () => vi.advanceTimersByTime(LEASE_MS)],
  ])("fails when %s", async (_name, fail) => {
    const note = queue("one");
    const first = wait();
    await settle();
    fail(first);
    expect(note.state).toBe("queued");
    expect(note.deliveredAt).toBeNull();
    const second = wait();
    await settle();
    expect(second.answer?.comments).toEqual(["one"]);
  });

  test("another wait within a second leaves it alone, a later one doubts it", async () => {
    const note = queue("one");
    wait();
    await settle();
    vi.advanceTimersByTime(900);
    const soon = wait();
    await settle();
    expect(soon.answer).toBeUndefined();
    expect(note.state).toBe("working");
    vi.advanceTimersByTime(200);
    wait();
    await settle();
    expect(soon.answer?.comments).toEqual(["one"]);
  });

  test("what comes back goes to the head of the queue, and to a parked wait", async () => {
    queue("one");
    const first = wait();
    await settle();
    const parked = wait(false);
    first.leave();
    queue("two");
    await settle();
    expect(parked.answer?.comments).toEqual(["one"]);
    const next = wait(false);
    await settle();
    expect(next.answer?.comments).toEqual(["two"]);
  });

  test("after an acknowledgement a broken connection takes nothing back", async () => {
    const note = queue("one");
    const first = wait();
    await settle();
    deliveries.acknowledge(first.answer!.batch!);
    first.leave();
    vi.advanceTimersByTime(LEASE_MS);
    expect(note.state).toBe("working");
  });

  test("the end waits for it: no 410 while a batch may still come back", async () => {
    queue("one");
    const first = wait();
    await settle();
    ended = { reason: "stopped" };
    deliveries.end();
    const second = wait();
    await settle();
    expect(second.answer).toBeUndefined();
    first.leave();
    await settle();
    expect(second.answer?.comments).toEqual(["one"]);
    const third = wait();
    await settle();
    deliveries.acknowledge(second.answer!.batch!);
    await settle();
    expect(third.answer?.status).toBe(410);
  });
});

describe("a client that does not acknowledge", () => {
  test("has the batch for good once it is handed over", async () => {
    const note = queue("one");
    wait(false);
    await settle();
    vi.advanceTimersByTime(60_000);
    expect(note.state).toBe("working");
    expect(storedNote(note).state).toBe("working");
  });

  test("known closed, it gets nothing and loses nothing", async () => {
    const note = queue("one");
    const first = wait(false);
    first.leave();
    await settle();
    expect(note.state).toBe("queued");
    const gone = new AbortController();
    gone.abort();
    await deliveries.wait({ signal: gone.signal, acknowledges: false, waiter: null });
    expect(note.state).toBe("queued");
  });
});

describe("parked waits", () => {
  test("a 204 after the wait time, and nothing is held beyond it", async () => {
    const waiter = wait();
    await settle();
    expect(parkedCount).toBe(1);
    await vi.advanceTimersByTimeAsync(WAIT - 1);
    expect(waiter.answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(waiter.answer?.status).toBe(204);
    expect(parkedCount).toBe(0);
  });

  test("the oldest receives the whole queue; one that left is forgotten", async () => {
    const left = wait(false);
    const oldest = wait(false);
    const young = wait(false);
    left.leave();
    queue("one");
    queue("two");
    deliveries.serveParked();
    await settle();
    expect(oldest.answer?.comments).toEqual(["one", "two"]);
    expect(young.answer).toBeUndefined();
  });

  test("sixteen are parked, the next is turned away", async () => {
    for (let index = 0; index < 16; index++) wait();
    const extra = wait();
    await settle();
    expect(extra.answer?.status).toBe(503);
    expect(deliveries.parked).toBe(16);
  });
});

test("whatever connections do, every note arrives, in order, before the end is told", async () => {
  const event = fc.oneof(
    fc.constant("post"),
    fc.constantFrom("wait", "plain", "ack", "leave", "second", "lease", "end"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      ended = undefined;
      notes = makeNotes({ lastNumber: 0, earlier: [] }, clock);
      deliveries = makeDeliveries(notes, WAIT, clock, {
        changed: () => {},
        took: () => {},
        finished: () => {},
        recordFor: (note) => note.record,
        parkedChanged: () => {},
        ended: () => ended,
      });
      const waiters: Waiter[] = [];
      const acknowledged = new Set<string>();
      let posted = 0;
      for (const name of events) {
        if (name === "post" && ended === undefined) {
          queue(String(posted++));
          deliveries.serveParked();
        } else if (name === "wait" || name === "plain") waiters.push(wait(name === "wait"));
        else if (name === "ack") {
          for (const waiter of waiters) {
            const { batch } = waiter.answer ?? {};
            if (batch && deliveries.acknowledge(batch))
              for (const c of waiter.answer!.comments) acknowledged.add(c);
          }
        } else if (name === "leave") waiters.find((waiter) => waiter.answer === undefined)?.leave();
        else if (name === "second") vi.advanceTimersByTime(1100);
        else if (name === "lease") vi.advanceTimersByTime(LEASE_MS);
        else if (name === "end" && ended === undefined) {
          ended = { reason: "stopped" };
          deliveries.end();
        }
        await settle();
      }
      // Everybody else dies now; one agent that does everything right is left.
      ended ??= { reason: "stopped" };
      deliveries.end();
      await settle();
      const plain = waiters.filter((waiter) => waiter.answer?.status === 200 && waiter.answer.batch === null);
      const got = new Set([...acknowledged, ...plain.flatMap((waiter) => waiter.answer!.comments)]);
      for (const waiter of waiters) if (waiter.answer === undefined) waiter.leave();
      for (;;) {
        const waiter = wait();
        await settle();
        for (let round = 0; waiter.answer === undefined && round < 5; round++) {
          await vi.advanceTimersByTimeAsync(LEASE_MS);
          await settle();
        }
        if (waiter.answer?.status !== 200) {
          expect(waiter.answer?.status).toBe(410);
          break;
        }
        const { comments, batch } = waiter.answer;
        expect(comments.toSorted((a, b) => Number(a) - Number(b))).toEqual(comments);
        for (const comment of comments) got.add(comment);
        deliveries.acknowledge(batch!);
      }
      expect(got.size).toBe(posted);
      deliveries.stop();
    }),
    { numRuns: 60 },
  );
});

describe("waits of jig's", () => {
  test("a newer one takes the older one's place and its notes; the older hears so whenever it asks", async () => {
    const old = wait(true, "old");
    await settle();
    const young = wait(true, "young");
    await settle();
    expect([old.answer?.status, young.answer]).toEqual([409, undefined]);
    queue("one");
    deliveries.serveParked();
    await settle();
    expect(young.answer?.comments).toEqual(["one"]);
    const again = wait(true, "old");
    await settle();
    expect(again.answer?.status).toBe(409);
    // It neither doubts the lease nor makes anything done.
    expect(notes.inState("working")).toHaveLength(1);
    expect(deliveries.leases).toBe(1);
  });

  test("the same one that asks again is not in its own way, and between two questions can be overtaken", async () => {
    for (let poll = 0; poll < 3; poll++) {
      const asked = wait(true, "one");
      await settle();
      expect(asked.answer).toBeUndefined();
      asked.leave();
      await settle();
    }
    const next = wait(true, "two");
    await settle();
    expect(next.answer).toBeUndefined();
    const late = wait(true, "one");
    await settle();
    expect(late.answer?.status).toBe(409);
  });

  test("a client that only knows upstream's protocol keeps its turn, before and after one of jig's", async () => {
    const upstream = wait(false);
    await settle();
    const jig = wait(true, "jig");
    await settle();
    expect([upstream.answer, jig.answer]).toEqual([undefined, undefined]);
    queue("one");
    deliveries.serveParked();
    await settle();
    expect([upstream.answer?.comments, jig.answer]).toEqual([["one"], undefined]);
    wait(false);
    await settle();
    queue("two");
    deliveries.serveParked();
    await settle();
    expect(jig.answer?.comments).toEqual(["two"]);
  });
});
