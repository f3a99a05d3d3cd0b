const TERMINATION = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export type TerminationSignal = (typeof TERMINATION)[number];

/**
 * Take over the signals that ask a long-lived process to end. The first one calls `first`; any later one ends the
 * process at once with the code a shell gives it.
 */
export function onTermination(first: (signal: TerminationSignal) => void): void {
  const numbers: Record<TerminationSignal, number> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
  let seen = false;
  for (const name of TERMINATION) {
    process.on(name, () => {
      if (seen) process.exit(128 + numbers[name]);
      seen = true;
      first(name);
    });
  }
}
