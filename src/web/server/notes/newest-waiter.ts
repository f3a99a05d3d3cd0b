/** Earlier ones remembered, for those that are between two questions when a newer one comes. */
const REMEMBERED = 256;

/**
 * Which of jig's waits is the newest (docs/spec/web.md 11.2). A host that gives a wait up often leaves its process alive:
 * whoever reads the notes now is behind the wait that was started last.
 */
export interface NewestWaiter {
  /** A wait asks, the first time or again. */
  arrives(waiter: string): "newest" | "superseded";
}

export function makeNewestWaiter(): NewestWaiter {
  const earlier = new Set<string>();
  let newest: string | undefined;
  return {
    arrives(waiter) {
      if (earlier.has(waiter)) return "superseded";
      if (newest !== undefined && newest !== waiter) earlier.add(newest);
      if (earlier.size > REMEMBERED) earlier.delete(earlier.values().next().value!);
      newest = waiter;
      return "newest";
    },
  };
}
