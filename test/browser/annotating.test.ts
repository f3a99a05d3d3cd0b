import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import {
  fixture,
  hasBrowser,
  type OpenOptions,
  type Overlay,
  openPage,
  type Record,
  unhurried,
  useBrowser,
  usePreview,
} from "./support.ts";

const browser = useBrowser();
const preview = usePreview();

async function show(name: string, text: string, options: OpenOptions = {}): Promise<Overlay> {
  preview().write(name, text);
  return openPage(browser(), preview(), { path: `/${name}`, ...options });
}

/** What the overlay posts, read off the wire. */
function bodies(overlay: Overlay): { [name: string]: unknown }[] {
  const seen: { [name: string]: unknown }[] = [];
  overlay.page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/annotation"))
      seen.push(request.postDataJSON());
  });
  return seen;
}

async function lastNote(): Promise<Record> {
  return (await preview().notes()).at(-1)!;
}

async function drag(overlay: Overlay, from: [number, number], to: [number, number]) {
  const { mouse } = overlay.page;
  await mouse.move(...from);
  await mouse.down();
  await mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  await mouse.move(...to);
  await mouse.up();
}

describe.skipIf(!hasBrowser)("annotating", () => {
  test("web-38 a click on the child of a link comments on it instead of following the link", async () => {
    const overlay = await show("link page.html", fixture("document.html"));
    const { page } = overlay;
    const sent = bodies(overlay);
    await page.evaluate(() => history.pushState(null, "", "/somewhere/else"));
    const address = page.url();
    await overlay.button("Annotate").click();
    const box = (await overlay.on("#link i").boundingBox())!;
    await page.mouse.click(box.x + 4, box.y + 4);
    await overlay.field.fill("Say where it leads");
    await overlay.button("Add note").click();
    await until("the note to be sent", () => sent.length === 1);
    expect(page.url()).toBe(address);
    const [body] = sent;
    expect(Object.keys(body!)).toEqual([
      "page",
      "comment",
      "selector",
      "textSnippet",
      "rect",
      "point",
      "context",
      "client_id",
    ]);
    expect(body).toMatchObject({
      page: "/link%20page.html",
      comment: "Say where it leads",
      selector: "i",
      textSnippet: "Read more",
      context: { kind: "element", label: 'text "Read more"', html: "<i>" },
    });
    expect(Object.keys(body!["point"] as object)).toEqual([
      "x",
      "y",
      "viewportWidth",
      "viewportHeight",
      "scrollX",
      "scrollY",
    ]);
    expect(body!["client_id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("web-39 selectors name what will last: an id, a plain class, never a hash, and each of four siblings apart", async () => {
    const overlay = await show("selectors.html", fixture("document.html"));
    const select = async (selector: string): Promise<string> => {
      const count = (await preview().notes()).length;
      await overlay.comment(overlay.on(selector), "x");
      await until("the note", async () => (await preview().notes()).length > count);
      return (await lastNote()).selector;
    };
    expect(await select("#save")).toBe("#save");
    const buy = await select(".btn-primary");
    expect(buy).toContain("btn-primary");
    expect(buy).not.toContain("css-1q2w3e");
    const siblings = [];
    for (const at of [1, 2, 3, 4]) siblings.push(await select(`.cards div:nth-of-type(${at})`));
    expect(new Set(siblings).size).toBe(4);
    for (const [at, selector] of siblings.entries())
      expect(await overlay.page.evaluate((made) => document.querySelector(made)?.textContent, selector)).toBe(
        ["One", "Two", "Three", "Four"][at],
      );
    const generated = await select("p:nth-of-type(2)");
    expect(generated).not.toContain("r1");
    expect(await overlay.page.evaluate((made) => document.querySelector(made)?.textContent, generated)).toBe(
      "Generated id",
    );
  });

  test("web-40 regions, texts, nested variants; a password stays where it was typed", async () => {
    const overlay = await show("kinds.html", fixture("document.html"));
    const { page } = overlay;
    const sent = bodies(overlay);
    await overlay.button("Annotate").click();
    const cards = (await overlay.on(".cards").boundingBox())!;
    const box = { x: Math.round(cards.x) + 2, y: Math.round(cards.y) - 4, width: 130, height: 70 };
    await drag(overlay, [box.x, box.y], [box.x + box.width, box.y + box.height]);
    await overlay.field.fill("Too cramped");
    await page.keyboard.press("Control+Enter");
    await until("the region", () => sent.length === 1);
    expect(sent[0]).toMatchObject({ rect: box, context: { kind: "region" } });
    const covers = (sent[0]!["context"] as { covers: string[] }).covers;
    expect(
      await page.evaluate((made) => made.map((one) => document.querySelector(one)?.textContent), covers),
    ).toEqual(["One", "Two"]);

    await overlay.comment(overlay.on("[data-ce-variant=inner] button"), "In both");
    await until("the variant", () => sent.length === 2);
    expect(sent[1]!["variant"]).toEqual(["outer", "inner"]);

    await overlay
      .on("#secret")
      .fill("hunter2-typed")
      .catch(() => {});
    await overlay.comment(overlay.on("#secret"), "Offer to show it");
    await overlay.comment(overlay.on("#form"), "All of it");
    await until("the fields", () => sent.length === 4);
    expect(JSON.stringify(sent)).not.toContain("hunter2");
    expect(sent[2]).toMatchObject({ textSnippet: "Secret" });

    await overlay.button("Annotating").click();
    await overlay.on(".intro").evaluate((element) => {
      const range = document.createRange();
      range.setStart(element.firstChild!, 6);
      range.setEnd(element.querySelector("b")!.firstChild!, 3);
      getSelection()!.removeAllRanges();
      getSelection()!.addRange(range);
    });
    await overlay.button("Comment").click();
    await overlay.field.fill("Which sales?");
    await page.keyboard.press("Control+Enter");
    await until("the text", () => sent.length === 5);
    expect(sent[4]).toMatchObject({
      textSnippet: "went up by twe",
      context: { kind: "text", quote: { exact: "went up by twe", prefix: "Sales " } },
    });
    expect(
      await page.evaluate((made) => document.querySelector(made)?.className, String(sent[4]!["selector"])),
    ).toBe("intro");
  });

  test("a region of less than six pixels is a click, Esc cancels a drag, empty space is allowed", async () => {
    const overlay = await show("drag.html", fixture("document.html"));
    const { page } = overlay;
    await overlay.button("Annotate").click();
    const save = (await overlay.on("#save").boundingBox())!;
    await drag(overlay, [save.x + 4, save.y + 4], [save.x + 7, save.y + 7]);
    await overlay.composer.getByText('Comment on button "Save"').waitFor();
    await page.keyboard.press("Escape");

    await page.mouse.move(600, 600);
    await page.mouse.down();
    await page.mouse.move(700, 700);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    expect(await overlay.composer.count()).toBe(0);

    await drag(overlay, [700, 20], [900, 90]);
    await overlay.composer.getByText("Comment on region").waitFor();
    await overlay.field.fill("Put something here");
    await page.keyboard.press("Control+Enter");
    await until("the note", async () => (await lastNote())?.comment === "Put something here");
    expect((await lastNote()).selector).toBe("body");
  });

  test("web-44 keyboard alone: find, comment, send, each step said; the same over a modal dialog", async () => {
    const overlay = await show("modal.html", fixture("modal.html"));
    const { page } = overlay;
    await page.evaluate(() => {
      (window as unknown as { keys: string[] }).keys = [];
      document.addEventListener("keydown", (event) =>
        (window as unknown as { keys: string[] }).keys.push(event.key),
      );
    });
    await page.keyboard.press("Control+a");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    for (const key of ["a", "m", "/", "?", "1"]) await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await page.keyboard.type("modal words");
    await page.keyboard.press("Control+Shift+Enter");
    const record = await taken("modal words");
    expect(record).toMatchObject({ comment: "modal words", selector: "#save" });
    const said = async () => (await overlay.said()).join(" | ");
    await until("the agent's start to be said", async () => (await said()).includes("Agent is working on"));
    for (const words of [
      "Annotate on",
      'button "Save"',
      'button "Open"',
      "added, not sent",
      "sent to the agent",
    ])
      expect(await said()).toContain(words);
    // Only the keys pressed before annotate was on, and none of the overlay's own.
    expect(await page.evaluate(() => (window as unknown as { keys: string[] }).keys)).toEqual(["Control"]);

    await page.keyboard.press("Escape");
    // By keyboard, too: where the pointer is decides where annotate begins.
    await overlay.on("#open").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.type("in the dialog");
    await page.keyboard.press("Control+Shift+Enter");
    const inside = await taken("in the dialog");
    const dialog = await page.evaluate(
      (made) => document.querySelector(made)?.closest("dialog")?.id,
      inside.selector,
    );
    expect([inside.selector, dialog]).toEqual([inside.selector, "dialog"]);
    await overlay.pins.last().waitFor();
  });

  const taken = (comment: string): Promise<Record> =>
    until(comment, async () => (await preview().take()).find((note) => note.comment === comment));

  test("with annotate on, focus in a field of the page and every printable key change nothing", async () => {
    const overlay = await show("typing.html", fixture("document.html"));
    const { page } = overlay;
    await overlay.on("input[name=id]").focus();
    await overlay.button("Annotate").click();
    await overlay.on("input[name=id]").focus();
    for (const key of ["x", "7", " ", "Backspace", "Enter"]) await page.keyboard.press(key);
    expect(await overlay.on("input[name=id]").inputValue()).toBe("");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("secret");
    await overlay.chip.getByText('text field "Secret"').waitFor();
  });

  test("Ctrl+A in a field selects its text and nothing else", async () => {
    const overlay = await show("select-all.html", fixture("document.html"));
    await overlay.on("input[name=id]").fill("all of it");
    await overlay.page.keyboard.press("Control+a");
    await overlay.page.keyboard.type("new");
    expect(await overlay.on("input[name=id]").inputValue()).toBe("new");
    expect(await overlay.button("Annotate").getAttribute("aria-pressed")).toBe("false");
  });

  test("web-59 a menu that only :hover opens can be picked from, and nothing of the page is left changed", async () => {
    const menu = `<!doctype html><style>
      nav { width: 120px; padding: 10px; background: #ddd } nav ul { display: none; margin: 0 } nav:hover ul { display: block }
      nav:not(:hover) { opacity: .5 } a:hover { color: red }
    </style><h1>Menu</h1><nav>Menu<ul><li id="item">First item</li></ul></nav><p style="margin-top:300px">Far away</p>`;
    const overlay = await show("hover.html", menu, { context: await unhurried(browser()) });
    const { page } = overlay;
    const state = () =>
      page.evaluate(() => [
        document.body.outerHTML.replace(/<ce-annotate-host.*<\/ce-annotate-host>/, ""),
        [...document.styleSheets].map((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)),
        document.adoptedStyleSheets.length,
      ]);
    const before = await state();
    await page.mouse.move(30, 110);
    const nav = (await overlay.on("nav").boundingBox())!;
    await page.mouse.move(nav.x + 20, nav.y + 12);
    await overlay.on("#item").waitFor();
    await page.keyboard.press("Control+a");
    await page.mouse.move(500, 500);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await overlay.on("#item").isVisible()).toBe(true);
    const item = (await overlay.on("#item").boundingBox())!;
    await page.mouse.click(item.x + 5, item.y + 5);
    await overlay.composer.getByText("First item").waitFor();
    await page.keyboard.press("Escape");
    await page.mouse.move(500, 500);
    await page.keyboard.press("Escape");
    await overlay.on("#item").waitFor({ state: "hidden" });
    expect(await state()).toEqual(before);
  });

  test("a scripted menu stays open while annotating, and hears that the pointer left afterwards", async () => {
    const menu = `<!doctype html><div id="menu" style="width:200px;padding:20px;background:#ddd">Menu<p id="item" hidden>Item</p></div>
    <script>menu.onmouseenter = () => (item.hidden = false); menu.onmouseleave = () => (item.hidden = true)</script>`;
    const overlay = await show("scripted.html", menu);
    const { page } = overlay;
    await page.mouse.move(40, 30);
    await overlay.on("#item").waitFor();
    await page.keyboard.press("Control+a");
    await page.mouse.move(600, 500);
    await page.mouse.move(610, 510);
    expect(await overlay.on("#item").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await overlay.on("#item").waitFor({ state: "hidden" });
  });

  test("freezing pauses motion and media rules, and thaws them", async () => {
    const moving = `<!doctype html><style>@keyframes go { to { translate: 400px } } #box { width: 50px; height: 50px; background: #88f; animation: go 20s linear infinite }</style><div id="box"></div>`;
    const overlay = await show("moving.html", moving);
    const { page } = overlay;
    const state = () => page.evaluate(() => document.getElementById("box")!.getAnimations()[0]!.playState);
    await page.keyboard.press("Control+a");
    expect(await state()).toBe("paused");
    await page.keyboard.press("Escape");
    expect(await state()).toBe("running");
  });

  test("Shift and arrows go through what lies at the same spot", async () => {
    const layers = `<!doctype html><div id="under" style="position:absolute;left:50px;top:50px;width:200px;height:100px;background:#ddf">Under</div>
      <div id="over" style="position:absolute;left:50px;top:50px;width:200px;height:100px;background:#fdd">Over</div>`;
    const overlay = await show("layers.html", layers);
    const { page } = overlay;
    await overlay.button("Annotate").click();
    await page.mouse.move(150, 100);
    await overlay.chip.getByText('box "Over"').waitFor();
    await page.keyboard.press("Shift+ArrowDown");
    await overlay.chip.getByText('box "Under"').waitFor();
    expect(await overlay.chip.textContent()).toContain("2/2");
    await page.keyboard.press("Shift+ArrowUp");
    await overlay.chip.getByText('box "Over"').waitFor();
  });

  test("what the pointer means: labels without pointer events count, see-through covers and invisible elements do not", async () => {
    const covered = `<!doctype html><style>body { margin: 0 }</style>
      <canvas id="chart" width="300" height="200" style="position:absolute;left:40px;top:40px;background:#eef"></canvas>
      <div id="label" style="position:absolute;left:80px;top:80px;background:#fff;pointer-events:none">Peak</div>
      <div id="cover" style="position:fixed;inset:0"></div>
      <div id="ghost" style="position:absolute;left:40px;top:40px;width:300px;height:200px;background:red;opacity:0"></div>`;
    const overlay = await show("covered.html", covered);
    const { page } = overlay;
    await overlay.button("Annotate").click();
    await page.mouse.move(95, 90);
    await overlay.chip.getByText('box "Peak"').waitFor();
    await page.mouse.move(250, 200);
    await overlay.chip.getByText("canvas").waitFor();
    await page.mouse.move(800, 500);
    await overlay.chip.getByText("page", { exact: true }).waitFor();
    // Over the overlay's own controls nothing of the page is pointed at.
    await overlay.button("Annotating").hover();
    await overlay.chip.waitFor({ state: "hidden" });
  });

  test("the wheel scrolls what lies under the pointer, the page where nothing else does", async () => {
    const overlay = await show("wheel.html", fixture("long.html"));
    const { page } = overlay;
    await overlay.button("Annotate").click();
    const box = (await overlay.on("#box").boundingBox())!;
    await page.mouse.move(box.x + 50, box.y + 50);
    await page.mouse.wheel(0, 120);
    await until("the box to scroll", () => overlay.on("#box").evaluate((element) => element.scrollTop > 0));
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.mouse.move(box.x + 50, box.y + box.height + 200);
    await page.mouse.wheel(0, 300);
    await until("the page to scroll", () => page.evaluate(() => scrollY > 0));
  });

  test("pins follow scrolling, nested scrolling, layout changes and hiding; clicks pass through them", async () => {
    const overlay = await show("pins.html", fixture("long.html"));
    const { page } = overlay;
    const count = (await preview().notes()).length;
    await overlay.comment(overlay.on("#box p"), "in the box", { x: 60, y: 100 });
    const pin = overlay.pin(count + 1);
    await pin.waitFor();
    await page.keyboard.press("Escape");
    const at = async () => (await pin.boundingBox())!.y;
    const start = await at();
    await overlay.on("#box").evaluate((element) => (element.scrollTop = 20));
    await until("the pin to follow the box", async () => Math.round((await at()) - start) === -20);
    await page.evaluate(() => document.body.style.setProperty("padding-top", "80px"));
    await until("the pin to follow the layout", async () => Math.round((await at()) - start) === 30);
    await overlay.on("#box").evaluate((element) => (element.scrollTop = 700));
    await pin.waitFor({ state: "hidden" });
    await overlay.on("#box").evaluate((element) => (element.scrollTop = 0));
    await pin.waitFor();
    await page.evaluate(() => {
      (window as unknown as { clicks: number }).clicks = 0;
      const box = document.getElementById("box")!;
      box.addEventListener("click", () => (window as unknown as { clicks: number }).clicks++);
      // What shows that it can be pressed keeps its clicks.
      box.style.cursor = "pointer";
    });
    const box = (await pin.boundingBox())!;
    await until("a click to reach the page", async () => {
      await page.mouse.click(box.x + 13, box.y + 13);
      return (await page.evaluate(() => (window as unknown as { clicks: number }).clicks)) > 0;
    });
    // The comment shows while the pointer rests there, and Esc puts it away.
    await overlay.host.locator(".card").getByText("in the box").waitFor();
    await page.keyboard.press("Escape");
    await overlay.host.locator(".card").waitFor({ state: "hidden" });
    await overlay.on("#box").evaluate((element) => element.setAttribute("hidden", ""));
    await pin.waitFor({ state: "hidden" });
  });

  test("a target in an open shadow root is named from its host inwards", async () => {
    const card = `<!doctype html><h1>Shadow</h1><my-card id="card"></my-card><script>
      customElements.define("my-card", class extends HTMLElement { constructor() { super();
        this.attachShadow({ mode: "open" }).innerHTML = '<style>button { margin: 20px }</style><div><button class="go">Go</button><button class="stop">Stop</button></div>' } })</script>`;
    const overlay = await show("shadow.html", card);
    const { page } = overlay;
    await overlay.comment(page.locator("my-card .stop"), "Wrong word");
    await until("the note", async () => (await lastNote())?.comment === "Wrong word");
    expect(await lastNote()).toMatchObject({
      selector: "#card",
      context: { shadow: ["button.stop"], label: 'button "Stop"' },
    });
    const pin = (await overlay.pins.last().boundingBox())!;
    const stop = (await page.locator("my-card .stop").boundingBox())!;
    expect(Math.abs(pin.x - (stop.x + stop.width / 2))).toBeLessThan(3);
  });

  test("web-56 a target in a frame of the same origin says which file is in it", async () => {
    preview().write(
      "parts/card.html",
      `<body style="margin:0"><h2>Card</h2><button class="buy">Buy</button></body>`,
    );
    const overlay = await show(
      "framed.html",
      `<!doctype html><h1>Frame</h1><iframe id="card" src="/parts/card.html" style="margin:30px;border:5px solid"></iframe>`,
    );
    const { page } = overlay;
    const buy = page.frameLocator("#card").locator(".buy");
    await buy.waitFor();
    expect(await page.frameLocator("#card").locator("ce-annotate-host").count()).toBe(0);
    await overlay.comment(buy, "Cheaper");
    await until("the note", async () => (await lastNote())?.comment === "Cheaper");
    expect(await lastNote()).toMatchObject({
      selector: "#card",
      textSnippet: "Buy",
      context: { frame: { selector: "button.buy", page: "/parts/card.html" } },
    });
    const pin = (await overlay.pins.last().boundingBox())!;
    const target = (await buy.boundingBox())!;
    expect(Math.abs(pin.x - (target.x + target.width / 2))).toBeLessThan(3);
  });
});
