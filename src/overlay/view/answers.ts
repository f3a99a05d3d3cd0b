import type { Answer } from "../../kernel/shared/annotate-wire.ts";
import { button, h, icon, setHidden } from "../page/dom.ts";

/** What the agent said about a note, oldest first: always under a word that says who speaks, as text (15.8, 18). */
export interface Answers {
  element: HTMLElement;
  draw(answers: readonly Answer[]): void;
}

const LEADS: Record<Answer["kind"], string> = {
  done: "Agent:",
  reply: "Agent:",
  declined: "Agent: declined:",
  question: "The agent asks:",
};

/** Longer texts show this many lines, and the rest when asked. */
const LONG = 240;
const LINES = 6;

export function createAnswers(): Answers {
  const element = h("div.answers", { hidden: true });
  let drawn = "";
  return {
    element,
    draw(answers) {
      const said = answers.filter(({ text }) => text !== undefined);
      setHidden(element, said.length === 0);
      const key = JSON.stringify(said);
      if (key === drawn) return;
      drawn = key;
      element.replaceChildren(...said.map(answerOf));
    },
  };
}

function answerOf({ kind, text = "" }: Answer): HTMLElement {
  const words = h("bdi.answer-text", {}, text);
  return h("div.answer", {}, h("strong.answer-lead", {}, LEADS[kind]), words, moreButton(words, text));
}

/** Who speaks, above what they say. */
export const agentHead = (words: string, ...more: HTMLElement[]): HTMLElement =>
  h("div.reply-head", {}, icon("agent"), h("strong", {}, words), ...more);

/** The agent's latest reply; `draw` is cheap while it is the same. */
export function createReply(): { text: HTMLElement; more: HTMLElement; draw(text: string): void } {
  const text = h("bdi.reply-text answer-text");
  const more = h("span");
  return {
    text,
    more,
    draw(said) {
      if (text.textContent === said) return;
      text.textContent = said;
      more.replaceChildren(moreButton(text, said));
    },
  };
}

/** Shows the lines beyond the first six; hidden where there are none. */
export function moreButton(words: HTMLElement, text: string): HTMLButtonElement {
  const more = button("button small quiet more-text", "More", () => {
    const open = !words.classList.contains("whole");
    words.classList.toggle("whole", open);
    more.textContent = open ? "Less" : "More";
    more.setAttribute("aria-expanded", String(open));
  });
  more.setAttribute("aria-expanded", "false");
  setHidden(more, text.length <= LONG && text.split("\n").length <= LINES);
  return more;
}
