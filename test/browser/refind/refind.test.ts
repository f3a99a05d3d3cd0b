import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { hasBrowser, useBrowser } from "../support.ts";
import { CASES } from "./cases.ts";
import { firstFault, type Refinding, refindingPage } from "./page.ts";

const browser = useBrowser();

describe.skipIf(!hasBrowser)("finding targets again", () => {
  let shared: Page | undefined;
  const page = async () => (shared ??= await refindingPage(browser()));
  afterAll(() => shared?.close());

  test.each(CASES)("$name", async ({ before, target, after, expected, sure, mayBeLost }) => {
    const result = await (await page()).evaluate(
      ([from, selector, to, wanted]) =>
        (window as unknown as { refinding: Refinding }).refinding.tryCase(from!, selector!, to!, wanted!),
      [before, target, after, expected],
    );
    if (mayBeLost && result.found === null) return;
    expect(result).toMatchObject({ right: true, ...(expected === null ? {} : { sure }) });
  });

  test("overlay-31 generated pages, up to four edits: never on another item, without an edit always sure", async () => {
    expect(await firstFault(await page(), 1, 2000)).toBeNull();
  }, 120_000);

  test("overlay-31 each text is read once, however many notes are looked for", async () => {
    const reads = await (await page()).evaluate(() =>
      (window as unknown as { refinding: Refinding }).refinding.readsPerText(50),
    );
    expect(reads).toBe(1);
  });
});
