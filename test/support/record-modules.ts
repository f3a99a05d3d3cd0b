// Preloaded by bun in test/cli/loading.test.ts: appends every module a run loads to the file in JIG_TEST_MODULES.
import { appendFileSync, readFileSync } from "node:fs";
import { plugin } from "bun";

const record = process.env["JIG_TEST_MODULES"]!;

plugin({
  name: "record modules",
  setup(build) {
    build.onLoad({ filter: /\.(ts|js|mjs|cjs)$/ }, ({ path }) => {
      appendFileSync(record, `${path}\n`);
      return { contents: readFileSync(path, "utf8"), loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
});
