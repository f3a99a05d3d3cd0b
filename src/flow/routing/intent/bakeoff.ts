/** How many candidates a request wants compared (docs/spec/flow.md 11.4). */

const FEWEST = 2;
const MOST = 4;

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const COUNTED = new Set(["candidate", "candidates", "model", "models", "plan", "plans"]);

/** The words that ask for a comparison, as they stand one after another. */
const PHRASES = [["bake", "off"], ["bakeoff"], ["compare", "models"], ["parallel", "plan"]];

/** Two to four, two when the request gives no number; null for one that asks for no comparison. Linear. */
export function bakeoffRequested(request: string): number | null {
  const words = request.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const asks = PHRASES.some((phrase) =>
    words.some((_, at) => phrase.every((word, offset) => isWord(words[at + offset], word))),
  );
  if (!asks) return null;
  const at = words.findIndex(
    (word, index) => index > 0 && COUNTED.has(word) && numberOf(words[index - 1]!) !== null,
  );
  const number = at === -1 ? FEWEST : numberOf(words[at - 1]!)!;
  return Math.min(Math.max(number, FEWEST), MOST);
}

/** In the plural, too: two bake-offs are still a comparison. */
function isWord(word: string | undefined, wanted: string): boolean {
  return word === wanted || word === `${wanted}s`;
}

function numberOf(word: string): number | null {
  if (/^\d+$/.test(word)) return Number(word);
  const index = WORDS.indexOf(word);
  return index === -1 ? null : index + 1;
}
