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

async function show(name: string, text: string): Promise<Overlay> {
  preview().write(name, text);
  return openPage(browser(), preview(), { path: `/${name}` });
}

const page = (body: string, head = "") =>
  `<!doctype html><html><head>${head}</head><body style="margin:60px"><h1>Screen</h1><button id="save">Save</button>${body}</body></html>`;

const lastNote = async () => (await preview().notes()).at(-1);

/** The whole loop on a page that fights it: a note arrives with the right words on the right element. */
async function works(overlay: Overlay, comment: string) {
  await overlay.comment(overlay.on("#save"), comment);
  await until(`the note "${comment}"`, async () => (await lastNote())?.comment === comment);
  expect((await lastNote())!.selector).toBe("#save");
  await overlay.pins.last().waitFor();
}

describe.skipIf(!hasBrowser)("screens that fool or break the overlay", () => {
  test("web-37 a hostile base, hostile styles and a page shortcut change nothing for the person who writes", async () => {
    const requests: string[] = [];
    preview().write("hostile.html", fixture("hostile.html"));
    const context = await newContext(browser());
    context.on("request", (request) => requests.push(request.url()));
    const overlay = await openPage(browser(), preview(), { context, path: "/hostile.html" });
    const bar = overlay.host.getByRole("toolbar");
    const looks = await bar.evaluate((element) => {
      const { fontSize, direction, visibility, backgroundColor } = getComputedStyle(element.parentElement!);
      const { width, height } = element.getBoundingClientRect();
      return { fontSize, direction, visibility, backgroundColor, wide: width > 200, flat: height < 60 };
    });
    expect(looks).toEqual({
      fontSize: "13px",
      direction: "ltr",
      visibility: "visible",
      backgroundColor: "rgb(255, 255, 255)",
      wide: true,
      flat: true,
    });
    // What is on top where the toolbar stands is the toolbar, and nothing dims the page behind it.
    const box = (await overlay.button("Annotate").boundingBox())!;
    const top = await overlay.page.evaluate(
      ([x, y]) => document.elementFromPoint(x!, y!)?.localName,
      [box.x + 5, box.y + 5],
    );
    expect(top).toBe("ce-annotate-host");
    await overlay.button("Annotate").click();
    const save = (await overlay.on("#save").boundingBox())!;
    await overlay.page.mouse.click(save.x + 5, save.y + 5);
    await overlay.page.keyboard.type("modal");
    expect(await overlay.field.inputValue()).toBe("modal");
    await overlay.page.keyboard.press("Control+Enter");
    await until("the note", async () => (await lastNote())?.comment === "modal");
    expect(await overlay.page.evaluate(() => (window as unknown as { pressed: string[] }).pressed)).toEqual(
      [],
    );
    const { origin } = new URL(overlay.page.url());
    expect(
      requests.filter((url) => !url.startsWith(origin) && url !== `${preview().url}/hostile.html`),
    ).toEqual([]);
  });

  test("polluted prototypes neither change what is sent nor what is shown", async () => {
    const overlay = await show(
      "polluted.html",
      page(
        "",
        `<script>
          Array.prototype.toJSON = function () { return "array" };
          Object.prototype.toJSON = function () { return "object" };
          String.prototype.toJSON = function () { return "string" };
          Object.prototype.body = "polluted"; Object.prototype.method = "DELETE"; Object.prototype.once = true;
          Object.prototype.steal = false; Object.prototype.passive = true; Object.prototype.mode = "closed";
          Object.prototype.get = function () { return 1 }; Object.prototype.class = "x"; Object.prototype.hidden = true;
          Object.defineProperty(Object.prototype, "state", { set() { throw new Error("state") }, configurable: true });
          Array.prototype.extra = "enumerable";
        </script>`,
      ),
    );
    await works(overlay, "clean");
    expect(await lastNote()).toMatchObject({
      textSnippet: "Save",
      context: { kind: "element" },
      rect: { height: expect.any(Number) },
    });
    await works(overlay, "twice: listeners are not once");
  });

  test("elements named like properties of forms and of the document", async () => {
    const overlay = await show(
      "clobbered.html",
      page(
        `<form id="form"><input name="getAttribute"><input name="parentNode"><input name="tagName"><input name="localName"><input name="children"><input name="querySelector">
          <button id="inner" type="button">Inner</button></form>
        <img name="body"><img name="documentElement"><img name="querySelector"><img name="querySelectorAll"><img name="createElement">
        <form name="currentScript"></form><img name="activeElement"><img name="elementsFromPoint"><img name="getSelection"><img name="addEventListener">`,
      ),
    );
    await works(overlay, "named");
    const box = await overlay.page.evaluate(() => {
      const inner = Document.prototype.querySelector.call(document, "#inner")!;
      const { x, y } = inner.getBoundingClientRect();
      return { x, y };
    });
    await overlay.page.mouse.click(box.x + 4, box.y + 4);
    await overlay.page.keyboard.press("Escape");
    await overlay.page.keyboard.press("ArrowUp");
    await overlay.chip.getByText("form").waitFor();
  });

  test("a content policy that forbids every style and connection but its own", async () => {
    const strict = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'none'; connect-src 'self'; require-trusted-types-for 'script'">`;
    const overlay = await show("policy.html", page("", strict));
    const bar = overlay.host.getByRole("toolbar");
    expect(await bar.evaluate((element) => getComputedStyle(element).display)).toBe("flex");
    await works(overlay, "under a policy");
  });

  test("a policy that forbids connections is named", async () => {
    const overlay = await show(
      "cut.html",
      page("", `<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">`),
    );
    await overlay.host.getByText("The screen’s own policy blocks the preview connection.").waitFor();
  });

  test("a page that replaces fetch and EventSource, and its own document, keeps the overlay", async () => {
    const overlay = await show(
      "replaced.html",
      page(
        `<script>window.fetch = () => Promise.reject(new Error("mine")); window.EventSource = function () { throw new Error("mine") }</script>`,
      ),
    );
    // The overlay runs after the page's scripts, so only a later replacement can be kept out.
    await overlay.host.getByRole("toolbar").waitFor();
    const other = await show("later.html", page(""));
    await other.page.evaluate("fetch = () => Promise.reject(new Error('mine')); EventSource = class {}");
    await works(other, "later");
  });

  test("the host removed, the document emptied and rewritten: it comes back, with its text", async () => {
    const overlay = await show("removed.html", page(""));
    const { page: tab } = overlay;
    await overlay.button("Annotate").click();
    const save = (await overlay.on("#save").boundingBox())!;
    await tab.mouse.click(save.x + 5, save.y + 5);
    await tab.keyboard.type("half a tho");
    await tab.evaluate(() => document.querySelector("ce-annotate-host")!.remove());
    await until("the host to be back", () =>
      tab.evaluate(() => document.querySelector("ce-annotate-host")?.isConnected),
    );
    await until("its field to have focus", () =>
      overlay.field.evaluate((field) => field === (field.getRootNode() as ShadowRoot).activeElement),
    );
    await tab.keyboard.type("ught");
    expect(await overlay.field.inputValue()).toBe("half a thought");
    await tab.evaluate(() => {
      document.open();
      document.write("<!doctype html><h1>Rewritten</h1><button id=save>Save</button>");
      document.close();
    });
    await overlay.field.waitFor();
    await overlay.field.press("Control+Enter");
    await until("the note", async () => (await lastNote())?.comment === "half a thought");
    const times = await tab.evaluate(async () => {
      let back = 0;
      const end = performance.now() + 1000;
      while (performance.now() < end) {
        const host = document.querySelector("ce-annotate-host");
        if (host !== null) {
          back++;
          host.remove();
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return back;
    });
    expect(times).toBeLessThanOrEqual(7);
  });

  test("a second overlay script and a look-alike host change nothing", async () => {
    const overlay = await show("double.html", page("<ce-annotate-host>fake</ce-annotate-host>"));
    await overlay.page.evaluate(async () => {
      const tag = document.querySelector("script[data-ce-document]")!;
      const again = document.createElement("script");
      for (const name of tag.getAttributeNames()) again.setAttribute(name, tag.getAttribute(name)!);
      const loaded = new Promise((resolve) => (again.onload = resolve));
      document.head.append(again);
      await loaded;
    });
    expect(await overlay.host.getByRole("toolbar").count()).toBe(1);
    await works(overlay, "once");
  });

  test("dialogs, popovers and full screen never cover what the person writes", async () => {
    const overlay = await show(
      "layers.html",
      page(`<div id="popover" popover="manual" style="width:100%;height:100%;background:#fee">Popover</div>
        <dialog id="outer"><button id="more">More</button><dialog id="innermost">Deep<button id="deep">Deep</button></dialog></dialog>`),
    );
    const { page: tab } = overlay;
    // Of the bar a button at least is always there: it makes itself small where it would hide the page's own.
    const onTop = async (shown = overlay.field) => {
      const box = await shown.boundingBox();
      if (box === null) return undefined;
      const at = [box.x + box.width / 2, box.y + box.height / 2];
      return tab.evaluate(([x, y]) => document.elementFromPoint(x!, y!)?.localName, at);
    };
    await overlay.button("Annotate").click();
    const save = (await overlay.on("#save").boundingBox())!;
    await tab.mouse.click(save.x + 5, save.y + 5);
    await tab.keyboard.type("start");
    await tab.keyboard.press("ArrowLeft");
    await tab.evaluate(() => (document.getElementById("popover") as HTMLElement).showPopover());
    await until("the overlay above the popover", async () => (await onTop()) === "ce-annotate-host");
    await tab.evaluate(() => (document.getElementById("popover") as HTMLElement).hidePopover());
    // A dialog takes focus when it opens; text, caret and focus stay with the writer.
    await tab.evaluate(() => (document.getElementById("outer") as HTMLDialogElement).showModal());
    await until("the field focused over the dialog", () =>
      overlay.field.evaluate((field) => field === (field.getRootNode() as ShadowRoot).activeElement),
    );
    await tab.keyboard.type("X");
    expect(await overlay.field.inputValue()).toBe("starXt");
    await tab.evaluate(() => (document.getElementById("innermost") as HTMLDialogElement).showModal());
    await until("the host in the innermost dialog", () =>
      tab.evaluate(() => document.querySelector("ce-annotate-host")!.parentElement!.id === "innermost"),
    );
    await until("the overlay above the innermost", async () => (await onTop()) === "ce-annotate-host");
    await overlay.field.press("Escape");
    await tab.mouse.move(5, 5);
    await overlay.comment(overlay.on("#deep"), "too deep");
    await until("the note", async () => (await lastNote())?.comment === "too deep");
    await tab.evaluate(() => {
      (document.getElementById("innermost") as HTMLDialogElement).close();
      (document.getElementById("outer") as HTMLDialogElement).close();
    });
    await until("the host back beside the body", () =>
      tab.evaluate(
        () => document.querySelector("ce-annotate-host")!.parentElement === document.documentElement,
      ),
    );
    await overlay.button("Annotating").click();
    await tab.evaluate(() =>
      document
        .getElementById("save")!
        .requestFullscreen()
        .catch(() => {}),
    );
    const bar = overlay.host.getByRole("button").first();
    await until("the overlay above full screen", async () => (await onTop(bar)) === "ce-annotate-host");
  });

  test("a modal dialog in a shadow root, and one that is torn out with the overlay inside", async () => {
    const overlay = await show(
      "shadowed.html",
      page(`<div id="holder"></div><script>
        const root = document.getElementById("holder").attachShadow({ mode: "open" });
        root.innerHTML = "<dialog><button id=inside>Inside</button></dialog>";
        window.openIt = () => root.querySelector("dialog").showModal();
        window.tear = () => document.getElementById("holder").remove();
      </script>`),
    );
    const { page: tab } = overlay;
    await tab.evaluate(() => (window as unknown as { openIt(): void }).openIt());
    await until(
      "the host in the dialog",
      async () =>
        (await overlay.host.count()) === 1 &&
        (await overlay.page.locator("dialog ce-annotate-host").count()) === 1,
    );
    await overlay.button("Annotate").click();
    const inside = (await tab.locator("#inside").boundingBox())!;
    await tab.mouse.click(inside.x + 4, inside.y + 4);
    await tab.keyboard.type("kept");
    await tab.evaluate(() => (window as unknown as { tear(): void }).tear());
    await overlay.field.waitFor();
    expect(await overlay.field.inputValue()).toBe("kept");
  });

  test("words of people and pages are text, wherever they are shown", async () => {
    const nasty = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const overlay = await show(
      "text.html",
      page(`<button id="xss" aria-label='${nasty.replace(/"/g, "&quot;")}'>x</button>`),
    );
    const { page: tab } = overlay;
    await overlay.comment(overlay.on("#xss"), nasty);
    await overlay.pins.last().waitFor();
    await overlay.pins.last().click();
    await overlay.host.locator(".card").getByText("<img src=x").waitFor();
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    await overlay.list.getByText("onerror").first().waitFor();
    expect(await overlay.host.locator("img").count()).toBe(0);
    expect(await tab.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
  });

  test("a page's focus trap and outside-click handlers do not notice the overlay", async () => {
    const overlay = await show(
      "trap.html",
      page(`<div id="menu" style="padding:10px">Menu <input id="in"></div><script>
        window.heard = [];
        document.addEventListener("focusin", (event) => { if (!menu.contains(event.target)) document.getElementById("in").focus() });
        document.addEventListener("focusout", () => window.heard.push("focusout"));
        for (const type of ["pointerdown", "mousedown", "click", "keydown", "keyup", "input", "beforeinput", "paste", "copy", "wheel"])
          for (const where of [window, document]) where.addEventListener(type, () => window.heard.push(type), true);
      </script>`),
    );
    const { page: tab } = overlay;
    await overlay.on("#in").focus();
    await tab.evaluate(() => ((window as unknown as { heard: string[] }).heard = []));
    await overlay.button("Annotate").click();
    const save = (await overlay.on("#save").boundingBox())!;
    await tab.mouse.click(save.x + 5, save.y + 5);
    await tab.keyboard.type("mine");
    await tab.keyboard.press("Control+a");
    await tab.keyboard.press("Control+c");
    await tab.keyboard.press("End");
    await tab.keyboard.press("Control+v");
    expect(await overlay.field.inputValue()).toBe("minemine");
    await tab.keyboard.press("Control+Enter");
    await overlay.pins.last().waitFor();
    // Listeners of the page's own window capture phase, set before the overlay came, are the exception; these
    // were set before it too, so what they heard is only what reached the window first.
    const heard = await tab.evaluate(() => (window as unknown as { heard: string[] }).heard);
    expect(heard.filter((type) => type === "focusout")).toEqual([]);
    await overlay.button("Annotating").click();
    await overlay.field.waitFor({ state: "hidden" });
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe("in");
  });

  test("the page is left as it was: no attribute, class or node stays, and printing shows no overlay", async () => {
    const overlay = await show("untouched.html", page(`<p class="a">One</p><p class="a">Two</p>`));
    const { page: tab } = overlay;
    const markup = () => tab.evaluate(() => document.body.outerHTML + document.head.outerHTML);
    const before = await markup();
    await works(overlay, "untouched");
    await tab.keyboard.press("Control+a");
    await tab.keyboard.press("Control+a");
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("Control+a");
    expect(await markup()).toBe(before);
    await tab.emulateMedia({ media: "print" });
    expect(await overlay.host.evaluate((host) => getComputedStyle(host).display)).toBe("none");
  });

  test("errors of the overlay stay its own: the page hears none", async () => {
    preview().write(
      "errors.html",
      page(
        `<script>window.errors = []; addEventListener("error", (event) => errors.push(event.message)); addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)))</script>`,
      ),
    );
    const context = await newContext(browser());
    // A hostile broadcast from the page itself, and storage full of nonsense.
    const overlay = await openPage(browser(), preview(), { context, path: "/errors.html" });
    const { page: tab } = overlay;
    await tab.evaluate(() => {
      const session = document.querySelector("[data-ce-session]")!.getAttribute("data-ce-session");
      const channel = new BroadcastChannel(`ce-annotate:${session}`);
      for (const message of [
        null,
        5,
        {},
        { kind: "frames" },
        { kind: "frame", name: "annotations", data: "{" },
        { kind: "frames", frames: [[1, 2]] },
      ])
        channel.postMessage(message);
      sessionStorage.setItem(
        `ce-annotate-state:${session}`,
        '{"v":1,"pins":[{"key":1}],"drafts":{"__proto__":[1]},"ui":7}',
      );
      sessionStorage.setItem("ce-annotate-state:other", "{");
    });
    await works(overlay, "still fine");
    await tab.reload();
    await overlay.host.getByRole("toolbar").waitFor();
    expect(await tab.evaluate(() => (window as unknown as { errors: string[] }).errors)).toEqual([]);
    expect(await tab.evaluate(() => sessionStorage.getItem("ce-annotate-state:other"))).toBeNull();
  });
});
