import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import {
  hasBrowser,
  newContext,
  type Overlay,
  openPage,
  overlayOf,
  type Preview,
  startPreview,
  useBrowser,
} from "./support.ts";

const browser = useBrowser();

const html = (title: string) =>
  `<!doctype html><body style="margin:40px"><h1>${title}</h1><p>Words</p></body>`;

/** Runs in the page before the overlay: counts the event streams this document has open. */
function countStreams() {
  const counter = window as unknown as { streams: number };
  counter.streams = 0;
  const Counted = class extends EventSource {
    constructor(url: string) {
      super(url);
      counter.streams++;
    }
    override close() {
      if (this.readyState !== EventSource.CLOSED) counter.streams--;
      super.close();
    }
  };
  Object.assign(window, { EventSource: Counted });
}

const sessionOf = (overlay: Overlay): Promise<string | null> =>
  overlay.page.evaluate(() => document.querySelector("[data-ce-session]")!.getAttribute("data-ce-session"));

async function openTabs(
  preview: Preview,
  count: number,
): Promise<{ overlays: Overlay[]; oneStream: () => Promise<unknown> }> {
  const context = await newContext(browser());
  await context.addInitScript(countStreams);
  const pages: Page[] = [];
  for (let at = 0; at < count; at++) pages.push(await context.newPage());
  // Together, as a browser does that restores a window.
  await Promise.all(pages.map((page) => page.goto(preview.url)));
  const overlays = pages.map(overlayOf);
  for (const overlay of overlays) await overlay.host.getByRole("toolbar").waitFor();
  const streams = async () => {
    let open = 0;
    for (const page of pages)
      if (!page.isClosed())
        open += await page.evaluate(() => (window as unknown as { streams: number }).streams);
    return open;
  };
  return {
    overlays,
    oneStream: () => until("one stream to remain", async () => (await streams()) === 1, 20_000),
  };
}

describe.skipIf(!hasBrowser)("tabs of one session", () => {
  test("web-54 eight tabs: all load, all hear of a note and an edit, over one stream; the last one gone ends it", async () => {
    const preview = await startPreview({ env: { CE_LIGHT_WEB_SSE_GRACE_MS: "4000" } });
    preview.write("001.html", html("Before"));
    const { overlays, oneStream } = await openTabs(preview, 8);
    for (const overlay of overlays) expect(await overlay.on("h1").textContent()).toBe("Before");
    await oneStream();
    const [first, last] = [overlays[0]!, overlays[7]!];
    await first.page.bringToFront();
    await first.comment(first.on("h1"), "seen by all");
    for (const overlay of overlays) await overlay.pin(1).waitFor({ state: "attached" });
    expect(await last.pin(1).getAttribute("aria-label")).toBe("Note 1, not sent: seen by all");

    preview.write("001.html", html("After"));
    for (const overlay of overlays) await overlay.on("h1").getByText("After").waitFor();
    await oneStream();

    // Whoever keeps the stream is among the first seven; the session outlives it.
    for (const overlay of overlays.slice(0, 7)) await overlay.page.close();
    await oneStream();
    await new Promise((resolve) => setTimeout(resolve, 4500));
    await preview.post("/annotation", { comment: "still here", selector: "p", client_id: "a" });
    await last.pin(2).waitFor();
    await last.page.close();
    const ended = await preview.wait();
    expect(ended.records.map((note) => note.comment)).toEqual(["seen by all", "still here"]);
    expect(await preview.wait()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("connection-lost"),
    });
  }, 90_000);

  test("two tabs: notes, edits of notes, statuses and the end reach both; a restarted server too", async () => {
    const preview = await startPreview();
    preview.write("001.html", html("Two"));
    const { overlays } = await openTabs(preview, 2);
    const [one, two] = overlays as [Overlay, Overlay];
    await one.page.bringToFront();
    await one.comment(one.on("h1"), "from one");
    await two.page.bringToFront();
    await two.comment(two.on("p"), "from two");
    await two.pin(1).waitFor();
    await one.page.bringToFront();
    await one.pin(2).waitFor();
    await one.pin(1).click();
    await one.button("Edit note 1").last().click();
    await one.field.fill("changed in one");
    await one.button("Save").click();
    await two.host.getByRole("button", { name: "Note 1, not sent: changed in one" }).waitFor();
    await two.page.bringToFront();
    await two.button(/^Send to agent/).click();
    await preview.wait();
    for (const overlay of overlays)
      await overlay.host.getByRole("button", { name: /^Note 2, agent is working/ }).waitFor();

    process.kill(preview.pid, "SIGKILL");
    for (const overlay of overlays)
      await overlay.host.locator(".banner").getByText("Connection to the preview lost").waitFor();
    const before = await sessionOf(one);
    await preview.restart();
    for (const overlay of overlays) {
      await until(
        "the new session",
        async () => ![before, null].includes(await sessionOf(overlay).catch(() => null)),
        20_000,
      );
      await overlay.host.getByRole("toolbar").waitFor();
    }
    await one.page.bringToFront();
    await one.comment(one.on("h1"), "to the new server");
    await two.page.bringToFront();
    await two.host.getByRole("button", { name: /to the new server$/ }).waitFor();
    await preview.stop();
    for (const overlay of overlays) await overlay.host.getByText("Session ended").first().waitFor();
  }, 90_000);

  test("without shared locks every tab keeps its own stream", async () => {
    const preview = await startPreview();
    preview.write("001.html", html("Alone"));
    const context = await newContext(browser());
    await context.addInitScript("Object.defineProperty(navigator, 'locks', { value: undefined })");
    const one = await openPage(browser(), preview, { context });
    const two = await openPage(browser(), preview, { context });
    await one.page.bringToFront();
    await one.comment(one.on("h1"), "by itself");
    await two.page.bringToFront();
    await two.pin(1).waitFor();
  });
});
