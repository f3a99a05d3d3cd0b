import type { App, Notice } from "../../app.ts";
import { button, h, icon, setHidden, setText } from "../../page/dom.ts";
import { cancel, later } from "../../page/timers.ts";
import { moreButton } from "../answers.ts";

/** What appears beside the toolbar: the agent's reply, and lines about what failed or can be undone. */
export interface Messages {
  reply: HTMLElement;
  notice: HTMLElement;
  draw(): void;
  /** A notice that goes by itself, with focus on what it offers when focus was in the overlay. */
  offer(notice: Notice, ms: number): void;
}

/** Whether there is a reply the person has not closed, nor seen in the list. */
export const hasUnread = ({ model }: App): boolean =>
  model.reply !== null && model.ui.replyRead !== model.reply.at;

export function createMessages(app: App): Messages {
  const { model } = app;
  let timer = 0;
  const dismiss = () => {
    const inside = app.mount.holdsFocus(notice);
    const said = model.notice;
    model.notice = null;
    app.update();
    if (inside) app.keys.returnFocus(null);
    return said;
  };
  const noticeText = h("span");
  const action = button("button small", "", () => dismiss()?.action?.run());
  const close = button("icon-button", icon("close"), () => void dismiss(), { "aria-label": "Dismiss" });
  const notice = h("div.notice panel", { role: "status", hidden: true }, noticeText, action, close);

  const replyText = h("bdi.reply-text answer-text", { dir: "auto" });
  const replyMore = h("span");
  const read = () => {
    model.ui.replyRead = model.reply?.at ?? null;
    app.remember();
    app.update();
  };
  const closeReply = button("icon-button", icon("close"), read, { "aria-label": "Close reply" });
  const reply = h(
    "div.reply-panel panel",
    { role: "group", "aria-label": "Reply from the agent", hidden: true },
    h("div.reply-head", {}, icon("agent"), h("strong", {}, "Agent:"), h("span.spring"), closeReply),
    replyText,
    replyMore,
  );

  return {
    reply,
    notice,
    draw() {
      setHidden(notice, model.notice === null);
      setText(noticeText, model.notice?.text ?? "");
      setText(action, model.notice?.action?.label ?? "");
      setHidden(action, (model.notice?.action ?? null) === null);
      setHidden(reply, !hasUnread(app) || model.ui.listOpen);
      const text = model.reply?.text ?? "";
      if (replyText.textContent === text) return;
      setText(replyText, text);
      replyMore.replaceChildren(moreButton(replyText, text));
    },
    offer(next, ms) {
      const inside = app.mount.focused() !== null;
      model.notice = next;
      cancel(timer);
      timer = later(() => {
        if (model.notice === next) dismiss();
      }, ms);
      app.update();
      if (inside) later(() => action.focus(), 0);
    },
  };
}
