import type { Host } from "../../src/kernel/call/host.ts";

/** What a test host collected on stderr. */
export interface TestHost extends Host {
  readonly errors: string[];
}

/** A Host for unit tests: a given directory and environment, a fixed clock, stderr collected. */
export function testHost(overrides: Partial<Host> = {}): TestHost {
  const errors: string[] = [];
  return {
    cwd: "/",
    env: { JIG_TMP_ROOT: process.env["JIG_TMP_ROOT"] },
    home: undefined,
    uid: process.geteuid?.(),
    platform: process.platform,
    pid: process.pid,
    parentPid: process.ppid,
    launcherPid: undefined,
    prefix: "jig test: ",
    invokedAs: undefined,
    now: () => Date.now(),
    stdin: async () => new Uint8Array(),
    stdinWithin: async () => new Uint8Array(),
    stderr: (text) => void errors.push(text),
    terminal: () => ({ isTerminal: false, width: 80, colour: false }),
    interruption: () => new AbortController().signal,
    run: () => Promise.reject(new Error("this test host runs no commands")),
    catalogue: async () => ({ dropInNames: () => [], readOnlyCalls: async () => [] }),
    parse: () => Promise.reject(new Error("this test host parses no commands")),
    ...overrides,
    errors,
  };
}
