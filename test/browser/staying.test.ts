import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import {
  hasBrowser,
  newContext,
  type Overlay,
  openPage,
  type Preview,
  type Record,
  startPreview,
  useBrowser,
} from "./support.ts";

const browser = useBrowser();

type Row = [name: string, value: string];

const ALERTS: Row[] = [
  ["Latency", "120 ms"],
  ["Queue depth", "8"],
  ["Error rate", "4 %"],
  ["Disk almost full", "71 %"],
  ["Logins", "12"],
  ["CPU", "40 %"],
  ["Memory", "60 %"],
  ["Jobs", "3"],
  ["Mail", "9"],
];

const table = (rows: readonly Row[]): string =>
  `<!doctype html><title>Alerts</title><h1>Alerts</h1><table><tbody>${rows
    .map(([name, value]) => `<tr><td>${name}</td><td>${value}</td><td><button>Mute</button></td></tr>`)
    .join("")}</tbody></table>`;

/** A preview that shows one screen, with the overlay. */
async function show(html: string): Promise<{ preview: Preview; overlay: Overlay }> {
  const preview = await startPreview();
  preview.write("001.html", html);
  return { preview, overlay: await openPage(browser(), preview) };
}

/** Put another text in the screen's place and wait for the page to show it. */
async function edit(preview: Preview, overlay: Overlay, html: string): Promise<void> {
  const { page } = overlay;
  await page.evaluate(() => Object.assign(window, { old: true }));
  preview.write("001.html", html);
  await page.waitForFunction(() => !("old" in window) && document.readyState === "complete");
  await overlay.host.getByRole("toolbar").waitFor();
}

const refreshed = (preview: Preview, wanted: (note: Record) => boolean): Promise<Record> =>
  until("the note's new target", async () => (await preview.notes()).find(wanted));

/** Which element of the page a pin stands on. */
async function under(overlay: Overlay, number: number): Promise<string> {
  const box = (await overlay.pin(number).boundingBox())!;
  return overlay.page.evaluate(
    ([x, y]) => {
      const found = document.elementsFromPoint(x!, y!).find((one) => one.localName !== "ce-annotate-host");
      return found?.closest("tr,li,.card")?.textContent ?? "";
    },
    [box.x + 1, box.y + box.height + 1],
  );
}

const openList = (overlay: Overlay) =>
  overlay
    .button(/^Notes/)
    .first()
    .click();

