import { describe, expect, test } from "vitest";
import * as wire from "../../src/kernel/shared/annotate-wire.ts";
import { sourceFiles, withoutComments } from "../support/sources.ts";

const WIRE = "src/kernel/shared/annotate-wire.ts";
const files = sourceFiles("src");

/** What the overlay and the server say to each other is written once (docs/spec/web.md 8 to 12 and 15). */
describe("the contract between overlay and server", () => {
  test("stands on nothing, so that a browser and a server can both import it", () => {
    expect(files.find(({ path }) => path === WIRE)?.imports).toEqual([]);
  });

  test("is all that the overlay imports from outside", () => {
    const foreign = files
      .filter(({ path }) => path.startsWith("src/overlay/"))
      .flatMap(({ path, imports }) => imports.map(({ to }) => ({ path, to })))
      .filter(({ to }) => !to.startsWith("src/overlay/") && to !== WIRE);
    expect(foreign).toEqual([]);
  });

  test("is the only place that writes its addresses and attributes", () => {
    const paths = Object.entries(wire)
      .filter(([name]) => /_(PATH|ATTRIBUTE|PARAMETER)$|^RESERVED$/.test(name))
      .map(([, value]) => String(value));
    const repeating = files.filter(({ path, text }) => {
      if (path === WIRE) return false;
      const code = withoutComments(text);
      return paths.some((word) =>
        [`"${word}"`, `}${word}\``, `}${word}?`].some((form) => code.includes(form)),
      );
    });
    expect(repeating.map(({ path }) => path)).toEqual([]);
  });
});
