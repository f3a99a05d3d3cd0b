import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import { hasBrowser, newContext, type Overlay, openPage, startPreview, useBrowser } from "./support.ts";

const browser = useBrowser();

const CARDS = (
  rtl = false,
) => `<!doctype html>${rtl ? "<html dir=rtl>" : ""}<h1 style="width:200px">Cards</h1>
  <style>.card{height:60px;width:200px;border:1px solid}</style><div class="card">One</div><div class="card">Two</div>
  <p id=far style="margin-inline-start:800px;width:160px">Far off</p>`;

const inside = async (overlay: Overlay, selector: string) => {
  const list = (await overlay.list.boundingBox())!;
  const box = (await overlay.on(selector).boundingBox())!;
  const x = box.x + box.width / 2;
  return x > list.x && x < list.x + list.width;
};

describe.skipIf(!hasBrowser)("panels beside the page", () => {
  test("the list keeps off where the text begins, and off what is gone to", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS(true));
    const overlay = await openPage(browser(), own);
    await overlay.comment(overlay.on("h1"), "title");
    await overlay.pin(1).waitFor();
    await overlay.button("Notes 1").click();
    await overlay.list.waitFor();
    expect(await inside(overlay, "h1")).toBe(false);
    await overlay.button("Close notes").click();

    own.write("002.html", CARDS());
    const other = await openPage(browser(), own, { path: "/002.html" });
    await other.comment(other.on("#far"), "far");
    await other.pin(2).waitFor();
    await other.button("Annotating").click();
    await other.button("Notes 2").click();
    expect(await inside(other, "#far")).toBe(true);
    await other.button("Go to note 2").click();
    await until("the list to make way", async () => !(await inside(other, "#far")));
  });

  test("several: how many are chosen and how to finish; the question is in the list; an empty message is not sent", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS());
    const overlay = await openPage(browser(), own);
    const { page } = overlay;
    await overlay.button("Annotate").click();
    await overlay.button("Freeze").click();
    await overlay.on(".card:nth-of-type(1)").click({ modifiers: ["Shift"], force: true });
    await overlay.on(".card:nth-of-type(2)").click({ modifiers: ["Shift"], force: true });
    await overlay.host.getByText("2 chosen").waitFor();
    await overlay.host.locator(".strip").getByRole("button", { name: "Comment" }).click();
    await overlay.field.waitFor();
    await page.keyboard.type("both");
    await page.keyboard.press("Control+Enter");
    await overlay.pin(1).waitFor();
    expect((await own.notes())[0]!.context!["targets"]).toMatchObject([{ text: "Two" }]);

    const asked = own.wait("--ask", "Which?", "--choices", "A,B", "--timeout", "30");
    await overlay.host.getByRole("group", { name: "The agent asks" }).waitFor();
    await overlay.button("Notes 1").click();
    const question = overlay.list.getByRole("listitem").filter({ hasText: "Which?" });
    await question.getByRole("button", { name: "B" }).click();
    const dialog = overlay.host.getByRole("dialog", { name: "Message" });
    await dialog.getByText("Enter sends all 2").waitFor();
    await dialog.getByRole("button", { name: "B" }).click();
    expect(await overlay.button("Send message and 1 note").isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await overlay.button("Close notes").click();

    await overlay.fromMenu("End session");
    await overlay.host.getByText("the agent still gets your 1 unsent note.").waitFor();
    await overlay.button("Send 1 note and end").click();
    await asked;
    await overlay.host.getByText("Ask your agent to open the preview again").waitFor();
  });

  test("a server that was killed and started again: the page says what became of its notes", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS());
    const overlay = await openPage(browser(), own);
    await overlay.comment(overlay.on("h1"), "kept");
    await overlay.pin(1).waitFor();
    process.kill(own.pid, "SIGKILL");
    await overlay.host.locator(".banner").getByText("Connection to the preview lost").waitFor();
    await own.restart();
    await overlay.host.getByText("The server restarted; the agent gets your 1 unsent note.").waitFor();
    expect((await own.wait()).records.map(({ comment }) => comment)).toEqual(["kept"]);
  });

  test("a declined pin stays until it was looked at; after the end none is called at work", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS());
    const overlay = await openPage(browser(), own);
    await overlay.comment(overlay.on(".card:nth-of-type(1)"), "first");
    await overlay.pin(1).waitFor();
    await overlay.button("Send to agent 1").click();
    await own.wait();
    await own.wait("--declined", "1:no", "--timeout", "0.1");
    await overlay.host.getByRole("button", { name: /^Note 1, declined: no/ }).waitFor();
    await overlay.page.waitForTimeout(5000);
    expect(await overlay.pin(1).isVisible()).toBe(true);

    await overlay.comment(overlay.on(".card:nth-of-type(2)"), "second");
    await overlay.pin(2).waitFor();
    await overlay.button("Send to agent 1").click();
    await own.wait();
    await overlay.host.getByRole("button", { name: /^Note 2, agent is working/ }).waitFor();
    await overlay.fromMenu("End session");
    await overlay.host.locator(".confirm").getByRole("button", { name: "End session" }).click();
    await overlay.host
      .getByRole("button", { name: /^Note 2, session ended before the agent answered/ })
      .waitFor();
  });

  test.each([320, 390])(
    "a phone of %i: the composer keeps off a bottom tab, its buttons in one row, nothing stays outlined",
    async (width) => {
      const own = await startPreview();
      own.write(
        "001.html",
        `<!doctype html><meta name=viewport content="width=device-width"><h1>Phone</h1><p>Words</p><a id=tab href="#x" style="position:fixed;bottom:4px;left:8px;width:80px;height:44px">Tab</a>`,
      );
      const phone = { viewport: { width, height: 844 }, hasTouch: true, isMobile: true };
      const overlay = await openPage(browser(), own, { context: await newContext(browser(), phone) });
      const { page } = overlay;
      await overlay.button("Annotate").click();
      for (const _ of [1, 2]) await page.touchscreen.tap(40, 820);
      await overlay.field.waitFor();
      const box = (await overlay.composer.boundingBox())!;
      expect(box.y + box.height).toBeLessThan(422);
      await page.keyboard.type("tab");
      const row = await Promise.all(
        ["Cancel", "Add and send", "Add note"].map(
          async (name) => (await overlay.button(name).boundingBox())!,
        ),
      );
      expect(new Set(row.map(({ y }) => y)).size).toBe(1);
      expect(row[2]!.x).toBeGreaterThan(row[1]!.x);
      expect(box.x + box.width - row[2]!.x - row[2]!.width).toBeLessThan(20);
      await overlay.button("Add note").click();
      await overlay.pin(1).waitFor();
      expect(await overlay.chip.isVisible()).toBe(false);
    },
  );

  test("a low window: one panel at a time, its actions in view", async () => {
    const own = await startPreview();
    own.write("001.html", CARDS());
    const low = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };
    const overlay = await openPage(browser(), own, { context: await newContext(browser(), low) });
    const asked = own.wait(
      "--ask",
      `Which of ${"these long ".repeat(20)} words?`,
      "--choices",
      "Alpha one,Beta two,Gamma three,Delta four",
      "--timeout",
      "30",
    );
    const ask = overlay.host.getByRole("group", { name: "The agent asks" });
    await ask.waitFor();
    await overlay.button("More").click();
    expect(await ask.isVisible()).toBe(false);
    const within = async (name: string) => {
      const box = (await overlay.button(name).boundingBox())!;
      return box.y >= 0 && box.y + box.height <= 400;
    };
    for (const name of ["End session", "Keyboard help"]) expect(await within(name)).toBe(true);
    await overlay.page.keyboard.press("Escape");
    await overlay.button("Message").click();
    expect(await within("Send message")).toBe(true);
    await own.post("/session/end");
    await asked;
  });
});
