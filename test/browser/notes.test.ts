import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import { fixture, hasBrowser, type Overlay, openPage, useBrowser, usePreview } from "./support.ts";

const browser = useBrowser();
const preview = usePreview();

/** Each page with an element to comment on and a text to select. */
const PAGES: {
  name: string;
  file: string;
  target: string;
  text: string;
  select: string;
  prepare?: string;
}[] = [
  { name: "a fragment", file: "fragment.html", target: "#save", text: "Save", select: ".intro" },
  { name: "a full document", file: "document.html", target: "#save", text: "Save", select: ".intro" },
  { name: "a page with hostile styles", file: "hostile.html", target: "#save", text: "Save", select: "h1" },
  { name: "a long page", file: "long.html", target: "#part-a h2", text: "Part 1", select: "#part-a p" },
  {
    name: "a page with a modal dialog",
    file: "modal.html",
    target: "#yes",
    text: "Delete",
    select: "#dialog p",
    prepare: "#open",
  },
  {
    name: "a component build",
    file: "react.html",
    target: "[data-testid=increment]",
    text: "Increment",
    select: "p",
  },
  {
    name: "a page of 5,000 elements",
    file: "big.html",
    target: "#save",
    text: "Save",
    select: ".cell:nth-of-type(30)",
  },
];

async function open(kind: (typeof PAGES)[number], name: string): Promise<Overlay> {
  preview().write(name, fixture(kind.file));
  const overlay = await openPage(browser(), preview(), { path: `/${name}` });
  if (kind.prepare !== undefined) await overlay.on(kind.prepare).click();
  return overlay;
}

describe.skipIf(!hasBrowser)("notes", () => {
  for (const kind of PAGES) {
    test(`element, region and text notes by mouse on ${kind.name}`, async () => {
      const overlay = await open(kind, `mouse-${kind.file}`);
      const { page } = overlay;
      const before = (await preview().notes()).length;

      await overlay.button("Annotate").click();
      const target = (await overlay.on(kind.target).boundingBox())!;
      const middle = { x: target.x + target.width / 2, y: target.y + target.height / 2 };
      await page.mouse.click(middle.x, middle.y);
      await page.keyboard.type("an element note");
      await page.keyboard.press("Control+Enter");
      await overlay.pin(before + 1).waitFor();

      await page.mouse.move(target.x - 8, target.y - 8);
      await page.mouse.down();
      await page.mouse.move(target.x + 40, target.y + 12);
      await page.mouse.move(target.x + target.width + 8, target.y + target.height + 8);
      await page.mouse.up();
      await overlay.field.waitFor();
      await page.keyboard.type("a region note");
      await page.keyboard.press("Control+Enter");
      await overlay.pin(before + 2).waitFor();

      await overlay.button("Annotating").click();
      await overlay.on(kind.select).evaluate((element) => getSelection()!.selectAllChildren(element));
      await overlay.button("Comment").click();
      await page.keyboard.type("a text note");
      await page.keyboard.press("Control+Enter");
      await overlay.pin(before + 3).waitFor();

      await overlay.button(/^Send to agent/).click();
      await until("the notes to be sent", async () =>
        (await preview().notes()).every((note) => note.state !== "held"),
      );
      const records = await preview().take();
      expect(records.map((note) => [note.number, note.comment, note.context?.kind])).toEqual([
        [before + 1, "an element note", "element"],
        [before + 2, "a region note", "region"],
        [before + 3, "a text note", "text"],
      ]);
      const [element, region, text] = records;
      expect(element!.textSnippet).toBe(kind.text);
      const same = await page.evaluate(
        ([made, meant]) => document.querySelector(made!) === document.querySelector(meant!),
        [element!.selector, kind.target],
      );
      expect(same).toBe(true);
      expect(region!.rect!.width).toBeGreaterThan(target.width);
      const selected = await overlay.on(kind.select).textContent();
      expect(text!.context!.quote!.exact).toBe(selected!.replace(/\s+/g, " ").trim());
    });

    test(`an element note by keyboard alone on ${kind.name}`, async () => {
      const overlay = await open(kind, `keys-${kind.file}`);
      const { page } = overlay;
      await overlay
        .on(kind.target)
        .focus()
        .catch(() => {});
      await page.keyboard.press("Control+a");
      await overlay.button("Annotating").waitFor();
      for (const key of ["ArrowUp", "ArrowDown", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      await overlay.field.waitFor();
      await page.keyboard.type("by keyboard");
      await page.keyboard.press("Control+Shift+Enter");
      const records = await preview().take();
      expect(records.map((note) => note.comment)).toEqual(["by keyboard"]);
      expect(await overlay.on(records[0]!.selector).count()).toBe(1);
      await overlay.host.getByRole("button", { name: /^Note \d+, agent is working: by keyboard/ }).waitFor();
    });
  }

  test("text is commented on by keyboard alone: select, Ctrl+A, type", async () => {
    preview().write("text.html", fixture("document.html"));
    const overlay = await openPage(browser(), preview(), { path: "/text.html" });
    await overlay.on(".intro b").evaluate((element) => getSelection()!.selectAllChildren(element));
    await overlay.page.keyboard.press("Control+a");
    await overlay.field.waitFor();
    await overlay.page.keyboard.type("thirteen");
    await overlay.page.keyboard.press("Control+Shift+Enter");
    const records = await preview().take();
    expect(records[0]!.context).toMatchObject({
      kind: "text",
      quote: { exact: "twelve", prefix: "Sales went up by ", suffix: " per cent in the third quarter." },
    });
  });
});
