import type { App } from "../app.ts";
import { reasonWords } from "../notes/words.ts";
import { button, group, h, icon, setAttribute, setHidden, setText } from "../page/dom.ts";
import { later } from "../page/timers.ts";

/** What the connection makes necessary to say, and the chip that offers a reload (15.11, 15.10). */
export interface Banner {
  element: HTMLElement;
  draw(): void;
}

const SLOW_MS = 2000;

export function createBanner(app: App): Banner {
  const { model } = app;
  let slow = false;
  later(() => {
    slow = true;
    if (model.connection === "connecting") app.update();
  }, SLOW_MS);

  const title = h("strong", {});
  const text = h("span", {});
  const banner = group("banner", "Connection", icon("alert"), title, text);
  const reload = button("update-chip", [icon("retry"), h("span", {}, "Screen updated — reload")], () =>
    app.reloader.now(),
  );
  setHidden(reload, true);
  const element = h("div.top", {}, banner, reload);

  const words = (): [string, string] | null => {
    if (model.policyBlocked && model.connection !== "live")
      return ["", "The screen’s own policy blocks the preview connection."];
    switch (model.connection) {
      case "connecting":
        return slow ? ["", "Connecting…"] : null;
      case "offline":
        return ["", "Connection to the preview lost — retrying. Your notes are kept."];
      case "locked":
        return ["", "View only — open the private link from your agent to annotate"];
      case "ended": {
        const reason = reasonWords(model.endReason);
        return [
          "Session ended",
          `${reason === null ? "" : `${reason}. `}Ask your agent to open the preview again`,
        ];
      }
      default:
        return null;
    }
  };

  return {
    element,
    draw() {
      const said = words();
      setHidden(banner, said === null);
      setAttribute(banner, "data-state", model.connection);
      setText(title, said?.[0] ?? "");
      setHidden(title, (said?.[0] ?? "") === "");
      setText(text, said?.[1] ?? "");
      setHidden(reload, !model.updateWaiting || model.connection === "ended");
    },
  };
}
