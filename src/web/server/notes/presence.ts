import type { Presence } from "../../../kernel/shared/annotate-wire.ts";

/** Whether an agent is there, and since when it was heard of and took what it works on (docs/spec/web.md 12.1). */
export interface PresenceTrack {
  /** The agent called. */
  heard(): void;
  /** So many of its waits are parked. */
  parked(count: number): void;
  /** It got a batch. */
  took(): void;
  /** It works on nothing any more. */
  finished(): void;
  readonly current: Presence;
  stop(): void;
}

/** An agent between two waits counts as present this long. */
const PRESENCE_MS = 3000;

export function makePresence(monotonic: () => number, changed: () => void): PresenceTrack {
  let waiting = false;
  let seenAt: number | undefined;
  let takenAt: number | undefined;
  let absence: ReturnType<typeof setTimeout> | undefined;
  const age = (at: number | undefined) => (at === undefined ? null : Math.round(monotonic() - at));

  const show = (next: boolean) => {
    if (next === waiting) return;
    waiting = next;
    changed();
  };

  return {
    heard() {
      const first = seenAt === undefined;
      seenAt = monotonic();
      if (first) changed();
    },
    parked(count) {
      clearTimeout(absence);
      seenAt = monotonic();
      if (count > 0) show(true);
      else absence = setTimeout(() => show(false), PRESENCE_MS);
    },
    took() {
      takenAt = monotonic();
      changed();
    },
    finished() {
      if (takenAt === undefined) return;
      takenAt = undefined;
      changed();
    },
    get current() {
      return { waiting, seen_ms: age(seenAt), taken_ms: age(takenAt) };
    },
    stop: () => clearTimeout(absence),
  };
}
