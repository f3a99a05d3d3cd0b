import { type NoteImage, PLAIN_CHOICES } from "../../../kernel/shared/annotate-wire.ts";
import type { App } from "../../app.ts";
import { canAnnotate } from "../../can-annotate.ts";
import { button, h, icon, setAttribute, setHidden, setText } from "../../page/dom.ts";
import * as page from "../../page/page.ts";
import { count } from "../../target/text.ts";
import type { Anchor } from "../../types.ts";
import { agentHead } from "../answers.ts";
import { createAttachments } from "../write/attachments.ts";
import { isMac, writingField } from "../write/composer-view.ts";

/** What the person tells the agent of the screen as a whole: a message, or the answer to its question (15.17). */
export interface MessagePanel {
  element: HTMLElement;
  open(): void;
  /** Open with what was chosen; nothing is sent by choosing. */
  choose(choice: string): void;
  /** Have a text back that the server refused. */
  reopen(text: string, images: readonly NoteImage[], message: string): void;
  close(): boolean;
  hasText(): boolean;
  /** The choice that Send would send. */
  chosen(): string | null;
  draw(): void;
}

/** The choices of the open question: what is sent, and the button's words. */
export function choicesOf({ model }: App): [value: string, words: string][] {
  if (model.ask === null) return [];
  return model.ask.choices.length === 0
    ? Object.entries(PLAIN_CHOICES)
    : model.ask.choices.map((name) => [name, name]);
}

