import { printable } from "../../kernel/text/printable.ts";

/**
 * Makes a stream of untrusted bytes safe for a terminal: escape sequences are dropped whole, also when one is split
 * between two pieces, and of control characters only newline and tab stay (docs/spec/jobs.md 11.2).
 */
export function terminalFilter(): (piece: Uint8Array) => string {
  const decoder = new TextDecoder();
  let state: State = "text";
  return (piece) => {
    let out = "";
    for (const character of decoder.decode(piece, { stream: true })) {
      const { next, keep } = step(state, character);
      state = next;
      if (keep) out += character;
    }
    return out;
  };
}

/**
 * `text`: plain. `escape`: after ESC. `intermediate`: an escape with more to come before its final byte. `csi`: a
 * control sequence. `string`: an operating-system, device or application string, up to BEL or ST. `string-escape`:
 * after ESC in such a string.
 */
type State = "text" | "escape" | "intermediate" | "csi" | "string" | "string-escape";

const ESC = 0x1b;
const BEL = 0x07;
const CSI = 0x9b;
const ST = 0x9c;
const CANCEL = new Set([0x18, 0x1a]);
/** DCS, SOS, OSC, PM, APC as one C1 character; after ESC they are `P X ] ^ _`. */
const STRING_STARTS = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);

function step(state: State, character: string): { next: State; keep: boolean } {
  const code = character.codePointAt(0)!;
  const drop = (next: State) => ({ next, keep: false });
  if (state !== "text" && CANCEL.has(code)) return drop("text");
  switch (state) {
    case "text":
      if (code === ESC) return drop("escape");
      if (code === CSI) return drop("csi");
      if (STRING_STARTS.has(code)) return drop("string");
      return { next: "text", keep: isShown(character) };
    case "escape":
      if (code === ESC) return drop("escape");
      if (character === "[") return drop("csi");
      if ("PX]^_".includes(character)) return drop("string");
      if (code >= 0x20 && code <= 0x2f) return drop("intermediate");
      return afterSequence(character, code);
    case "intermediate":
      if (code >= 0x20 && code <= 0x2f) return drop("intermediate");
      return afterSequence(character, code);
    case "csi":
      if (code >= 0x20 && code <= 0x3f) return drop("csi");
      return afterSequence(character, code);
    case "string":
      if (code === BEL || code === ST) return drop("text");
      // A line end closes a string that was never finished: it must not swallow the rest of the log.
      if (character === "\n") return { next: "text", keep: true };
      return drop(code === ESC ? "string-escape" : "string");
    case "string-escape":
      if (character === "\n") return { next: "text", keep: true };
      return drop(character === "\\" ? "text" : code === ESC ? "string-escape" : "string");
  }
}

/** The final byte of a sequence belongs to it; anything that cannot be one ends it and is judged as text. */
function afterSequence(character: string, code: number): { next: State; keep: boolean } {
  if (code === ESC) return { next: "escape", keep: false };
  if (code >= 0x30 && code <= 0x7e) return { next: "text", keep: false };
  return { next: "text", keep: isShown(character) };
}

/** Newline, tab, and everything that `printable` leaves as it is. */
function isShown(character: string): boolean {
  return character === "\n" || character === "\t" || printable(character) === character;
}
