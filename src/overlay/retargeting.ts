import { BODY_BYTES, TARGETS_PATH } from "../kernel/shared/annotate-wire.ts";
import type { App } from "./app.ts";
import { fitting } from "./notes/body.ts";
import { isWhole } from "./notes/notes.ts";
import { byteLength, toJson } from "./page/json.ts";
import * as page from "./page/page.ts";
import { cancel, later } from "./page/timers.ts";
import { createSight, type Sight } from "./target/sight.ts";
import { anchorFor } from "./target/targets.ts";
import type { Tracked } from "./target/tracker.ts";
import type { Anchor, Note } from "./types.ts";
import { pinSpot, placeNow } from "./view/pins/placing.ts";

/**
 * Once an edited page is quiet, say where the targets of notes are now that no agent has taken (15.10): the agent gets
 * selectors that fit the file as it is. Once a note and document.
 */
export interface Retargeting {
  consider(): void;
}

const QUIET_MS = 500;
/** Room for what stands around the targets in a body. */
const SLACK = 2048;

export function createRetargeting(app: App): Retargeting {
  const done = new Set<string>();
  let timer = 0;
  let observing = false;

  const due = (): Note[] =>
    app.model.notes.filter(
      (note) =>
        note.id !== null &&
        !done.has(note.id) &&
        (note.state === "held" || note.state === "queued") &&
        note.anchor.page === app.boot.page &&
        !isWhole(note.anchor),
    );

  const wait = () => {
    cancel(timer);
    timer = later(run, QUIET_MS);
  };
  const observer = new MutationObserver(wait);

  const stop = () => {
    observer.disconnect();
    observing = false;
    cancel(timer);
  };

  const run = () => {
    if (document.readyState !== "complete") return wait();
    stop();
    if (page.visibilityOf(document) !== "visible" || app.model.connection !== "live") return;
    try {
      void send(due());
    } catch (error) {
      app.fail(error);
    }
  };

  const send = async (notes: readonly Note[]) => {
    const sights = new Map<Document, Sight>();
    const sightFor = (owner: Document) => {
      const known = sights.get(owner) ?? createSight(owner);
      sights.set(owner, known);
      return known;
    };
    let batch: { id: string; anchor: Anchor; body: object }[] = [];
    let bytes = SLACK;
    for (const note of notes) {
      done.add(note.id!);
      const tracked = app.pins.tracker.found(note.key);
      const anchor = tracked === null ? null : anchorNow(note, tracked, sightFor);
      if (anchor === null || isSame(anchor, note.anchor)) continue;
      const body = { id: note.id!, ...fitting(anchor, SLACK) };
      const size = byteLength(toJson(body));
      if (bytes + size > BODY_BYTES) {
        await post(batch);
        batch = [];
        bytes = SLACK;
      }
      batch.push({ id: note.id!, anchor, body });
      bytes += size;
    }
    await post(batch);
  };

  const post = async (batch: readonly { id: string; anchor: Anchor; body: object }[]) => {
    if (batch.length === 0) return;
    const { status, data } = await app.api<{ refused: string[] }>("POST", TARGETS_PATH, {
      targets: batch.map(({ body }) => body),
    });
    if (status !== 200) return;
    const refused = Array.isArray(data.refused) ? data.refused : [];
    const anchors = new Map(
      batch.filter(({ id }) => !refused.includes(id)).map(({ id, anchor }) => [id, anchor]),
    );
    app.model.notes = app.model.notes.map((note) => {
      const anchor = anchors.get(note.id ?? "");
      return anchor === undefined ? note : { ...note, anchor };
    });
    app.update();
    app.remember();
  };

  return {
    consider() {
      if (observing || due().length === 0) return;
      observing = true;
      observer.observe(
        page.htmlOf(document),
        page.dict({ subtree: true, childList: true, characterData: true, attributes: true }),
      );
      wait();
    },
  };
}

/** The anchor as it would be made now; what says why the note was made stays. */
function anchorNow(
  { anchor }: Note,
  { found, place }: Tracked,
  sightFor: (owner: Document) => Sight,
): Anchor | null {
  if (found === null) return null;
  const box = placeNow(anchor, found, place);
  const owner = page.documentOf(found.element);
  if (box === null || owner === null) return null;
  const { kind = "element", follow_up_of, in_reply_to, targets, edited } = anchor.context;
  const spot = pinSpot(anchor, box, found);
  const target = { kind, element: found.element, box, spot, range: found.range };
  const now = anchorFor(target, anchor.page, sightFor(owner));
  return {
    ...now,
    context: {
      ...now.context,
      ...(follow_up_of === undefined ? {} : { follow_up_of }),
      ...(in_reply_to === undefined ? {} : { in_reply_to }),
      ...(targets === undefined ? {} : { targets }),
      retargeted: true,
      ...(edited === true || !found.sure ? { edited: true } : {}),
    },
  };
}

/** Where things are on the screen differs from window to window, and says nothing about the file. */
function isSame(now: Anchor, then: Anchor): boolean {
  const { retargeted: _, ...before } = then.context;
  const { retargeted: __, ...after } = now.context;
  const plain = (anchor: Anchor, context: object) =>
    toJson([anchor.selector, anchor.textSnippet, anchor.variant, sorted(context)]);
  return plain(now, after) === plain(then, before);
}

const sorted = (context: object): [string, unknown][] =>
  Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
