import type { FrameName } from "../kernel/shared/annotate-wire.ts";
import type { App, Model } from "./app.ts";
import { canAnnotate } from "./can-annotate.ts";
import { createApi } from "./link/api.ts";
import { type Boot, readBoot } from "./link/boot.ts";
import { createLink } from "./link/connection.ts";
import { createReloader } from "./link/reload-page.ts";
import { withoutWorkers } from "./link/workers.ts";
import { createNotes } from "./notes/actions.ts";
import { createImages } from "./notes/images.ts";
import { createIncoming } from "./notes/incoming.ts";
import { load, openStorage, store } from "./notes/storage.ts";
import { reasonWords, restarted } from "./notes/words.ts";
import { h, setText } from "./page/dom.ts";
import { createShield } from "./page/events.ts";
import { createKeys } from "./page/keys.ts";
import { createMount, isRunning } from "./page/mount.ts";
import * as page from "./page/page.ts";
import { cancel, later, nextFrame } from "./page/timers.ts";
import { createRetargeting } from "./retargeting.ts";
import { createPicker } from "./target/picker.ts";
import { createBanner } from "./view/banner.ts";
import { createChoices } from "./view/bar/choices.ts";
import { createMessagePanel } from "./view/bar/message-panel.ts";
import { createToolbar } from "./view/bar/toolbar.ts";
import { createCard } from "./view/card.ts";
import { createList } from "./view/list.ts";
import { createPins } from "./view/pins/pins.ts";
import { createBubble } from "./view/write/bubble.ts";
import { createComposer } from "./view/write/composer.ts";
import { createWatch } from "./watch.ts";

const REMEMBER_MS = 300;

/** An error of the overlay must never become one of the page. */
function fail(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the page's console is where such a line is looked for
  console.warn("ce-annotate", error);
}

