import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeTabs, wasSuspended } from "../../../src/web/server/notes/tabs.ts";

const GRACE = 30_000;
const clock = { now: () => Date.now(), monotonic: () => performance.now() };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function tabs() {
  let ended = 0;
  const made = makeTabs(GRACE, clock, () => void ended++);
  return { ...made, ended: () => ended > 0 };
}

const never = new AbortController().signal;

describe("closed tabs", () => {
  test("a session ends a grace after its last stream closed", () => {
    const t = tabs();
    vi.advanceTimersByTime(10 * GRACE);
    expect(t.ended()).toBe(false);
    t.opened(null);
    t.opened(null);
    t.closed();
    vi.advanceTimersByTime(10 * GRACE);
    expect(t.ended()).toBe(false);
    t.closed();
    vi.advanceTimersByTime(GRACE - 1);
    expect(t.ended()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(t.ended()).toBe(true);
  });

  test("a pending document keeps it alive until its own stream opens", () => {
    const t = tabs();
    t.opened(null);
    t.closed();
    t.navigate("d", never);
    vi.advanceTimersByTime(5 * GRACE);
    t.opened("other");
    t.closed();
    vi.advanceTimersByTime(5 * GRACE);
    expect(t.ended()).toBe(false);
    t.opened("d");
    t.closed();
    vi.advanceTimersByTime(GRACE);
    expect(t.ended()).toBe(true);
  });

  test("a document whose load was cut is abandoned", () => {
    const t = tabs();
    const load = new AbortController();
    t.opened(null);
    t.navigate("d", load.signal);
    t.closed();
    vi.advanceTimersByTime(5 * GRACE);
    expect(t.ended()).toBe(false);
    load.abort();
    vi.advanceTimersByTime(GRACE);
    expect(t.ended()).toBe(true);
  });

  test("one that was cut before it began is none", () => {
    const t = tabs();
    t.opened(null);
    t.closed();
    t.navigate("d", AbortSignal.abort());
    vi.advanceTimersByTime(GRACE);
    expect(t.ended()).toBe(true);
  });

  test("a document nobody opens is given up after twenty graces", () => {
    const t = tabs();
    t.opened(null);
    t.closed();
    t.navigate("bot", never);
    vi.advanceTimersByTime(20 * GRACE);
    expect(t.ended()).toBe(false);
    vi.advanceTimersByTime(GRACE);
    expect(t.ended()).toBe(true);
  });

  test("without a stream ever there is nothing to lose", () => {
    const t = tabs();
    t.navigate("d", never);
    vi.advanceTimersByTime(100 * GRACE);
    expect(t.ended()).toBe(false);
  });

  test("it never ends while a stream is open or a document is pending", () => {
    const event = fc.constantFrom("open", "close", "navigate", "load", "abort", "grace", "second");
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const t = tabs();
        let open = 0;
        let next = 0;
        const pending = new Map<string, AbortController>();
        for (const name of events) {
          if (t.ended()) break;
          if (name === "open") {
            t.opened(null);
            open++;
          } else if (name === "close" && open > 0) {
            t.closed();
            open--;
          } else if (name === "navigate") {
            const load = new AbortController();
            pending.set(String(next), load);
            t.navigate(String(next++), load.signal);
          } else if (name === "load" && pending.size > 0) {
            const [id] = [...pending.keys()];
            pending.delete(id!);
            t.opened(id!);
            open++;
          } else if (name === "abort" && pending.size > 0) {
            const [id, load] = [...pending][0]!;
            pending.delete(id);
            load.abort();
          } else if (name === "grace") vi.advanceTimersByTime(GRACE);
          else if (name === "second") vi.advanceTimersByTime(1000);
          // No pending document gets as old here as to be given up.
          if (events.length < 20 && (open > 0 || pending.size > 0)) expect(t.ended()).toBe(false);
        }
        t.stop();
      }),
    );
  });
});

test("a machine that slept is told from one that is busy", () => {
  const at = (monotonic: number, wall: number) =>
    wasSuspended(0, 0, 60_000, { now: () => wall, monotonic: () => monotonic });
  expect(at(60_000, 60_000)).toBe(false);
  expect(at(119_000, 119_000)).toBe(false);
  expect(at(60_000, 3_600_000)).toBe(true);
  expect(at(3_600_000, 60_000)).toBe(true);
  expect(wasSuspended(0, 0, 50, { now: () => 900, monotonic: () => 900 })).toBe(false);
});
