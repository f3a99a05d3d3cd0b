import type { EndReason } from "../../kernel/shared/annotate-wire.ts";
import type { Owner } from "../state/owner.ts";
import type { Clock, Times } from "./config.ts";
import { wasSuspended } from "./notes/tabs.ts";

/** Decides when a server has served its purpose (docs/spec/web.md 13.2). */
export interface Lifecycle {
  active(): void;
  stop(): void;
}

export function startLifecycle(
  times: Times,
  clock: Clock,
  owner: Owner | undefined,
  /** Waits parked now count as activity. */
  isWaitedFor: () => boolean,
  shutdown: (reason: EndReason) => void,
): Lifecycle {
  let activeAt = clock.monotonic();
  let tickAt = clock.monotonic();
  let tickWall = clock.now();
  let checking = false;

  async function check() {
    const suspended = wasSuspended(tickAt, tickWall, times.lifecycle, clock);
    tickAt = clock.monotonic();
    tickWall = clock.now();
    if (suspended || isWaitedFor()) activeAt = tickAt;
    if (owner !== undefined && (await owner.isGone())) return shutdown("owner-exited");
    if (clock.monotonic() - activeAt > times.idle) shutdown("idle");
  }

  const timer = setInterval(() => {
    if (checking) return;
    checking = true;
    void check().finally(() => {
      checking = false;
    });
  }, times.lifecycle);

  return {
    active() {
      activeAt = clock.monotonic();
    },
    stop: () => clearInterval(timer),
  };
}
