import { describe, expect, test } from "vitest";
import { runJig, until } from "../support/run.ts";
import {
  hasBrowser,
  newContext,
  type OpenOptions,
  type Overlay,
  openPage,
  overlayOf,
  type Preview,
  startPreview,
  useBrowser,
  usePreview,
} from "./support.ts";

const browser = useBrowser();
const preview = usePreview();

let screens = 0;

async function show(html: string, options: Parameters<typeof newContext>[1] = {}): Promise<Overlay> {
  const name = `bar-${++screens}.html`;
  preview().write(name, html);
  const context = await newContext(browser(), options);
  return openPage(browser(), preview(), { path: `/${name}`, context } satisfies OpenOptions);
}

const CARDS =
  "<!doctype html><h1>Cards</h1><style>.card{height:60px;width:200px;border:1px solid}</style>" +
  ["One", "Two", "Three"].map((name) => `<div class="card">${name}</div>`).join("");

const openList = (overlay: Overlay) =>
  overlay
    .button(/^Notes/)
    .first()
    .click();

const ofPage = async (overlay: Overlay) => {
  const all = await preview().notes();
  const path = new URL(overlay.page.url()).pathname.slice(1);
  return all.filter(({ screen }) => screen === path);
};

describe.skipIf(!hasBrowser)("the bar and the composer", () => {
  test("overlay-15 annotate on and off, a note held: no button moves or changes its size", async () => {
    const overlay = await show(CARDS);
    const names = [/^Annotat/, /^Notes/, "Message", /^Send to agent/, "More"];
    const toolbar = overlay.host.getByRole("toolbar");
    const rects = () =>
      Promise.all(names.map((name) => toolbar.getByRole("button", { name }).first().boundingBox()));
    const before = await rects();
    await overlay.comment(overlay.on(".card:nth-of-type(1)"), "held");
    await overlay.pins.first().waitFor();
    for (let turn = 0; turn < 10; turn++) {
      await overlay.page.keyboard.press("Control+a");
      expect(await rects()).toEqual(before);
    }
  });

  test("overlay-16 a sent note is taken back until the agent has it", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS);
    const overlay = await openPage(browser(), own);
    await overlay.comment(overlay.on(".card:nth-of-type(1)"), "mine");
    await overlay.pin(1).waitFor();
    await overlay.button(/^Send to agent/).click();
    await until("the note to be sent", async () => (await own.notes())[0]!.state === "queued");
    await openList(overlay);
    await overlay.list.getByRole("button", { name: "Recall note 1" }).click();
    await until("the note to be back", async () => (await own.notes())[0]!.state === "held");
    await overlay.button(/^Send to agent/).click();
    const recall = overlay.list.getByRole("button", { name: "Recall note 1" });
    await recall.waitFor();
    // Taken, but not acknowledged yet; the page has not heard of it when the button is pressed.
    await overlay.page.route("**/recall", async (route) => {
      await fetch(`http://127.0.0.1:${own.port}/wait`, {
        headers: { "x-session-token": own.token, "x-jig-wait": "1" },
      });
      await route.continue();
    });
    await recall.click();
    await overlay.host.getByText("Note 1 is already with the agent.").waitFor();
  });

  test("overlay-17 every control of the page can be got at, at 1280 and 390 pixels, by scrolling and by Tab", async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `<p>Row ${at} <button>Do ${at}</button></p>`).join("");
    const html = `<!doctype html><meta name=viewport content="width=device-width"><style>body{margin-bottom:60px}footer{position:fixed;bottom:0;right:0;left:0;padding:8px;text-align:right;background:#eee}</style>
      <h1>Long</h1>${rows}<div style="display:flex;justify-content:flex-end"><a href="#end">End link</a></div><footer><button>Save</button></footer>`;
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 700 },
    ]) {
      const overlay = await show(html, { viewport });
      const { page } = overlay;
      const isHit = (selector: string, at: number) =>
        page.evaluate(
          ([one, index]) => {
            const element = document.querySelectorAll(one as string)[index as number]!;
            const box = element.getBoundingClientRect();
            const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return top === element || element.contains(top);
          },
          [selector, at],
        );
      // The bar is open now, as after a press; the person looks at the page again.
      await page.mouse.move(20, 20);
      await page.mouse.click(20, 20);
      const all = await page.locator("css:light=button,a").count();
      for (const at of [0, Math.floor(all / 2), all - 3, all - 2, all - 1]) {
        await page.evaluate(
          (index) =>
            document
              .querySelectorAll("button,a")
              [index]!.scrollIntoView({ block: "center", behavior: "instant" }),
          at,
        );
        await until(`control ${at} to be free at ${viewport.width}`, () => isHit("button,a", at), 4000);
        await page.evaluate(
          (index) => (document.querySelectorAll("button,a")[index] as HTMLElement).focus(),
          at,
        );
        await until(
          `focused control ${at} to be free at ${viewport.width}`,
          () => isHit("button,a", at),
          4000,
        );
      }
    }
  });

  test("overlay-19 the gestures are named until three notes were made", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS);
    const overlay = await openPage(browser(), own);
    const hint = overlay.host.getByText("Click a thing · drag an area · Shift-click for several");
    for (const at of [1, 2, 3]) {
      if (at === 1) await overlay.button("Annotate").click();
      await hint.waitFor();
      await overlay.comment(overlay.on(`.card:nth-of-type(${at})`), `note ${at}`);
      await overlay.pin(at).waitFor();
    }
    expect(await hint.isVisible()).toBe(false);
    expect(await overlay.button("Freeze").isVisible()).toBe(true);
  });

  test("overlay-20 three cards by mouse and by keyboard: one note, three targets, three outlines", async () => {
    const overlay = await show(CARDS);
    const { page } = overlay;
    await overlay.button("Annotate").click();
    const at = async (card: number) => {
      const box = (await overlay.on(`.card:nth-of-type(${card})`).boundingBox())!;
      return [box.x + 100, box.y + 40] as const;
    };
    await page.keyboard.down("Shift");
    for (const card of [1, 2]) await page.mouse.click(...(await at(card)));
    await page.keyboard.up("Shift");
    await page.mouse.click(...(await at(3)));
    await overlay.field.waitFor();
    expect(await overlay.host.locator(".mark:not([hidden]):not(.collected)").count()).toBe(3);
    await page.keyboard.type("all three");
    await page.keyboard.press("Control+Enter");
    await overlay.field.waitFor({ state: "hidden" });

    await page.mouse.move(...(await at(1)));
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await overlay.field.waitFor();
    await page.keyboard.type("again");
    await page.keyboard.press("Control+Enter");
    const notes = await until("both notes", async () => {
      const found = await ofPage(overlay);
      return found.length === 2 ? found : undefined;
    });
    for (const note of notes) {
      expect(await page.locator(`css:light=${note.selector}`).textContent()).toBe("One");
      expect(note.context!["targets"]).toMatchObject([{ text: "Two" }, { text: "Three" }]);
    }
  });

  test("overlay-23 a pin hides under what stands still over it, and comes back", async () => {
    const html = `<!doctype html><style>header{position:sticky;top:0;height:80px;background:#fff;z-index:2}.card{position:relative;height:90px}.card a{position:absolute;inset:0}</style>
      <header>Head</header><p id=text style="margin-top:60px">Some text</p><div class="card"><b id=title>Card</b><a href="#x" aria-label="open"></a></div>
      <div style="height:2000px"></div><dialog id=box style="width:90vw;height:80vh">Modal</dialog>`;
    const overlay = await show(html);
    const { page } = overlay;
    await overlay.comment(overlay.on("#text"), "under the header", { x: 6, y: 6 });
    await page.keyboard.press("Control+a");
    await preview().post("/annotation", {
      page: new URL(page.url()).pathname,
      comment: "under a link",
      selector: "#title",
      client_id: "title",
    });
    const under = (comment: string) =>
      overlay.host.getByRole("button", { name: new RegExp(`: ${comment}$`) });
    await under("under the header").waitFor();
    await under("under a link").waitFor();
    await page.evaluate(() => scrollTo({ top: 100, behavior: "instant" }));
    await under("under the header").waitFor({ state: "hidden" });
    await under("under a link").waitFor();
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    await under("under the header").waitFor();
    await page.evaluate(() => (document.querySelector("#box") as HTMLDialogElement).showModal());
    await under("under the header").waitFor({ state: "hidden" });
    await page.evaluate(() => (document.querySelector("#box") as HTMLDialogElement).close());
    await under("under the header").waitFor();
  });

  test("overlay-24 forced colours, a small sharp window, right to left, touch: all in the bar, large enough, pressed is seen", async () => {
    const ways = [
      { forcedColors: "active" as const },
      { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
      { rtl: true },
      { hasTouch: true, isMobile: true, viewport: { width: 640, height: 400 } },
    ];
    for (const { rtl, ...options } of ways as (Parameters<typeof newContext>[1] & { rtl?: boolean })[]) {
      const overlay = await show(rtl ? CARDS.replace("<h1>", "<html dir=rtl><h1>") : CARDS, options);
      const bar = overlay.host.getByRole("toolbar");
      const dock = (await overlay.host.locator(".dock").boundingBox())!;
      for (const button of await bar.getByRole("button").all()) {
        const box = (await button.boundingBox())!;
        expect(box.x).toBeGreaterThanOrEqual(dock.x - 0.5);
        expect(box.x + box.width).toBeLessThanOrEqual(dock.x + dock.width + 0.5);
        if (options?.hasTouch) expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(43.5);
      }
      const width = await overlay.page.evaluate(() => innerWidth);
      expect(dock.x).toBeGreaterThanOrEqual(0);
      expect(dock.x + dock.width).toBeLessThanOrEqual(width);
      if (options?.forcedColors !== "active") continue;
      const annotate = bar.getByRole("button", { name: /^Annotat/ });
      const look = () =>
        annotate.evaluate((one) => [
          getComputedStyle(one).borderTopStyle,
          getComputedStyle(one, "::after").content,
        ]);
      const before = await look();
      await annotate.click();
      const after = await look();
      expect(after).toEqual(["double", '"✓"']);
      expect(after).not.toEqual(before);
    }
  });

  test("overlay-25 new controls have a role and a name; what happens is said once", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS);
    const overlay = await openPage(browser(), own);
    await overlay.comment(overlay.on(".card:nth-of-type(1)"), "note");
    await overlay.pin(1).waitFor();
    await overlay.button("Message").click();
    for (const [role, name] of [
      ["dialog", "Message"],
      ["textbox", "What should the agent know?"],
      ["button", "Image"],
      ["button", "Send message and 1 note"],
      ["button", "Close message"],
      ["button", "Freeze"],
    ] as const)
      await overlay.host.getByRole(role, { name, exact: true }).waitFor();
    expect(await overlay.button("Send message and 1 note").isDisabled()).toBe(true);
    await overlay.button("Close message").click();
    await overlay.button("Send to agent 1").click();
    await until("the note to be sent", async () => (await own.notes())[0]!.state === "queued");
    await own.wait();
    await own.wait("--declined", "1:not now", "--timeout", "0.2");
    const said = () => overlay.said();
    await until("the outcome", async () => (await said()).some((words) => /declined: not now/i.test(words)));
    await own.wait("--timeout", "0.2");
    await overlay.host.getByText("No agent is waiting").first().waitFor();
    const times = (await said()).join(" | ").split(/declined: not now/i).length - 1;
    expect(times).toBe(1);
  });

  test("overlay-21 all tabs closed past the grace and one opened again: the session goes on; not after the person's end", async () => {
    const env = { CE_LIGHT_WEB_SSE_GRACE_MS: "400" };
    const own: Preview = await startPreview({ env });
    own.write("001.html", CARDS);
    const context = await newContext(browser());
    const first = await openPage(browser(), own, { context });
    await first.comment(first.on(".card:nth-of-type(1)"), "before");
    await first.pin(1).waitFor();
    await first.page.close();
    const status = async () => JSON.parse((await runJig(["web", "status", "--root", own.root])).stdout);
    await until("the session to end", async () => (await status()).session_end_reason === "connection-lost");
    // A navigation alone does not bring it back.
    const nav = { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate", accept: "text/html" };
    await fetch(`http://127.0.0.1:${own.port}/`, { headers: nav });
    const waited = await fetch(`http://127.0.0.1:${own.port}/wait`, {
      headers: { "x-session-token": own.token },
    });
    // What was not sent is handed over at the end, then it says so.
    expect([200, 410]).toContain(waited.status);
    const page = await context.newPage();
    await page.goto(own.url);
    const again = overlayOf(page);
    await again.comment(again.on(".card:nth-of-type(2)"), "after");
    await again.pin(2).waitFor();
    await again.pin(1).waitFor();
    expect(await status()).not.toHaveProperty("session_end_reason");
    expect((await own.wait("--timeout", "0.3")).code).toBe(3);
    await again.fromMenu("End session");
    await again.button("Send 1 note and end").click();
    await again.host.getByText("You ended it").first().waitFor();
    await page.reload();
    await again.host.getByText("You ended it").first().waitFor();
    expect(await status()).toMatchObject({ session_end_reason: "user-ended" });
  });
});
