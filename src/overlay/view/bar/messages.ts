import type { App, Notice } from "../../app.ts";
import { button, group, h, icon, setHidden, setText } from "../../page/dom.ts";
import { cancel, later } from "../../page/timers.ts";
import { agentHead, createReply } from "../answers.ts";

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

  const said = createReply();
  const read = () => {
    model.ui.replyRead = model.reply?.at ?? null;
    app.remember();
    app.update();
  };
  const closeReply = button("icon-button", icon("close"), read, { "aria-label": "Close reply" });
  const reply = group(
    "reply-panel",
    "Reply from the agent",
    agentHead("Agent:", h("span.spring"), closeReply),
    said.text,
    said.more,
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
      said.draw(model.reply?.text ?? "");
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
