import type { App } from "./app.ts";
import * as page from "./page/page.ts";
import { later, nextFrame, now } from "./page/timers.ts";

const SETTLE_MS = 1500;

/** Follows the page while something of the overlay stands on it; costs nothing otherwise (15.15). */
export interface Watch {
  /** Start or stop as needed. */
  check(): void;
}

export function createWatch(app: App, isNeeded: () => boolean): Watch {
  let running = false;
  let movingUntil = 0;
  let refresh = 0;
  const again = () => app.layout();

  const changed = () => {
    again();
    if (refresh === 0)
      refresh = later(() => {
        refresh = 0;
        if (!running) return;
        app.pins.refresh();
        app.choices.draw();
      }, 120);
  };

  // A transition moves things without any event in between.
  const moving = () => {
    const idle = now() > movingUntil;
    movingUntil = now() + SETTLE_MS;
    if (idle) follow();
  };
  const follow = () => {
    if (!running || now() > movingUntil) return;
    again();
    nextFrame(follow);
  };

  const mutations = new MutationObserver(changed);
  const sizes = typeof ResizeObserver === "function" ? new ResizeObserver(again) : null;
  const listeners: [EventTarget | null, string, () => void][] = [
    [window, "scroll", again],
    [window, "resize", again],
    [window, "load", changed],
    [window, "transitionrun", moving],
    [window, "animationstart", moving],
    [visualViewport, "resize", again],
    [visualViewport, "scroll", again],
  ];

  const start = () => {
    running = true;
    const html = page.htmlOf(document);
    mutations.observe(
      html,
      page.dict({ subtree: true, childList: true, characterData: true, attributes: true }),
    );
    sizes?.observe(html);
    for (const [target, type, listener] of listeners)
      if (target !== null)
        page.addListener(target, type, listener, page.dict({ capture: true, passive: true }));
  };

  const stop = () => {
    running = false;
    mutations.disconnect();
    sizes?.disconnect();
    for (const [target, type, listener] of listeners)
      if (target !== null) page.removeListener(target, type, listener, true);
  };

  return {
    check() {
      const needed = isNeeded();
      if (needed && !running) start();
      else if (!needed && running) stop();
    },
  };
}
