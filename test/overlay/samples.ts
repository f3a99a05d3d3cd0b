import type { Anchor, Note } from "../../src/overlay/types.ts";

export const anchor = (change: Partial<Anchor> = {}): Anchor => ({
  page: "/001.html",
  selector: "#save",
  textSnippet: "Save",
  variant: null,
  rect: null,
  point: null,
  context: {},
  ...change,
});

let made = 0;

export const note = (change: Partial<Note> = {}): Note => {
  const key = `key-${++made}`;
  return {
    key,
    id: key,
    clientId: null,
    number: made,
    comment: "words",
    state: "held",
    outcome: null,
    answers: [],
    images: [],
    looked: false,
    anchor: anchor(),
    seen: true,
    doneShown: 0,
    place: null,
    ...change,
  };
};
