import { join } from "node:path";
import type { Browser, Page } from "playwright-core";

/** What `../programs/refinding.ts` puts into the page. */
export interface Refinding {
  judge(seed: number): string | null;
  readsPerText(notes: number): number;
  tryCase(
    before: string,
    selector: string,
    after: string,
    expected: string | null,
  ): { right: boolean; found: string | null; sure: boolean };
}

/** An empty page with re-finding in it. */
export async function refindingPage(browser: Browser): Promise<Page> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dirname, "../programs/refinding.ts")],
    target: "browser",
    format: "iife",
  });
  const page = await browser.newPage();
  await page.setContent("<!doctype html><title>Re-finding</title><body></body>");
  await page.addScriptTag({ content: await built.outputs[0]!.text() });
  return page;
}

/** The first fault among pages of these seeds; null when there is none. */
export function firstFault(page: Page, from: number, count: number): Promise<string | null> {
  return page.evaluate(
    ([first, many]) => {
      const { refinding } = window as unknown as { refinding: Refinding };
      for (let seed = first!; seed < first! + many!; seed++) {
        const fault = refinding.judge(seed);
        if (fault !== null) return fault;
      }
      return null;
    },
    [from, count],
  );
}
