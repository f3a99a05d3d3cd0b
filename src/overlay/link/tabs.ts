import type { FrameName } from "../../kernel/shared/annotate-wire.ts";
import { isRecord } from "../page/json.ts";
import * as page from "../page/page.ts";
import { randomId } from "../page/random-id.ts";
import type { Connection } from "../types.ts";
import { isFrameName } from "./stream.ts";

/** What tabs of one session tell each other (15.11). */
type Message =
  | { from: string; kind: "hello" }
  | { from: string; kind: "state"; state: Connection; reason: string | null }
  | { from: string; kind: "frame"; name: FrameName; data: string }
  | { from: string; kind: "frames"; frames: [FrameName, string][] };

export interface TabEvents {
  /** This tab became the keeper: it must have a live stream and repeat what that says. */
  kept(): void;
  /** Another tab took over; its frames have not been heard yet. */
  lost(): void;
  /** The keeper asks nothing of us: frames it repeats, as if from our own stream. */
  frame(name: FrameName, data: string): void;
  /** The keeper answered or announced itself with its latest frames: our own stream may close. */
  keeperHeard(): void;
  keeperState(state: Connection, reason: string | null): void;
  /** A tab asks for the latest frames; only the keeper answers. */
  asked(): void;
}

export interface Tabs {
  /** Take the lock from whoever holds it. */
  steal(): void;
  /** Wait for the lock. */
  queue(): void;
  hello(): void;
  isKeeper(): boolean;
  isStealing(): boolean;
  sendFrames(frames: [FrameName, string][]): void;
  sendFrame(name: FrameName, data: string): void;
  sendState(state: Connection, reason: string | null): void;
  close(): void;
}

/** Whether this browser, on this address, lets tabs share one stream. */
export const canShare = (): boolean =>
  typeof BroadcastChannel === "function" && typeof navigator.locks?.request === "function";

/** Join the tabs of a session: one of them keeps the stream, under a Web Lock, for all. */
export function joinTabs(session: string, events: TabEvents): Tabs {
  const self = randomId();
  const lock = `ce-annotate-keeper:${session}`;
  const channel = new BroadcastChannel(`ce-annotate:${session}`);
  let release: (() => void) | null = null;
  let waiting: AbortController | null = null;
  let stealing = false;
  let closed = false;

  const post = (message: Message) => {
    if (!closed) channel.postMessage(message);
  };

  const hold = () =>
    new Promise<void>((resolve) => {
      stealing = false;
      waiting = null;
      if (closed) return resolve();
      release = resolve;
      events.kept();
    });

  // Rejected when another tab steals the lock, or when we stop waiting for it.
  const ended = (error: unknown) => {
    const held = release !== null;
    release = null;
    if (held && !closed && error !== undefined) events.lost();
  };

  const stopWaiting = () => {
    waiting?.abort();
    waiting = null;
  };

  page.addListener(
    channel,
    "message",
    (event) => {
      const message = (event as MessageEvent).data as Message | null;
      if (closed || !isRecord(message) || message.from === self) return;
      if (message.kind === "hello") {
        if (release !== null) events.asked();
      } else if (release !== null) return;
      else if (message.kind === "state") events.keeperState(message.state, message.reason);
      else if (message.kind === "frame" && isFrameName(message.name))
        events.frame(message.name, message.data);
      else if (message.kind === "frames" && Array.isArray(message.frames)) {
        events.keeperHeard();
        for (const [name, data] of message.frames) if (isFrameName(name)) events.frame(name, data);
      }
    },
    false,
  );

  return {
    steal() {
      if (release !== null || stealing || closed) return;
      stopWaiting();
      stealing = true;
      void navigator.locks
        .request(lock, page.dict({ steal: true }), hold)
        .then(() => ended(undefined), ended);
    },
    queue() {
      if (release !== null || waiting !== null || stealing || closed) return;
      const abort = new AbortController();
      waiting = abort;
      void navigator.locks
        .request(lock, page.dict({ signal: abort.signal }), hold)
        .then(() => ended(undefined), ended);
    },
    hello: () => post({ from: self, kind: "hello" }),
    isKeeper: () => release !== null,
    isStealing: () => stealing,
    sendFrames: (frames) => post({ from: self, kind: "frames", frames }),
    sendFrame: (name, data) => post({ from: self, kind: "frame", name, data }),
    sendState: (state, reason) => post({ from: self, kind: "state", state, reason }),
    close() {
      stopWaiting();
      closed = true;
      channel.close();
      release?.();
      release = null;
    },
  };
}
