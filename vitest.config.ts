import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import LongestFirst from "./test/support/sequencer.ts";

const BROWSER = "test/browser/**/*.test.ts";

export default defineConfig({
  test: {
    alias: { "fast-check": join(import.meta.dirname, "test/support/properties.ts") },
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    sequence: { sequencer: LongestFirst },
    // One for each core of a small machine: a browser test that waits for its page must not wait for three others.
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // No test gets the per-user roots in /tmp by default: a place that does not exist stands for it.
    env: { JIG_TMP_ROOT: process.env["JIG_TMP_ROOT"] ?? join(tmpdir(), "jig-tests-name-their-own-root") },
    reporters: ["default", "./test/support/failures-reporter.ts"],
    projects: [
      // A test that fails once in ten runs has found something: nothing is tried again.
      {
        extends: true,
        test: { name: "jig", include: ["test/**/*.test.ts"], exclude: ["test/bench/**", BROWSER] },
      },
      // But for Chromium's own hiccups on two busy cores: a second try, and the end of the run names who needed it.
      { extends: true, test: { name: "browser", include: [BROWSER], retry: 1 } },
    ],
  },
});
