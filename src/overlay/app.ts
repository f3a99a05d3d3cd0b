import type { Reply } from "../kernel/shared/annotate-wire.ts";
import type { Api } from "./link/api.ts";
import type { Boot } from "./link/boot.ts";
import type { Link } from "./link/connection.ts";
import type { Reloader } from "./link/reload-page.ts";
import type { NoteActions } from "./notes/actions.ts";
import type { Incoming } from "./notes/incoming.ts";
import type { Ui } from "./notes/storage.ts";
import type { Shield } from "./page/events.ts";
import type { Keys } from "./page/keys.ts";
import type { Mount } from "./page/mount.ts";
import type { Picker } from "./target/picker.ts";
import type { Connection, Draft, Note } from "./types.ts";
import type { Banner } from "./view/banner.ts";
import type { Bubble } from "./view/bubble.ts";
import type { Card } from "./view/card.ts";
import type { Composer } from "./view/composer.ts";
import type { List } from "./view/list.ts";
import type { Pins } from "./view/pins.ts";
import type { Toolbar } from "./view/toolbar.ts";

/** A line by the toolbar about something that failed or can be undone. */
export interface Notice {
  text: string;
  action: { label: string; run: () => void } | null;
}

/** What the overlay knows; every part draws from it. */
export interface Model {
  /** Annotate mode. */
  on: boolean;
  connection: Connection;
  endReason: string | null;
  /** The screen's own content policy blocks the connection to the server. */
  policyBlocked: boolean;
  /** Whether the agent waits; null until it is known. */
  agentWaiting: boolean | null;
  reply: Pick<Reply, "text" | "at"> | null;
  notes: Note[];
  drafts: Draft[];
  notice: Notice | null;
  /** The screen changed while the person was writing: the chip is shown. */
  updateWaiting: boolean;
  sending: boolean;
  confirmingEnd: boolean;
  panel: "menu" | "help" | null;
  ui: Ui;
}

/** The overlay's parts, as they see each other. */
export interface App {
  boot: Boot;
  api: Api;
  model: Model;
  mount: Mount;
  link: Link;
  notes: NoteActions;
  incoming: Incoming;
  composer: Composer;
  shield: Shield;
  keys: Keys;
  picker: Picker;
  pins: Pins;
  card: Card;
  list: List;
  toolbar: Toolbar;
  banner: Banner;
  bubble: Bubble;
  reloader: Reloader;
  /** Draw again what the model says, once for all changes of this turn. */
  update(): void;
  /** Draw what follows the page again in the next frame. */
  layout(): void;
  /** Write the tab's state soon. */
  remember(): void;
  /** Say something to screen readers. */
  announce(text: string): void;
  fail(error: unknown): void;
}
