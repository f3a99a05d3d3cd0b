import type { Connection } from "../../runtime/serve.ts";
import type { Changes } from "./changes/changes.ts";
import type { Clock, SiteConfig } from "./config.ts";
import type { Session } from "./notes/session.ts";
import type { NewestScreen } from "./screens/newest-screen.ts";
import type { ScreenFiles } from "./screens/screen-files.ts";

/** Everything the request handler stands on. */
export interface Site {
  readonly config: SiteConfig;
  /** The bound port, known once the socket listens. */
  readonly port: number;
  readonly clock: Clock;
  readonly files: ScreenFiles;
  newest(): NewestScreen | undefined;
  /** The same for `/version`: cheap to ask often, possibly behind by one question. */
  newestForVersion(): NewestScreen | undefined;
  /** Undefined in the default mode. */
  readonly annotate: AnnotateSite | undefined;
  /** Something happened that keeps an idle server alive (docs/spec/web.md 7 and 9). */
  active(): void;
  /** The bytes of an embedded file. */
  asset(path: string): Uint8Array;
  log(line: string): void;
  /** Windows only: stops the server when the secret is right (docs/spec/web.md 4.5). */
  readonly control: { secret: string; stop(): void } | undefined;
  /** Stop watching files. */
  stop(): void;
}

/** One request in annotate mode. */
export interface Call {
  site: Site;
  annotate: AnnotateSite;
  request: Request;
  query: string;
  connection: Connection;
}

export interface AnnotateSite {
  readonly session: Session;
  readonly changes: Changes;
  isToken(presented: string): boolean;
  readonly token: string;
  /** The loopback name of this root alone, `<random>.localhost`; undefined where no browser is sent to it (docs/spec/web.md 8.5). */
  readonly name: string | undefined;
}
