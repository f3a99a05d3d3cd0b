/** Levenshtein distance with a limit: any number above `limit` means "too far". */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replace, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}

/** The candidate nearest to a mistyped word, or undefined when none is near enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  // A long word may be off by more letters than a short one and still be meant.
  const limit = Math.max(1, Math.min(3, Math.floor(word.length / 3) + 1));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance =
      candidate.startsWith(word) && word.length >= 3 ? 1 : editDistance(word, candidate, limit);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
