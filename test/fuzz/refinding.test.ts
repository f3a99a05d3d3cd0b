/** Finding targets again on generated pages (docs/spec/web.md 15.10): some in the suite, 10,000 by hand. */
import { expect, test } from "vitest";
import { firstFault, refindingPage } from "../browser/refind/page.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { LONG, SEED } from "./time-box.ts";

const browser = useBrowser();
const PAGES = LONG ? 10_000 : 300;
/** Pages in one call, so that the browser answers now and then. */
const AT_ONCE = 250;

test.skipIf(!hasBrowser)(
  "a note is on its own item or lost, never on another",
  { timeout: 1_200_000 },
  async () => {
    const page = await refindingPage(browser());
    for (let done = 0; done < PAGES; done += AT_ONCE)
      expect(await firstFault(page, SEED + done, Math.min(AT_ONCE, PAGES - done))).toBeNull();
  },
);