function start(boot: Boot): void {
  const storage = openStorage();
  const saved = load(storage, boot.session);
  const model: Model = {
    on: false,
    connection: "connecting",
    endReason: null,
    policyBlocked: false,
    agent: null,
    ask: null,
    frozen: false,
    reply: null,
    notes: saved.pins,
    drafts: saved.drafts,
    notice: saved.left === null ? null : { text: restarted(saved.left), action: null },
    updateWaiting: false,
    sending: false,
    confirmingEnd: false,
    panel: null,
    ui: saved.ui,
  };
  const live = h("div.unseen", { role: "status", "aria-live": "polite" });
  const alone = withoutWorkers(saved.scroll?.own === true, () => app.reloader.now());
  const app = { boot, model, api: createApi(boot, alone), fail } as App;

  let drawing = false;
  let frame = 0;
  let remembering = 0;
  let said: string[] = [];

  const write = () => {
    cancel(remembering);
    remembering = 0;
    store(storage, boot.session, {
      on: model.on,
      pins: model.notes,
      drafts: model.drafts,
      scroll: app.reloader.scroll(),
      ui: model.ui,
    });
  };
  const guarded = (act: () => void) => () => {
    try {
      act();
    } catch (error) {
      fail(error);
    }
  };

  app.update = () => {
    if (drawing) return;
    drawing = true;
    queueMicrotask(
      guarded(() => {
        drawing = false;
        app.toolbar.draw();
        app.banner.draw();
        app.pins.draw();
        app.list.draw();
        app.composer.draw();
        app.card.draw();
        retargeting.consider();
        guardLeaving();
        watch.check();
        app.layout();
      }),
    );
  };
  app.layout = () => {
    if (frame !== 0) return;
    frame = nextFrame(
      guarded(() => {
        frame = 0;
        app.picker.draw();
        app.pins.place();
        app.composer.place();
        app.card.place();
        app.bubble.place();
        app.choices.place();
        watch.check();
      }),
    );
  };
  app.remember = () => {
    if (remembering === 0) remembering = later(guarded(write), REMEMBER_MS);
  };
  app.announce = (text) => {
    said.push(text);
    if (said.length > 1) return;
    // Messages of one moment are read as one; a changed text is what makes a live region speak.
    later(() => {
      const next = said.join(". ");
      said = [];
      setText(live, live.textContent === next ? `${next}\u00a0` : next);
    }, 50);
  };

  app.keys = createKeys(app);
  const listen = () => {
    app.shield.install();
    app.bubble.listen();
    listenToPage();
  };
  app.mount = createMount(boot.origin, () => {
    listen();
    app.update();
  });
  app.shield = createShield(app.mount.element, app.mount.shadow, app.keys.guard, fail);
  app.reloader = createReloader(app, write);
  app.notes = createNotes(app);
  app.incoming = createIncoming(app);
  app.images = createImages(app);
  app.composer = createComposer(app);
  app.picker = createPicker(app);
  app.pins = createPins(app);
  app.card = createCard(app);
  app.list = createList(app);
  app.message = createMessagePanel(app);
  app.choices = createChoices(app);
  app.toolbar = createToolbar(app);
  app.banner = createBanner(app);
  app.bubble = createBubble(app);
  const watch = createWatch(
    app,
    () => model.on || app.pins.isTracking() || app.bubble.isShown() || app.choices.isTracking(),
  );
  const retargeting = createRetargeting(app);

  app.link = createLink(boot, app.api, {
    frame: (name, data) => guarded(() => heard(app, name, data))(),
    list: (data) => {
      app.incoming.list(data);
      retargeting.consider();
    },
    state(next, reason) {
      const before = model.connection;
      model.connection = next;
      model.endReason = reason ?? model.endReason;
      if (next === "live") {
        model.policyBlocked = false;
        app.notes.retry();
        if (before === "offline") app.announce("Connection restored");
      } else if (next === "offline" && before !== "offline") app.announce("Connection to the preview lost");
      else if (next === "ended" && before !== "ended") {
        // What became of the notes that were with the agent.
        void app.incoming.refresh();
        app.announce(["Session ended", reasonWords(reason)].filter((part) => part !== null).join(". "));
      }
      if (!canAnnotate(app)) app.picker.stop();
      app.update();
    },
    reconnected: () => void app.incoming.refresh(),
    reload: () => app.reloader.now(),
  });

  const hidden = () => {
    write();
    app.link.stop();
  };
  const shown = (event: Event) => {
    if ((event as PageTransitionEvent).persisted) void alone.then(app.link.start);
  };
  const isOpen = () =>
    model.connection !== "ended" &&
    (app.composer.hasText() ||
      app.message.hasText() ||
      model.notes.some((note) => note.state === "saving" || note.state === "unsaved"));
  const asks = (event: Event) => {
    if (isOpen() && !app.reloader.isLeaving()) event.preventDefault();
  };
  // Only while there is something to lose: the mere listener keeps some browsers from their page cache.
  const guardLeaving = () => {
    if (isOpen()) page.addListener(window, "beforeunload", asks, false);
    else page.removeListener(window, "beforeunload", asks, false);
  };
  const blocked = (event: Event) => {
    const { effectiveDirective, blockedURI } = event as SecurityPolicyViolationEvent;
    if (effectiveDirective !== "connect-src" || !blockedURI.startsWith(boot.origin)) return;
    model.policyBlocked = true;
    app.update();
  };
  const visibility = () => {
    app.link.visibility();
    app.update();
  };
  const listenToPage = () => {
    page.addListener(window, "pagehide", hidden, false);
    page.addListener(window, "pageshow", shown, false);
    page.addListener(window, "online", app.link.wake, false);
    page.addListener(document, "visibilitychange", visibility, false);
    page.addListener(document, "securitypolicyviolation", blocked, false);
  };

  app.mount.root.append(
    app.picker.catcher,
    app.pins.layer,
    app.picker.layer,
    app.choices.layer,
    app.toolbar.element,
    app.banner.element,
    app.list.element,
    app.composer.element,
    app.card.element,
    app.bubble.element,
    app.pins.element,
    live,
  );
  listen();
  app.reloader.restore(saved.scroll);
  if (saved.scroll?.own === true) app.announce("Screen reloaded");
  if (saved.on && boot.page !== "/") app.picker.start(false);
  app.update();
  void alone.then(app.link.start);
}

function heard(app: App, name: FrameName, data: string): void {
  if (name === "session-ended") return;
  if (name === "screen-changed") {
    app.reloader.request();
    return;
  }
  const value: unknown = JSON.parse(data);
  const hear = { annotations: "states", reply: "reply", agent: "agent", ask: "ask", notes: "rev" } as const;
  app.incoming[hear[name]](value);
}

try {
  const boot = readBoot();
  if (boot !== null && !isRunning()) start(boot);
} catch (error) {
  fail(error);
}
