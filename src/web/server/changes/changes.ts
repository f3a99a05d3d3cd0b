import type { ChangeKey } from "./change-key.ts";
import { makeChangeWatch } from "./change-watch.ts";
import { frame, type Stream, type Streams } from "./streams.ts";

/** Tells open tabs that a file under `screens/` changed (docs/spec/web.md 12.3). */
export interface Changes {
  streamOpened(stream: Stream, streams: Streams): void;
  streamClosed(streams: Streams): void;
  /** Before a document is read: announce what changed, and give the key the document is rendered with. */
  beforeDocument(streams: Streams): Promise<string>;
  /** Remember what a document was rendered with, for when its stream opens. */
  rendered(document: string, key: string): void;
  /** Before a wait is answered: announce what changed, so that it comes before `done`. */
  beforeWait(streams: Streams): Promise<void>;
  stop(): void;
}

/** Documents whose key is remembered. */
const REMEMBERED = 256;

export interface ChangesOptions {
  screens: string;
  tree: ChangeKey;
  log(line: string): void;
  monotonic(): number;
  platform: NodeJS.Platform;
}

export function makeChanges(options: ChangesOptions): Changes {
  const { tree } = options;
  const keys = new Map<string, string>();
  let announced: string | undefined;
  let starting: Promise<void> | undefined;
  let open: Streams | undefined;
  const watch = makeChangeWatch(options.screens, tree, {
    log: options.log,
    monotonic: options.monotonic,
    platform: options.platform,
    changed(key) {
      if (starting === undefined && open !== undefined) announce(key, open);
    },
  });

  function announce(key: string, streams: Streams) {
    if (key === announced) return;
    const first = announced === undefined;
    announced = key;
    if (!first) streams.broadcast(frame("screen-changed", { version: key }));
  }

  /** An edit made while the tab had no stream. */
  function catchUp(stream: Stream) {
    const key = stream.document === null ? undefined : keys.get(stream.document);
    if (key !== undefined && key !== tree.key) stream.send(frame("screen-changed", { version: tree.key }));
  }

  return {
    streamOpened(stream, streams) {
      if (streams.size === 1) {
        open = streams;
        // What changed while nobody listened concerns only documents that say what they were rendered with.
        starting = watch.start().then(() => {
          starting = undefined;
          announced = tree.key;
        });
      }
      if (starting === undefined) catchUp(stream);
      else void starting.then(() => catchUp(stream));
    },
    streamClosed(streams) {
      if (streams.size > 0) return;
      open = undefined;
      watch.stop();
    },
    async beforeDocument(streams) {
      const key = await watch.check();
      announce(key, streams);
      return key;
    },
    rendered(document, key) {
      keys.set(document, key);
      if (keys.size > REMEMBERED) keys.delete(keys.keys().next().value!);
    },
    async beforeWait(streams) {
      if (streams.size > 0) announce(await watch.check(), streams);
    },
    stop: () => watch.stop(),
  };
}
