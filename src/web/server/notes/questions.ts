import type { Ask } from "../../../kernel/shared/annotate-wire.ts";
import type { JsonObject } from "../../../kernel/text/json.ts";

/**
 * The one question an agent may ask of the whole screen (docs/spec/web.md 9). It is open until a verdict on it is
 * accepted, another is asked, or the agent waits without it; a verdict that is taken back opens it again.
 */
export interface Questions {
  readonly open: Ask | null;
  /** Asked again in the same words it is the same question, also while the agent has its answer still to come. */
  ask(question: string, choices: string[]): Ask;
  /** A wait of jig's that carries this id, or none. */
  waits(id: string | null): void;
  /** Whether a note with this context may be taken now: not a second verdict. */
  accepts(context: JsonObject | undefined): boolean;
  /** A verdict of this id was accepted or sent again. */
  answered(noteId: string, context: JsonObject | undefined): void;
  /** It was taken back. */
  withdrawn(noteId: string): void;
  end(): void;
}

/** `isUnread`: whether the agent has yet to be handed this note. */
export function makeQuestions(
  now: () => number,
  isUnread: (noteId: string) => boolean,
  changed: () => void,
): Questions {
  let asked: Ask | null = null;
  /** The note that answers it. */
  let verdict: string | null = null;

  const set = (nextAsk: Ask | null, nextVerdict: string | null) => {
    const before = asked !== null && verdict === null ? asked : null;
    asked = nextAsk;
    verdict = nextVerdict;
    const after = asked !== null && verdict === null ? asked : null;
    if (before !== after) changed();
  };
  const isOnIt = (context: JsonObject | undefined) =>
    context?.["kind"] === "verdict" && asked !== null && context["ask"] === asked.id;

  return {
    get open() {
      return verdict === null ? asked : null;
    },
    ask(question, choices) {
      const isSame =
        asked?.question === question && JSON.stringify(asked.choices) === JSON.stringify(choices);
      if (asked !== null && isSame && (verdict === null || isUnread(verdict))) return asked;
      const next: Ask = {
        id: globalThis.crypto.randomUUID(),
        question,
        choices,
        at: new Date(now()).toISOString(),
      };
      set(next, null);
      return next;
    },
    waits(id) {
      if (asked !== null && id !== asked.id) set(null, null);
    },
    accepts: (context) => context?.["kind"] !== "verdict" || (isOnIt(context) && verdict === null),
    answered(noteId, context) {
      if (isOnIt(context) && verdict === null) set(asked, noteId);
    },
    withdrawn(noteId) {
      if (verdict === noteId) set(asked, null);
    },
    end: () => set(null, null),
  };
}

/** The longest question, and how many choices of which length it may have. */
const LONGEST_QUESTION = 300;
const CHOICES = { least: 2, most: 8, longest: 40 };

/** The text of a question, trimmed; undefined when there is none or it is too long. */
export function questionText(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text !== "" && [...text].length <= LONGEST_QUESTION ? text : undefined;
}

/** The names of choices, trimmed; none for none. Undefined when they are too few, too many, too long or the same. */
export function choiceNames(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((name) => typeof name === "string")) return undefined;
  const names = value.map((name: string) => name.trim());
  if (names.length === 0) return [];
  const fits = names.every((name) => name !== "" && [...name].length <= CHOICES.longest);
  const { length } = names;
  return fits && length >= CHOICES.least && length <= CHOICES.most && new Set(names).size === length
    ? names
    : undefined;
}
