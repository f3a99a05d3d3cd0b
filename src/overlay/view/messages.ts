import type { App } from "../app.ts";
import { button, h, icon, setHidden, setText } from "../page/dom.ts";

/** What appears beside the toolbar: the agent's reply, and lines about what failed or can be undone. */
export interface Messages {
  reply: HTMLElement;
  notice: HTMLElement;
  draw(): void;
}

/** Whether there is a reply the person has not closed, nor seen in the list. */
export const hasUnread = ({ model }: App): boolean =>
  model.reply !== null && model.ui.replyRead !== model.reply.at;

export function createMessages(app: App): Messages {
  const { model } = app;
  const dismiss = () => {
    const { notice } = model;
    model.notice = null;
    app.update();
    return notice;
  };
  const noticeText = h("span");
  const action = button("button small", "", () => dismiss()?.action?.run());
  const close = button("icon-button", icon("close"), () => void dismiss(), { "aria-label": "Dismiss" });
  const notice = h("div.notice panel", { role: "status", hidden: true }, noticeText, action, close);

  const replyText = h("div.reply-text", { dir: "auto" });
  const read = () => {
    model.ui.replyRead = model.reply?.at ?? null;
    app.remember();
    app.update();
  };
  const closeReply = button("icon-button", icon("close"), read, { "aria-label": "Close reply" });
  const reply = h(
    "div.reply-panel panel",
    { role: "group", "aria-label": "Reply from the agent", hidden: true },
    h("div.reply-head", {}, icon("agent"), h("strong", {}, "Agent"), h("span.spring"), closeReply),
    replyText,
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
      setText(replyText, model.reply?.text ?? "");
    },
  };
}
