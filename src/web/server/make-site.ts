import type { EndReason } from "../../kernel/shared/annotate-wire.ts";
import { makeChangeKey } from "./changes/change-key.ts";
import { makeChanges } from "./changes/changes.ts";
import type { Clock, SiteConfig } from "./config.ts";
import { secretCheck } from "./http/guard.ts";
import type { StartingNotes } from "./notes/notes.ts";
import { makeSession, type SessionState } from "./notes/session.ts";
import { lookAtScreens, newestScreen } from "./screens/newest-screen.ts";
import { screenFiles } from "./screens/screen-files.ts";
import { versionWatch } from "./screens/version-watch.ts";
import type { AnnotateSite, Site } from "./site.ts";

export interface SiteOptions {
  config: SiteConfig;
  /** Asked for at each use: known only once the socket listens. */
  port(): number;
  /** The loopback name of an annotate server, known only then too. */
  name(): string | undefined;
  clock: Clock;
  platform: NodeJS.Platform;
  /** Notes of earlier servers on this root, and where their images lie. */
  start: StartingNotes;
  state: SessionState;
  asset(path: string): Uint8Array;
  log(line: string): void;
  active(): void;
  /** Write the notes to disk; false when that failed. */
  save(): boolean;
  saveSoon(): void;
  /** The session ended: record it. */
  ended(reason: EndReason): void;
  /** It goes on after all. */
  revived(): void;
  control: Site["control"];
}

/** Put a server together, without a socket. */
export function makeSite(options: SiteOptions): Site {
  const { config, clock, platform } = options;
  const version = versionWatch(config.screens, () => lookAtScreens(config.screens), clock.monotonic);
  const annotate = config.annotate ? makeAnnotateSite(options) : undefined;
  return {
    config,
    clock,
    get port() {
      return options.port();
    },
    files: screenFiles(config.screens, platform, clock),
    newest: () => newestScreen(config.screens),
    newestForVersion: version.newest,
    annotate,
    active: options.active,
    asset: options.asset,
    log: options.log,
    control: options.control,
    stop() {
      version.stop();
      annotate?.changes.stop();
      annotate?.session.close();
    },
  };
}

function makeAnnotateSite(options: SiteOptions): AnnotateSite {
  const { config, clock } = options;
  const changes = makeChanges({
    screens: config.screens,
    tree: makeChangeKey(config.screens, clock.monotonic),
    log: options.log,
    monotonic: clock.monotonic,
    platform: options.platform,
  });
  const session = makeSession(options.start, options.state, config.times, clock, {
    save: options.save,
    saveSoon: options.saveSoon,
    ended: options.ended,
    revived: options.revived,
    streamOpened: (stream) => changes.streamOpened(stream, session.streams),
    streamClosed: () => changes.streamClosed(session.streams),
  });
  const token = globalThis.crypto.randomUUID();
  return {
    session,
    changes,
    token,
    isToken: secretCheck(token),
    get name() {
      return options.name();
    },
  };
}
