import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import {
  fixture,
  hasBrowser,
  newContext,
  type Overlay,
  openPage,
  useBrowser,
  usePreview,
} from "./support.ts";

const browser = useBrowser();
const preview = usePreview();

async function show(name: string, options: Parameters<typeof newContext>[1] = {}): Promise<Overlay> {
  preview().write(name, fixture("document.html"));
  const context = await newContext(browser(), options);
  return openPage(browser(), preview(), { context, path: `/${name}` });
}

const focused = (overlay: Overlay) =>
  overlay.host.evaluate((host) => {
    const active = host.shadowRoot!.activeElement;
    return active?.getAttribute("aria-label") ?? active?.textContent ?? null;
  });

describe.skipIf(!hasBrowser)("the overlay's own controls", () => {
  test("the toolbar moves to any corner, collapses, and stays so over a reload", async () => {
    const overlay = await show("corners.html");
    const { page } = overlay;
    const bar = overlay.host.getByRole("toolbar");
    const corner = async () => {
      const { x, y } = (await bar.boundingBox())!;
      return `${y < 380 ? "top" : "bottom"}-${x < 300 ? "left" : "right"}`;
    };
    expect(await corner()).toBe("bottom-right");
    const grip = (await overlay.host.locator(".grip").boundingBox())!;
    await page.mouse.move(grip.x + 8, grip.y + 12);
    await page.mouse.down();
    await page.mouse.move(300, 200);
    await page.mouse.move(60, 60);
    await page.mouse.up();
    await until("the move", async () => (await corner()) === "top-left");
    await page.reload();
    await bar.waitFor();
    expect(await corner()).toBe("top-left");
    await overlay.button("More").click();
    await overlay.button("Move toolbar").click();
    await until("the next corner", async () => (await corner()) === "top-right");
    await overlay.button("More").click();
    await overlay.button("Collapse").click();
    expect(await bar.isVisible()).toBe(false);
    await page.keyboard.press("Control+a");
    await page.reload();
    await overlay.button("Show toolbar").click();
    await overlay.button("Annotating").waitFor();
  });

  test("by keyboard: one stop, arrows within, Esc closes the innermost and gives focus back", async () => {
    const overlay = await show("roving.html");
    const { page } = overlay;
    await overlay.button("Annotate").focus();
    await page.keyboard.press("ArrowRight");
    expect(await focused(overlay)).toMatch(/^Notes/);
    await page.keyboard.press("End");
    expect(await focused(overlay)).toBe("More");
    await page.keyboard.press("ArrowRight");
    expect(await focused(overlay)).toBe("Annotate");
    expect(await overlay.host.getByRole("toolbar").locator('[tabindex="0"]').count()).toBe(1);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await overlay.button("Keyboard help").waitFor();
    await page.keyboard.press("ArrowUp");
    expect(await focused(overlay)).toBe("Keyboard help");
    await page.keyboard.press("Enter");
    await overlay.host.getByRole("group", { name: "Keyboard help" }).waitFor();
    await page.keyboard.press("Escape");
    await overlay.host.getByRole("group", { name: "Keyboard help" }).waitFor({ state: "hidden" });
    expect(await focused(overlay)).toBe("More");

    // Menu, then composer, then list, then annotate.
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await overlay.button("Annotating").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await overlay.list.waitFor();
    const save = (await overlay.on("#save").boundingBox())!;
    await page.mouse.click(save.x + 4, save.y + 4);
    await page.keyboard.type("draft");
    await page.keyboard.press("Escape");
    expect([await overlay.composer.count(), await overlay.list.isVisible()]).toEqual([0, true]);
    await page.keyboard.press("Escape");
    expect([await overlay.list.isVisible(), await overlay.button("Annotating").count()]).toEqual([false, 1]);
    await page.keyboard.press("Escape");
    await overlay.button("Annotate").waitFor();
    await overlay.host.getByRole("button", { name: 'Draft on button "Save"' }).waitFor();
  });

  test("what a screen reader finds: roles, names and states", async () => {
    const overlay = await show("names.html");
    await overlay.comment(overlay.on("#save"), "named");
    await overlay.pins.last().waitFor();
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    const tree = await overlay.host.ariaSnapshot();
    for (const line of [
      'toolbar "Annotate this page"',
      'button "Annotating" [pressed]',
      "[expanded]",
      'button "More"',
      'region "Notes"',
      'heading "Not sent" [level=3]',
      "listitem",
      "Note \\d+, not sent: named",
    ])
      expect(tree).toMatch(new RegExp(line.replace(/[[\]]/g, "\\$&")));
    const sizes = await overlay.host.evaluate((host) =>
      [...host.shadowRoot!.querySelectorAll("button")]
        .filter((one) => one.checkVisibility())
        .map((one) => one.getBoundingClientRect())
        .filter(({ width, height }) => width < 24 || height < 24),
    );
    expect(sizes).toEqual([]);
  });

  test("pins can be hidden, and the page opened without the overlay", async () => {
    const overlay = await show("plain page.html");
    const { page } = overlay;
    await overlay.comment(overlay.on("#save"), "hide me");
    await overlay.pins.last().waitFor();
    await overlay.button("More").click();
    await overlay.button("Hide pins").click();
    await until("no pins", async () => (await overlay.pins.count()) === 0);
    await overlay.button("More").click();
    const popup = page.context().waitForEvent("page");
    await overlay.host.getByRole("link", { name: "Open without overlay" }).click();
    const plain = await popup;
    await plain.waitForLoadState();
    expect(plain.url()).toBe(`${new URL(page.url()).origin}/plain%20page.html?__ce-annotate=off`);
    expect(await plain.locator("ce-annotate-host").count()).toBe(0);
    await overlay.button("More").click();
    await overlay.button("Show pins").click();
    await overlay.pins.last().waitFor();
  });

  test("touch: the first tap shows, the second comments; the chip's button does too", async () => {
    const overlay = await show("touch.html", {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 740 },
    });
    const { page } = overlay;
    await overlay.button("Annotate").tap();
    const save = (await overlay.on("#save").boundingBox())!;
    await page.touchscreen.tap(save.x + 10, save.y + 10);
    await overlay.chip.getByText('button "Save"').waitFor();
    expect(await overlay.composer.count()).toBe(0);
    const title = (await overlay.on("h1").boundingBox())!;
    await page.touchscreen.tap(title.x + 30, title.y + 10);
    await overlay.chip.getByText('heading "Quarterly report"').waitFor();
    await overlay.chip.getByRole("button", { name: "Comment" }).tap();
    await overlay.composer.getByText('Comment on heading "Quarterly report"').waitFor();
    const box = (await overlay.composer.boundingBox())!;
    expect(box.y + box.height).toBeGreaterThan(700);
    for (const control of await overlay.composer.getByRole("button").all()) {
      // Not the box on the screen, which is still growing into place.
      const [width, height] = await control.evaluate((one) => [
        (one as HTMLElement).offsetWidth,
        (one as HTMLElement).offsetHeight,
      ]);
      expect([width! >= 44, height! >= 44]).toEqual([true, true]);
    }
    await overlay.button("Cancel").tap();
    await page.touchscreen.tap(save.x + 10, save.y + 10);
    await page.touchscreen.tap(save.x + 10, save.y + 10);
    await overlay.composer.getByText('Comment on button "Save"').waitFor();
  });

  test("dark, calm and at 400 % zoom: chrome follows the person's settings, the page does not", async () => {
    const overlay = await show("dark.html", {
      colorScheme: "dark",
      reducedMotion: "reduce",
      viewport: { width: 320, height: 256 },
    });
    const dock = overlay.host.locator(".dock");
    expect(await dock.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      "rgb(27, 29, 35)",
    );
    expect(await overlay.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      "rgba(0, 0, 0, 0)",
    );
    await overlay.button("Annotate").click();
    await overlay.on("h1").evaluate((element) => scrollTo(0, element.getBoundingClientRect().top));
    await overlay.page.mouse.click(60, 60);
    const box = (await overlay.composer.boundingBox())!;
    expect([box.x >= 0, box.y >= 0, box.x + box.width <= 320, box.y + box.height <= 256]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(await overlay.composer.evaluate((element) => getComputedStyle(element).animationName)).toBe(
      "none",
    );
  });

  test("a page from the browser's history takes up its stream again", async () => {
    const overlay = await show("history.html");
    const { page } = overlay;
    await overlay.comment(overlay.on("#save"), "before");
    await overlay.pins.last().waitFor();
    await page.goto(`${preview().url}/version`);
    await page.goBack();
    await overlay.host.getByRole("toolbar").waitFor();
    await preview().post("/annotation", {
      comment: "meanwhile",
      selector: "h1",
      page: "/history.html",
      client_id: "h",
    });
    await overlay.host.getByRole("button", { name: /not sent: meanwhile$/ }).waitFor();
  });

  test("too many streams: the page says so, asks for states, and goes on", async () => {
    preview().write("busy.html", fixture("document.html"));
    const context = await newContext(browser());
    let refuse = true;
    await context.route("**/events*", (route) =>
      refuse
        ? route.fulfill({
            status: 503,
            headers: { "Retry-After": "5" },
            body: '{"error":"too many streams"}',
          })
        : route.continue(),
    );
    const overlay = await openPage(browser(), preview(), { context, path: "/busy.html" });
    await overlay.host.getByText("Too many open tabs — updates are slower").waitFor();
    await overlay.comment(overlay.on("#save"), "while busy");
    await overlay.host.getByRole("button", { name: /not sent: while busy$/ }).waitFor();
    refuse = false;
    await overlay.host.getByText("Too many open tabs").waitFor({ state: "hidden" });
  });

  test("a page with nothing to follow costs nothing: no timer, frame or observer runs", async () => {
    preview().write("idle.html", fixture("document.html"));
    const context = await newContext(browser());
    await context.addInitScript(() => {
      const counts = { timers: 0, frames: 0, observers: 0 };
      Object.assign(window, { counts });
      const { setTimeout: timeout, requestAnimationFrame: frame } = window;
      const Observer = MutationObserver;
      Object.assign(window, {
        setTimeout: (...words: Parameters<typeof timeout>) => {
          counts.timers++;
          return timeout(...words);
        },
        setInterval: () => counts.timers++,
        requestAnimationFrame: (act: FrameRequestCallback) => {
          counts.frames++;
          return frame(act);
        },
      });
      const { observe } = Observer.prototype;
      Observer.prototype.observe = function (...words) {
        if (words[0] === document.documentElement) counts.observers++;
        return observe.apply(this, words);
      };
    });
    const overlay = await openPage(browser(), preview(), { context, path: "/idle.html" });
    const counts = () =>
      overlay.page.evaluate(() => JSON.stringify((window as unknown as { counts: object }).counts));
    await overlay.page.waitForTimeout(3500);
    const before = await counts();
    await overlay.page.mouse.move(200, 200);
    await overlay.page.mouse.wheel(0, 50);
    await overlay.page.keyboard.press("Shift");
    await overlay.page.waitForTimeout(1500);
    expect(await counts()).toBe(before);
    expect(JSON.parse(before)).toMatchObject({ observers: 0 });
  });
});