describe.skipIf(!hasBrowser)("a note stays with its thing", () => {
  test("overlay-1 a row above: unmarked on the same alert, and the agent is told where that is now", async () => {
    const { preview, overlay } = await show(table(ALERTS));
    await overlay.comment(overlay.on("tr:nth-child(3) button"), "Mute for a day");
    await overlay.pin(1).waitFor();
    await edit(preview, overlay, table([["New alert", "1"], ...ALERTS]));
    await overlay.pin(1).waitFor();
    expect(await under(overlay, 1)).toContain("Error rate");
    await refreshed(preview, ({ context }) => context?.["retargeted"] === true);
    await openList(overlay);
    expect(await overlay.list.getByText("Moved or edited").isVisible()).toBe(false);
    await overlay.button(/^Send to agent/).click();
    const [record] = (await preview.wait()).records;
    const found = await overlay.page.evaluate(
      (selector) => document.querySelector(selector)?.closest("tr") === document.querySelectorAll("tr")[3],
      record!.selector,
    );
    expect(found).toBe(true);
    expect(record!.context).toMatchObject({
      label: 'button "Mute" in "Error rate"',
      near: { place: "4 of 10", item: expect.stringContaining("Error rate") },
    });
    expect(record!.context).not.toHaveProperty("edited");
    expect(record!.context).not.toHaveProperty("print");
  });

  test("overlay-2 its row is gone: Target changed, whatever else came or looks like it", async () => {
    const { preview, overlay } = await show(table(ALERTS));
    await overlay.comment(overlay.on("tr:nth-child(3) td:nth-child(2)"), "Too high");
    await overlay.pin(1).waitFor();
    await openList(overlay);
    const without = ALERTS.filter((_, at) => at !== 2);
    const neighbour = without.map(([name, value], at): Row => [name, at === 1 ? "4 %" : value]);
    for (const rows of [without, [...without, ["Zed", "1"] as Row], neighbour]) {
      await edit(preview, overlay, table(rows));
      await overlay.list.getByText("Target changed").waitFor();
      expect(await overlay.pin(1).isVisible()).toBe(false);
    }
  });

  test("overlay-3 the second of two that read the same: kept while both are there, lost with one", async () => {
    const twins: Row[] = [ALERTS[0]!, ALERTS[2]!, ALERTS[2]!, ALERTS[3]!];
    const { preview, overlay } = await show(table(twins));
    await overlay.comment(overlay.on("tr:nth-child(3) button"), "This one");
    await overlay.pin(1).waitFor();
    await edit(preview, overlay, table(twins).replace("Alerts</h1>", "Alerts today</h1>"));
    await overlay.pin(1).waitFor();
    const place = await overlay.pin(1).boundingBox();
    const row = (await overlay.on("tr:nth-child(3)").boundingBox())!;
    expect(place!.y + place!.height).toBeGreaterThanOrEqual(row.y);
    await edit(preview, overlay, table([twins[0]!, twins[1]!, twins[3]!]));
    await openList(overlay);
    await overlay.list.getByText("Target changed").waitFor();
  });

  test("overlay-4 its value changed: attached, and says that it should be looked at", async () => {
    const { preview, overlay } = await show(table(ALERTS));
    await overlay.comment(overlay.on("tr:nth-child(3) td:nth-child(2)"), "Too high");
    await overlay.pin(1).waitFor();
    await edit(
      preview,
      overlay,
      table(ALERTS.map(([name, value]): Row => [name, value === "4 %" ? "7 %" : value])),
    );
    await overlay.host.getByRole("button", { name: /^Note 1, not sent, moved or edited: check/ }).waitFor();
    expect(await under(overlay, 1)).toContain("Error rate7 %");
    await openList(overlay);
    await overlay.list.getByText("Moved or edited: check").waitFor();
    const note = await refreshed(preview, ({ context }) => context?.["retargeted"] === true);
    expect(note.context).toMatchObject({ edited: true });
    expect(note.textSnippet).toBe("7 %");
  });

  test("overlay-5 five cards in another order, with ids that only count: each note on its own", async () => {
    const names = ["Lamp", "Desk", "Chair", "Shelf", "Rug"];
    const cards = (list: string[], numbered: boolean) =>
      `<!doctype html><main>${list
        .map(
          (name, at) =>
            `<div class="card"${numbered ? ` id="row-${at}"` : ""} style="height:70px"><b>${name}</b><p>In stock</p><button>Buy</button></div>`,
        )
        .join("")}</main>`;
    for (const numbered of [false, true]) {
      const { preview, overlay } = await show(cards(names, numbered));
      for (const [at, name] of names.entries()) {
        await overlay.comment(overlay.on(`.card:nth-child(${at + 1}) p`), name, { x: 4, y: 4 });
        await overlay.pin(at + 1).waitFor();
      }
      await edit(preview, overlay, cards(["Rug", "Chair", "Lamp", "Desk", "Shelf"], numbered));
      for (const [at, name] of names.entries()) {
        await overlay.pin(at + 1).waitFor();
        expect(await under(overlay, at + 1)).toContain(name);
      }
      expect(await overlay.host.locator(".pin[data-doubtful]").count()).toBe(0);
    }
  });

  test("overlay-6 what stands around a target: in a table, a list, a card, a shadow root, a frame; never over 8 KiB", async () => {
    const inner = "<!doctype html><h2>Parts</h2><ul><li>Bolt</li><li id=nut>Nut</li></ul>";
    const html = `<!doctype html><h1>Shop</h1><table><tr><td>One</td></tr><tr><td id=cell>Two</td></tr></table>
      <h2>List</h2><ul><li>First</li><li id=item>Second</li><li>Third</li></ul>
      <h2>Cards</h2><div class=card data-sku=a>Lamp <button id=buy>Buy</button></div><div class=card>Desk</div>
      <x-parts></x-parts><iframe src="/inner.html" style="width:300px;height:160px"></iframe>
      <section id=huge>${"word ".repeat(10_000)}</section><p>after</p>
      <script>document.querySelector("x-parts").attachShadow({mode:"open"}).innerHTML="<ul><li>Gear</li><li>Cog</li></ul>"</script>`;
    const { preview, overlay } = await show(html);
    preview.write("inner.html", inner);
    // At / it is the newest screen that is shown; when both changes were seen, nothing reloads the page any more.
    await overlay.on("#nut").waitFor();
    preview.write("001.html", html);
    await overlay.on("#cell").waitFor();
    await overlay.host.getByRole("toolbar").waitFor();
    const { page } = overlay;
    const cog = page.locator("x-parts li").nth(1);
    const nut = page.frameLocator("iframe").locator("#nut");
    const targets = [overlay.on("#cell"), overlay.on("#item"), overlay.on("#buy"), cog, nut];
    for (const [at, target] of targets.entries()) {
      await target.evaluate((one) => one.scrollIntoView({ block: "center", behavior: "instant" }));
      const note = () => overlay.comment(target, `note ${at}`, { x: 3, y: 3 });
      // On a busy machine a click here was lost now and then, why is not known: a person clicks again.
      await note().catch(note);
      await overlay.pin(at + 1).waitFor();
    }
    await overlay.on("#huge").evaluate((one) => one.scrollIntoView({ block: "start", behavior: "instant" }));
    await overlay.comment(overlay.on("#huge"), "huge", { x: 3, y: 3 });
    const notes = await until("all notes", async () => {
      const all = await preview.notes();
      return all.length === 6 ? all : undefined;
    });
    const near = notes.map(({ context }) => context!["near"] as { [name: string]: string | null });
    expect(near[0]).toMatchObject({
      item: "Two",
      place: "2 of 2",
      heading: "Shop",
      before: "One",
      after: null,
    });
    expect(near[1]).toMatchObject({ place: "2 of 3", heading: "List", before: "First", after: "Third" });
    expect(near[2]).toMatchObject({ item: "Lamp Buy", place: "1 of 2", heading: "Cards", after: "Desk" });
    expect(near[3]).toMatchObject({ item: "Cog", place: "2 of 2", before: "Gear" });
    expect(near[4]).toMatchObject({ item: "Nut", heading: "Parts", before: "Bolt" });
    expect(notes[2]!.context!["item_html"]).toBe('<div class="card" data-sku="a">');
    for (const { context } of notes) expect(JSON.stringify(context).length).toBeLessThanOrEqual(8192);
    expect(near[5]!["item"]!.length).toBeLessThanOrEqual(200);
  });

  test("overlay-7 a frame that shows a screen: that is the file to edit, and the pin is drawn in the outer page", async () => {
    const preview = await startPreview();
    preview.write("parts/card.html", "<!doctype html><p id=inside>Inside</p>");
    preview.write("001.html", '<!doctype html><h1>Outer</h1><iframe src="/parts/card.html"></iframe>');
    const overlay = await openPage(browser(), preview);
    const inside = overlay.page.frameLocator("iframe").locator("#inside");
    await inside.waitFor();
    await overlay.comment(inside, "bolder", { x: 4, y: 4 });
    await overlay.pin(1).waitFor();
    const [note] = (await preview.notes()) as unknown as (Record & { page: string })[];
    expect(note).toMatchObject({
      screen: "parts/card.html",
      page: "/001.html",
      context: { frame: { page: "/parts/card.html", outer: "001.html" } },
    });
    await overlay.page.reload();
    await overlay.pin(1).waitFor();
  });

  test("overlay-8 a selection over a paragraph and two items: lines, marks on the letters alone, found after a reload", async () => {
    const html =
      "<!doctype html><body style='width:600px'><p id=a>Some words here.</p><ul><li>One</li><li id=z>Two</li></ul><p>After</p>";
    const { preview, overlay } = await show(html);
    const { page } = overlay;
    await page.evaluate(() => {
      const range = document.createRange();
      range.setStart(document.querySelector("#a")!.firstChild!, 5);
      range.setEnd(document.querySelector("#z")!.firstChild!, 3);
      getSelection()!.removeAllRanges();
      getSelection()!.addRange(range);
    });
    await overlay.button("Comment").click();
    await page.keyboard.type("shorter");
    await page.keyboard.press("Control+Enter");
    await overlay.pin(1).waitFor();
    const [note] = await preview.notes();
    expect(note!.context!.quote!.exact).toBe("words here.\nOne\nTwo");
    await page.reload();
    await overlay.pin(1).waitFor();
    await overlay.pin(1).hover({ force: true });
    const marks = overlay.host.locator(".mark.text:not([hidden])");
    await marks.first().waitFor();
    const widths = await marks.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    expect(widths).toHaveLength(3);
    for (const width of widths) expect(width).toBeLessThan(200);
  });

  test("overlay-29 notes of the first edition: delivered with their keys, drawn by the old rule", async () => {
    const preview = await startPreview();
    const html = "<!doctype html><h1>Title</h1><button id=save>Save</button>";
    preview.write("001.html", html);
    const overlay = await openPage(browser(), preview);
    await preview.post("/annotation", {
      page: "/001.html",
      comment: "old",
      selector: "#save",
      textSnippet: "Save",
      context: { kind: "element", label: 'button "Save"', html: '<button id="save">' },
      client_id: "c",
    });
    await overlay.pin(1).waitFor();
    await edit(preview, overlay, html.replace("<h1>", "<p>New</p><h1>"));
    await overlay.pin(1).waitFor();
    await preview.stop();

    const state = join(preview.root, "state");
    mkdirSync(state, { recursive: true });
    const old = {
      id: "11111111-1111-4111-8111-111111111111",
      screen: "001.html",
      comment: "from before",
      selector: "h1",
      textSnippet: null,
      variant: null,
      rect: null,
      point: null,
      number: 7,
      state: "queued",
      created_at: new Date().toISOString(),
      delivered_at: null,
    };
    const file = { format: 1, session: "x", last_number: 7, records: [old] };
    writeFileSync(join(state, "annotations.json"), JSON.stringify(file), { mode: 0o600 });
    await preview.restart();
    const { state: _, created_at: __, delivered_at: ___, ...record } = old;
    expect((await preview.wait()).records).toEqual([record]);
    await until("the file", () => {
      const [stored] = JSON.parse(readFileSync(join(state, "annotations.json"), "utf8")).records as object[];
      return "delivered_at" in stored! && stored.delivered_at !== null;
    });
    const [stored] = JSON.parse(readFileSync(join(state, "annotations.json"), "utf8")).records as object[];
    expect(Object.keys(stored!).sort()).toEqual(Object.keys(old).sort());
  });

  test("inside nested variants what stands as it was is not called edited", async () => {
    const { preview, overlay } = await show(
      `<h1>Teas</h1><div data-ce-variant="list"><h2>List</h2><div data-ce-variant="dense"><p id="rows">Roomy rows</p></div></div>
       <div data-ce-variant="grid"><p>Roomy rows</p></div>`,
    );
    await overlay.comment(overlay.on("#rows"), "Tighter");
    await overlay.pin(1).waitFor();
    await overlay.page.waitForTimeout(1200); // twice what the overlay waits for a quiet page
    const [note] = await preview.notes();
    expect(note).toMatchObject({ variant: ["list", "dense"], context: { near: { item: "Roomy rows" } } });
    expect(note!.context).not.toHaveProperty("edited");
  });

  test("overlay-39 a row's nodes used for another alert: the note leaves them; two tabs do not answer each other for ever", async () => {
    const { preview, overlay } = await show(table(ALERTS));
    const { page } = overlay;
    await overlay.comment(overlay.on("tr:nth-child(3) button"), "Mute");
    await overlay.pin(1).waitFor();
    // As a list that is drawn anew with the nodes it has.
    await page.evaluate(() => {
      const cells = [...document.querySelectorAll("tr")].map((row) => row.children[0]!);
      const values = [...document.querySelectorAll("tr")].map((row) => row.children[1]!);
      const move = (list: Element[]) => {
        for (let at = list.length - 1; at > 0; at--) list[at]!.textContent = list[at - 1]!.textContent;
      };
      move(cells);
      move(values);
      cells[0]!.textContent = "New alert";
      values[0]!.textContent = "0";
    });
    await until("the note to follow", async () => (await under(overlay, 1)).includes("Error rate"));

    const context = await newContext(browser(), { viewport: { width: 700, height: 500 } });
    const other = await openPage(browser(), preview, { context });
    const sent: number[] = [];
    for (const one of [page, other.page])
      one.on("request", (request) => {
        if (request.url().endsWith("/targets")) sent.push(Date.now());
      });
    await edit(preview, overlay, table([["New alert", "1"], ...ALERTS]));
    await refreshed(preview, ({ context: said }) => said?.["retargeted"] === true);
    await until("both tabs to be quiet", () => sent.length > 0 && Date.now() - sent.at(-1)! > 3000);
    // One each, and one more where a tab looked again while the other's was on its way.
    expect(sent.length).toBeLessThanOrEqual(4);
  });
});