export function createMessagePanel(app: App): MessagePanel {
  const { model } = app;
  let chosen: { ask: string; choice: string } | null = null;
  let error = "";
  let focusBefore: HTMLElement | null = null;

  const asks = "What should the agent know?";
  const field = writingField(
    asks,
    asks,
    () => {
      error = "";
      keep();
      app.update();
    },
    () => submit(),
  );
  const attachments = createAttachments(
    app,
    field,
    () => element,
    (refused) => {
      error = refused;
      keep();
      app.update();
    },
  );
  const asked = createAsked(app, h("div.asked"), (value) => pick(value));
  const problem = h("div.composer-error", { role: "alert", hidden: true });
  const send = button("button primary", "", () => submit());
  const hint = h("div.composer-hint");
  const close = button("icon-button", icon("close"), () => hide(), { "aria-label": "Close message" });
  const title = h("h2", {}, "Message");
  const element = h(
    "div.message panel",
    { role: "dialog", "aria-modal": "false", "aria-label": "Message", hidden: true },
    h("div.list-head", {}, title, h("span.spring"), close),
    asked.element,
    field,
    attachments.element,
    problem,
    hint,
    h("div.composer-actions", {}, attachments.button, h("span.spring"), send),
  );

  const anchor = (): Anchor => ({
    page: app.boot.page,
    selector: "body",
    textSnippet: null,
    variant: null,
    rect: null,
    point: null,
    context: { kind: "message" },
  });
  const draftKey = () => `message ${app.boot.page}`;
  const draft = () => model.drafts.find(({ key }) => key === draftKey());
  const dropDraft = () => {
    model.drafts = model.drafts.filter(({ key }) => key !== draftKey());
  };
  const keep = () => {
    dropDraft();
    const images = attachments.images();
    if (field.value.trim() !== "" || images.length > 0)
      model.drafts = [
        ...model.drafts,
        { key: draftKey(), anchor: anchor(), text: field.value, images, editOf: null },
      ];
    app.remember();
  };

  const isOpen = () => model.panel === "message";
  const choice = () => (chosen !== null && chosen.ask === model.ask?.id ? chosen.choice : null);

  const open = () => {
    if (isOpen() || !canAnnotate(app)) return;
    focusBefore = app.mount.focused();
    field.value = draft()?.text ?? "";
    attachments.set(draft()?.images ?? []);
    error = "";
    model.panel = "message";
    draw();
    field.focus(page.dict({ preventScroll: true }));
    field.setSelectionRange(field.value.length, field.value.length);
    app.update();
    app.layout();
  };

  const hide = () => {
    const inside = app.mount.holdsFocus(element);
    keep();
    model.panel = null;
    draw();
    if (inside) app.keys.returnFocus(focusBefore);
    focusBefore = null;
    app.update();
    app.reloader.check();
  };

  const submit = () => {
    if (attachments.isBusy() || !canAnnotate(app)) return;
    const text = field.value.trim();
    const images = attachments.images();
    const picked = choice();
    const { ask } = model;
    if (picked !== null && ask !== null) {
      const words = choicesOf(app).find(([value]) => value === picked)?.[1] ?? picked;
      const context = { kind: "verdict", ask: ask.id, question: ask.question, choice: picked } as const;
      const comment = text === "" ? words : `${words}\n${text}`;
      clear();
      app.notes.add({ ...anchor(), context }, { comment, images }, true);
    } else if (text === "") return;
    else {
      clear();
      app.notes.add(anchor(), { comment: text, images }, true);
    }
    hide();
  };

  const clear = () => {
    field.value = "";
    attachments.set([]);
    chosen = null;
    dropDraft();
  };

  const pick = (value: string) => {
    if (model.ask === null) return;
    chosen = choice() === value ? null : { ask: model.ask.id, choice: value };
    error = "";
    app.update();
  };

  /** The button's words: what goes (`Send message and 2 notes`). */
  const words = (): string => {
    const unsent = app.notes.unsent().length;
    return `Send ${choice() === null ? "message" : "answer"}${unsent === 0 ? "" : ` and ${count(unsent, "note")}`}`;
  };

  const draw = () => {
    setHidden(element, !isOpen());
    if (!isOpen()) return;
    asked.draw(model.ask !== null);
    setText(send, words());
    const unsent = app.notes.unsent().length;
    setText(hint, `${isMac ? "⌘" : "Ctrl"} Enter sends ${unsent === 0 ? "it" : `all ${unsent + 1}`}`);
    send.disabled =
      (choice() === null && field.value.trim() === "") || attachments.isBusy() || !canAnnotate(app);
    setText(problem, error);
    setHidden(problem, error === "");
  };

  return {
    element,
    open,
    choose(value) {
      if (model.ask === null) return;
      chosen = { ask: model.ask.id, choice: value };
      open();
      app.announce(`${choicesOf(app).find(([one]) => one === value)?.[1] ?? value} chosen, not sent`);
      app.update();
    },
    reopen(text, images, message) {
      open();
      field.value = text;
      attachments.set(images);
      error = message;
      keep();
      app.announce(message);
      app.update();
    },
    close() {
      if (!isOpen()) return false;
      hide();
      return true;
    },
    hasText: () => isOpen() && (field.value.trim() !== "" || attachments.images().length > 0),
    chosen: choice,
    draw,
  };
}

/** The open question, wherever it is shown. */
export interface Asked {
  element: HTMLElement;
  draw(shown: boolean): void;
}

/** A button a choice, pressed where it is the chosen one; built anew only for another question. */
export function createAsked(app: App, element: HTMLElement, pick: (value: string) => void): Asked {
  const question = h("bdi.question-text");
  const choices = h("div.choices");
  element.append(agentHead("The agent asks:"), question, choices);
  let drawnFor = "";
  return {
    element,
    draw(shown) {
      setHidden(element, !shown);
      setText(question, app.model.ask?.question ?? "");
      const wanted = choicesOf(app);
      const key = JSON.stringify([app.model.ask?.id, wanted]);
      if (drawnFor !== key) {
        drawnFor = key;
        choices.replaceChildren(
          ...wanted.map(([value, text]) =>
            button("button choice", [icon("check"), h("bdi", {}, text)], () => pick(value), {
              "data-choice": value,
            }),
          ),
        );
      }
      for (const one of Array.from(choices.children))
        setAttribute(one, "aria-pressed", String(one.getAttribute("data-choice") === app.message.chosen()));
    },
  };
}
