import type { NoteRecord } from "../../schema.ts";
import { type Clock, LIMITS } from "../config.ts";
import { gone, json, noContent, superseded } from "../http/reply.ts";
import { makeNewestWaiter } from "./newest-waiter.ts";
import { type Delivery, finish, type Note, type Notes } from "./notes.ts";

/** Hands notes to waiting agents, at least once each (docs/spec/web.md section 11). */
export interface Deliveries {
  /** Answer `GET /wait`, after a screen change was announced. */
  wait(request: WaitRequest): Response | Promise<Response>;
  /** Give what is queued to the oldest parked wait. */
  serveParked(): void;
  /** What was delivered for good is done now; whether anything was. Leased notes are not. */
  finishWorking(unanswered: "passed" | "abandoned"): boolean;
  /** False for an unknown batch. */
  acknowledge(batch: string): boolean;
  /** An answer to a note shows that its batch arrived. */
  arrived(note: Note): void;
  /** The session ended, and the oldest parked wait got the queue: tell the others. */
  end(): void;
  /** The process is about to exit: parked waits hear the end now, open leases stay undelivered. */
  stop(): void;
  readonly parked: number;
  readonly leases: number;
}

/** One `GET /wait`. */
export interface WaitRequest {
  signal: AbortSignal;
  acknowledges: boolean;
  /** Names the waiting process, the same each time it asks; null for a client that only knows upstream's protocol. */
  waiter: string | null;
}

export interface DeliveryEvents {
  /** States changed: tell the pages, store them. */
  changed(): void;
  /** A batch was handed out, or what was handed out is done. */
  took(): void;
  finished(): void;
  /** What the agent is handed of a note. */
  recordFor(note: Note): NoteRecord;
  parkedChanged(count: number): void;
  /** The reason of the end, when the session has ended. */
  ended(): { reason: string | undefined } | undefined;
}

/** Milliseconds a batch may stay unacknowledged. */
export const LEASE_MS = 10_000;

/** A second wait this long after a leased reply proves that its reader is gone. */
const LEASE_DOUBT_MS = 1000;

interface Lease extends Delivery {
  readonly batch: string;
  readonly at: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

interface Parked extends WaitRequest {
  answer(response: Response): void;
}

export function makeDeliveries(
  notes: Notes,
  waitTime: number,
  clock: Clock,
  events: DeliveryEvents,
): Deliveries {
  const parked = new Set<Parked>();
  const leases = new Map<string, Lease>();
  const newest = makeNewestWaiter();

  /** Hand the whole queue to one connection, known open. Undefined when nothing is queued. */
  function deliver(to: WaitRequest): Response | undefined {
    const batch = notes.inState("queued");
    if (batch.length === 0) return undefined;
    const headers: Record<string, string> = {};
    let delivery: Delivery = { notes: batch, leased: false };
    if (to.acknowledges) {
      const id = globalThis.crypto.randomUUID();
      const lease: Lease = {
        notes: batch,
        leased: true,
        batch: id,
        at: clock.monotonic(),
        timer: setTimeout(() => takeBack(lease), LEASE_MS),
      };
      leases.set(id, lease);
      delivery = lease;
      headers["x-jig-batch"] = id;
    }
    const at = new Date(clock.now()).toISOString();
    for (const note of batch) {
      note.state = "working";
      note.delivery = delivery;
      note.deliveredAt = at;
    }
    // It only aborts while the reply is incomplete: the batch has not arrived.
    to.signal.addEventListener("abort", () => takeBack(delivery));
    events.took();
    events.changed();
    return json(batch.map(events.recordFor), 200, headers);
  }

  /** The notes of a failed delivery are queued again, at their old places. */
  function takeBack(delivery: Delivery) {
    // An acknowledged batch has arrived, whatever became of its connection.
    if ("batch" in delivery && !closeLease(delivery as Lease)) return;
    const lost = delivery.notes.filter((note) => note.delivery === delivery && note.state === "working");
    for (const note of lost) {
      note.state = "queued";
      note.deliveredAt = null;
    }
    if (lost.length > 0) {
      if (notes.inState("working").length === 0) events.finished();
      events.changed();
      serveParked();
    }
    settleIfEnded();
  }

  function closeLease(lease: Lease): boolean {
    clearTimeout(lease.timer);
    return leases.delete(lease.batch);
  }

  function doubtLeases() {
    const now = clock.monotonic();
    for (const lease of [...leases.values()]) if (now - lease.at > LEASE_DOUBT_MS) takeBack(lease);
  }

  function finishWorking(unanswered: "passed" | "abandoned"): boolean {
    const finished = notes.inState("working").filter((note) => note.delivery?.leased !== true);
    for (const note of finished) finish(note, unanswered);
    if (finished.length > 0) events.finished();
    return finished.length > 0;
  }

  function acknowledgeLease(lease: Lease) {
    closeLease(lease);
    lease.leased = false;
    events.changed();
    settleIfEnded();
  }

  /** False for a wait that a newer one has taken the place of; those it takes the place of hear so now. */
  function takesItsPlace({ waiter }: WaitRequest): boolean {
    if (waiter === null) return true;
    if (newest.arrives(waiter) === "superseded") return false;
    for (const entry of [...parked]) {
      if (entry.waiter !== null && entry.waiter !== waiter) entry.answer(superseded());
    }
    return true;
  }

  function park(to: WaitRequest): Promise<Response> {
    return new Promise((resolve) => {
      const entry: Parked = {
        ...to,
        answer(response) {
          if (!parked.delete(entry)) return;
          clearTimeout(timer);
          to.signal.removeEventListener("abort", forget);
          resolve(response);
          events.parkedChanged(parked.size);
        },
      };
      const timer = setTimeout(() => entry.answer(noContent()), waitTime);
      const forget = () => entry.answer(noContent());
      to.signal.addEventListener("abort", forget);
      parked.add(entry);
      events.parkedChanged(parked.size);
    });
  }

  function serveParked() {
    for (const entry of parked) {
      const response = deliver(entry);
      if (response === undefined) return;
      entry.answer(response);
    }
  }

  // The end is told only when nothing can come back any more.
  function settleIfEnded() {
    const end = events.ended();
    if (end === undefined || leases.size > 0) return;
    for (const entry of [...parked]) entry.answer(gone(end.reason));
  }

  return {
    wait(request) {
      if (!takesItsPlace(request)) return superseded();
      doubtLeases();
      if (finishWorking("passed")) events.changed();
      if (request.signal.aborted) return noContent();
      const batch = deliver(request);
      if (batch !== undefined) return batch;
      const end = events.ended();
      if (end !== undefined && leases.size === 0) return gone(end.reason);
      if (parked.size >= LIMITS.parkedWaits) return json({ error: "too many waits" }, 503);
      return park(request);
    },
    serveParked,
    finishWorking,
    acknowledge(batch) {
      const lease = leases.get(batch);
      if (lease === undefined) return false;
      acknowledgeLease(lease);
      return true;
    },
    arrived(note) {
      const lease = [...leases.values()].find((one) => one === note.delivery);
      if (lease !== undefined) acknowledgeLease(lease);
    },
    end() {
      serveParked();
      settleIfEnded();
    },
    stop() {
      const end = events.ended();
      for (const entry of [...parked]) entry.answer(gone(end?.reason));
      for (const lease of leases.values()) clearTimeout(lease.timer);
    },
    get parked() {
      return parked.size;
    },
    get leases() {
      return leases.size;
    },
  };
}
