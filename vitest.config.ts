import { defineConfig } from "vitest/config";
import LongestFirst from "./test/support/sequencer.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    sequence: { sequencer: LongestFirst },
    maxWorkers: 3, // many tests wait for timers and children
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Real processes, browsers and kills on a shared runner: one stumble is looked at again before it counts.
    retry: process.env["CI"] ? 2 : 0,
    reporters: ["default", "./test/support/failures-reporter.ts"],
  },
});
