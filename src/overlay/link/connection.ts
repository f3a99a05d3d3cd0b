import * as wire from "../../kernel/shared/annotate-wire.ts";
import type { Unread } from "../page/json.ts";
import { textOr } from "../page/json.ts";
import * as page from "../page/page.ts";
import { streamDelay } from "../page/retry-delays.ts";
import { cancel, later } from "../page/timers.ts";
import type { Connection } from "../types.ts";
import type { Api } from "./api.ts";
import type { Boot } from "./boot.ts";
import { openStream, type Stream } from "./stream.ts";
import { canShare, joinTabs, type Tabs } from "./tabs.ts";

const BUSY_MS = 5000;
const LOCKED_MS = 2000;

export interface ConnectionEvents {
  frame(name: wire.FrameName, data: string): void;
  /** The full list, when a refused stream made us ask for it. */
  list(data: Unread<wire.NoteList>): void;
  state(state: Connection, reason: string | null): void;
  /** A stream is open again after an earlier one: another tab's new credential may have let us into a new session. */
  reconnected(): void;
  /** Load the page anew: the server was replaced, or has something new to show a locked tab. */
  reload(): void;
}

export interface Link {
  start(): void;
  stop(): void;
  /** A call was answered 401 or 410. */
  refused(status: number, reason: string | null): void;
  /** The network or the tab is back: do not wait for the next try. */
  wake(): void;
  /** The tab was shown or hidden. */
  visibility(): void;
}

/**
 * The state of the connection (15.11). Every tab first opens its own stream; then, where tabs can share,
 * one keeper's stream serves all. A tab closes its own only after it has heard the keeper.
 */
