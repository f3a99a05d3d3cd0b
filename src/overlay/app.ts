import type { Ask, Reply } from "../kernel/shared/annotate-wire.ts";
import type { Api } from "./link/api.ts";
import type { Boot } from "./link/boot.ts";
import type { Link } from "./link/connection.ts";
import type { Reloader } from "./link/reload-page.ts";
import type { NoteActions } from "./notes/actions.ts";
import type { Images } from "./notes/images.ts";
import type { Incoming } from "./notes/incoming.ts";
import type { Ui } from "./notes/storage.ts";
import type { AgentPresence } from "./notes/words.ts";
import type { Shield } from "./page/events.ts";
import type { Keys } from "./page/keys.ts";
import type { Mount } from "./page/mount.ts";
import type { Picker } from "./target/picker.ts";
import type { Connection, Draft, Note } from "./types.ts";
import type { Banner } from "./view/banner.ts";
import type { Choices } from "./view/bar/choices.ts";
import type { MessagePanel } from "./view/bar/message-panel.ts";
import type { Toolbar } from "./view/bar/toolbar.ts";
import type { Card } from "./view/card.ts";
import type { List } from "./view/list.ts";
import type { Pins } from "./view/pins/pins.ts";
import type { Bubble } from "./view/write/bubble.ts";
import type { Composer } from "./view/write/composer.ts";

/** A line by the toolbar about something that failed or can be undone. */
export interface Notice {
  text: string;
  action: { label: string; run: () => void } | null;
}

/** What the overlay knows; every part draws from it. */
export interface Model {
  /** Annotate mode. */
  on: boolean;
  /** What the page shows is kept as it was. */
  frozen: boolean;
  connection: Connection;
  endReason: string | null;
  /** The screen's own content policy blocks the connection to the server. */
  policyBlocked: boolean;
  /** Null until it is known. */
  agent: AgentPresence | null;
  /** The question of the agent that is open. */
  ask: Ask | null;
  reply: Pick<Reply, "text" | "at"> | null;
  notes: Note[];
  drafts: Draft[];
  notice: Notice | null;
  /** The screen changed while the person was writing: the chip is shown. */
  updateWaiting: boolean;
  sending: boolean;
  confirmingEnd: boolean;
  panel: "menu" | "help" | "message" | null;
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
  images: Images;
  message: MessagePanel;
  choices: Choices;
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