export function createLink(boot: Boot, api: Api, events: ConnectionEvents): Link {
  const url = `${boot.origin}${wire.EVENTS_PATH}?${wire.DOCUMENT_QUERY}=${boot.document}`;
  /** Latest frame of each kind, for tabs that ask. */
  const latest = new Map<wire.FrameName, string>();
  let state: Connection = "connecting";
  let stream: Stream | null = null;
  let live = false;
  let everLive = false;
  let attempt = 0;
  let timer = 0;
  let tabs: Tabs | null = null;
  let running = false;
  /** Why the session ended, when it did. */
  let endedBy: string | null = null;

  const enter = (next: Connection, reason: string | null = null) => {
    const changed = next !== state;
    state = next;
    if (tabs?.isKeeper()) tabs.sendState(next, reason);
    if (changed || reason !== null) events.state(next, reason);
  };

  const isFinal = () => state === "ended" || state === "locked";

  const schedule = (delay: number, act: () => void) => {
    cancel(timer);
    timer = later(act, delay);
  };

  const closeOwn = () => {
    stream?.close();
    stream = null;
    live = false;
  };

  const open = () => {
    if (stream !== null || !running || isFinal()) return;
    cancel(timer);
    stream = openStream(url, heard, failed);
  };

  const heard = (name: wire.FrameName, data: string) => {
    if (name !== "screen-changed" && name !== "session-ended") latest.set(name, data);
    if (tabs?.isKeeper() && live) tabs.sendFrame(name, data);
    if (!live && name === "annotations") becameLive();
    events.frame(name, data);
    if (name === "session-ended") void end();
  };

  const becameLive = () => {
    live = true;
    if (everLive) events.reconnected();
    everLive = true;
    attempt = 0;
    enter("live");
    if (tabs === null) return;
    if (tabs.isKeeper()) tabs.sendFrames([...latest]);
    else if (page.visibilityOf(document) === "visible") tabs.steal();
    else ask();
  };

  /** Wait for the lock, and close our stream once the keeper is heard; until then, and without an answer, we keep it. */
  const ask = () => {
    tabs?.queue();
    tabs?.hello();
  };

  const failed = (refused: boolean) => {
    closeOwn();
    if (!running || isFinal()) return;
    if (refused) void probe();
    else retryLater();
  };

  const retryLater = () => {
    enter("offline");
    schedule(streamDelay(attempt++), open);
  };

  /** A refused stream has no status code; the list has. */
  const probe = async () => {
    const { status, data } = await api<wire.NoteList>("GET", wire.LIST_PATH);
    if (!running || isFinal() || stream !== null) return;
    if (status === 200) {
      if (data.ended === true) await over(data.reason);
      else if (data.known === true) {
        events.list(data);
        busy();
      } else await introduce();
    } else if (status === 503) busy();
    else if (status === 401 || status === 410) refuse(status, textOr(data.reason, null));
    else retryLater();
  };

  /** This page came without the cookie, by a link of another site, but its calls have it. */
  const introduce = async () => {
    const { status } = await api("POST", wire.DOCUMENT_PATH);
    if (status === 200) open();
    else refuse(401, null);
  };

  const busy = () => {
    enter("busy");
    schedule(BUSY_MS, open);
  };

  /**
   * A session that ended because all tabs were closed goes on when one is opened or looked at again (12.5). A hidden one
   * leaves it at that: it may be a page the browser keeps for later.
   */
  const revive = async (): Promise<boolean> => {
    if (page.visibilityOf(document) !== "visible") return false;
    const { status } = await api("POST", wire.REVIVE_PATH);
    if (status !== 200) return false;
    state = "connecting";
    everLive = false;
    attempt = 0;
    if (tabs === null) share();
    open();
    return true;
  };

  const over = async (reason: unknown) => {
    if (reason === "connection-lost" && (await revive())) return;
    finish(reason);
  };

  const finish = (reason: unknown) => {
    const said = textOr(reason, null);
    if (state === "ended" && said === null) return;
    cancel(timer);
    endedBy = said;
    enter("ended", said);
    leave();
  };

  /** The frame says only that it ended; the list still says why. */
  const end = async () => {
    if (isFinal()) return;
    const keeper = tabs?.isKeeper() ?? false;
    finish(null);
    const { status, data } = await api<wire.NoteList>("GET", wire.LIST_PATH);
    if (status !== 200) return;
    const reason = textOr(data.reason, null);
    if (reason === "connection-lost" && (await revive())) return;
    if (reason !== null) {
      endedBy = reason;
      events.state("ended", reason);
    }
    if (keeper) events.list(data);
  };

  const refuse = (status: number, reason: string | null) => {
    if (isFinal()) return;
    if (status === 410) return void over(reason);
    if (everLive) return events.reload();
    enter("locked");
    leave();
    void watchVersion(null);
  };

  const watchVersion = async (before: string | null) => {
    const { status, data } = await api<wire.Version>("GET", wire.VERSION_PATH);
    const now = status === 200 ? `${String(data.screen)} ${String(data.mtimeMs)}` : before;
    if (before !== null && now !== before) return events.reload();
    if (running) schedule(LOCKED_MS, () => void watchVersion(now));
  };

  const leave = () => {
    closeOwn();
    tabs?.close();
    tabs = null;
  };

  const share = () => {
    if (tabs !== null || !canShare()) return;
    tabs = joinTabs(boot.session, {
      kept() {
        if (live) tabs?.sendFrames([...latest]);
        else open();
      },
      lost: ask,
      asked() {
        if (live) tabs?.sendFrames([...latest]);
        else tabs?.sendState(state, null);
      },
      keeperHeard() {
        // Our own stream must have been accepted once: it is what tells the server that this page arrived.
        if (!everLive || tabs?.isStealing()) return;
        cancel(timer);
        closeOwn();
        tabs?.queue();
        enter("live");
      },
      frame(name, data) {
        if (live || !everLive) return;
        if (name !== "screen-changed" && name !== "session-ended") latest.set(name, data);
        events.frame(name, data);
        if (name === "session-ended") void end();
      },
      keeperState(next, reason) {
        if (live || !everLive) return;
        if (next === "ended") finish(reason);
        else if (next === "offline" || next === "live") enter(next);
      },
    });
  };

  const wake = () => {
    if (!running || isFinal() || stream !== null || (state === "live" && tabs !== null)) return;
    attempt = 0;
    open();
  };

  return {
    start() {
      if (running) return;
      running = true;
      if (isFinal()) return;
      share();
      open();
    },
    stop() {
      running = false;
      cancel(timer);
      leave();
      everLive = false;
      if (!isFinal()) state = "connecting";
    },
    refused: refuse,
    wake,
    visibility() {
      if (page.visibilityOf(document) !== "visible" || !running) return;
      if (state === "ended" && endedBy === "connection-lost") return void revive();
      if (isFinal()) return;
      if (tabs === null || tabs.isKeeper()) return wake();
      if (live) tabs.steal();
      else open();
    },
  };
}
