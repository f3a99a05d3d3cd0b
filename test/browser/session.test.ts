import { describe, expect, test } from "vitest";
import { until } from "../support/run.ts";
import { layLine } from "./proxy.ts";
import {
  fixture,
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

const documentId = (overlay: Overlay) =>
  overlay.page.evaluate(() => document.querySelector("[data-ce-document]")!.getAttribute("data-ce-document"));

/** Wait until the page has been loaded anew. */
async function reloaded(overlay: Overlay, before: string | null) {
  await until("a new document", async () => {
    const now = await documentId(overlay).catch(() => null);
    return now !== null && now !== before;
  });
  await overlay.host.getByRole("toolbar").waitFor();
}

async function type(overlay: Overlay, selector: string, text: string) {
  if ((await overlay.button("Annotate").count()) > 0) await overlay.button("Annotate").click();
  const box = (await overlay.on(selector).boundingBox())!;
  await overlay.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await overlay.page.keyboard.type(text);
}

const html = (body: string) => `<!doctype html><html><body style="margin:40px">${body}</body></html>`;

async function annotated(preview: Preview, body: string): Promise<Overlay> {
  preview.write("001.html", html(body));
  return openPage(browser(), preview);
}

describe.skipIf(!hasBrowser)("a session seen from the browser", () => {
  test("web-41 statuses come from the server; targets are found again, or said to have changed", async () => {
    const preview = await startPreview();
    const overlay = await annotated(
      preview,
      `<h1>Title</h1><p class="a">First words</p><p class="b">Second words</p><button>Go</button>`,
    );
    await overlay.comment(overlay.on(".a"), "about the first");
    await overlay.comment(overlay.on(".b"), "about the second");
    await overlay.comment(overlay.on("button"), "about the button");
    await overlay.pin(3).waitFor();
    await overlay.button(/^Send to agent/).click();
    expect((await preview.wait()).records.length).toBe(3);
    await overlay.host.getByRole("button", { name: "Note 1, agent is working: about the first" }).waitFor();

    // The first moved to another place, the second is gone, the third is where it was.
    const before = await documentId(overlay);
    preview.write(
      "001.html",
      html(
        `<h1>Title</h1><p class="z">New here</p><section><p class="c">First words</p></section><p class="b">Other</p><button>Go</button>`,
      ),
    );
    await reloaded(overlay, before);
    const pin = overlay.host.getByRole("button", { name: "Note 1, agent is working: about the first" });
    await pin.waitFor();
    expect(await pin.getAttribute("class")).toContain("working");
    const moved = (await overlay.on(".c").boundingBox())!;
    const at = (await pin.boundingBox())!;
    expect(Math.abs(at.y + at.height - (moved.y + moved.height / 2))).toBeLessThan(3);
    await overlay.pin(3).waitFor();
    await overlay.pin(2).waitFor({ state: "hidden" });
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    const lost = overlay.list.getByRole("listitem").filter({ hasText: "about the second" });
    expect(await lost.textContent()).toContain("Target changed");
    expect(await lost.locator(".badge").textContent()).toBe("! 2");

    // A note this page never heard of is fetched and drawn; one the server no longer names is removed.
    await preview.post("/annotation", {
      comment: "from elsewhere",
      selector: "h1",
      page: "/001.html",
      client_id: "other",
    });
    await overlay.pin(4).waitFor();
    const { id } = (await preview.notes()).at(-1)!;
    await fetch(`${preview.url}/__ce-annotate/annotations/${id}`, {
      method: "DELETE",
      headers: { "X-Session-Token": preview.token },
    });
    await overlay.pin(4).waitFor({ state: "hidden" });
  });

  test("web-42 an edit waits while the person writes, then the page reloads where it was", async () => {
    const preview = await startPreview();
    preview.write("001.html", fixture("long.html"));
    const overlay = await openPage(browser(), preview);
    const { page } = overlay;
    await page.evaluate(() => scrollTo(0, 900));
    await overlay.on("#box").evaluate((element) => (element.scrollTop = 150));
    await type(overlay, "#part-c h2", "shorter");
    const before = await documentId(overlay);
    preview.write("001.html", fixture("long.html").replaceAll("A long page", "An edited page"));
    await overlay.button("Screen updated — reload").waitFor();
    await page.waitForTimeout(300);
    expect(await documentId(overlay)).toBe(before);
    expect(await overlay.field.inputValue()).toBe("shorter");
    await page.keyboard.press("Control+Enter");
    await reloaded(overlay, before);
    await overlay.pin(1).waitFor();
    expect(await overlay.on("h1").textContent()).toBe("An edited page");
    expect(await page.evaluate(() => [scrollY, document.getElementById("box")!.scrollTop])).toEqual([
      900, 150,
    ]);
    // Annotate is still on, and the note is saved once.
    await overlay.button("Annotating").waitFor();
    expect((await preview.notes()).map((note) => note.comment)).toEqual(["shorter"]);
  });

  test("the screen is edited while a note is held: it is held still, and sent when the person says so", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, `<h1>Title</h1><p>Words</p>`);
    await overlay.comment(overlay.on("p"), "held over an edit");
    await overlay.pin(1).waitFor();
    const before = await documentId(overlay);
    preview.write("001.html", html(`<h1>New title</h1><p>Words</p>`));
    await reloaded(overlay, before);
    await overlay.host.getByRole("button", { name: "Note 1, not sent: held over an edit" }).waitFor();
    await overlay.button(/^Send to agent/).click();
    expect((await preview.wait()).records.map((note) => note.comment)).toEqual(["held over an edit"]);
  });

  test("web-43 a cut line: a note written meanwhile is saved once when it is back", async () => {
    const preview = await startPreview();
    preview.write("001.html", html(`<h1>Title</h1><p>Words</p>`));
    const line = await layLine(preview.port);
    const context = await newContext(browser());
    const page = await context.newPage();
    await page.goto(`http://localhost:${line.port}/`);
    const overlay = overlayOf(page);
    await overlay.button("Annotate").waitFor();
    line.cut();
    await overlay.host.getByText("Connection to the preview lost — retrying. Your notes are kept.").waitFor();
    await type(overlay, "p", "written on a dead line");
    await page.keyboard.press("Control+Enter");
    await overlay.host.getByRole("button", { name: /^Note, not saved — retry/ }).waitFor();
    line.mend();
    await overlay.pin(1).waitFor();
    await overlay.host
      .locator(".banner")
      .getByText("Connection to the preview lost")
      .waitFor({ state: "hidden" });
    expect((await preview.notes()).map((note) => note.comment)).toEqual(["written on a dead line"]);

    // The agent stops the preview: no way to send is left, copying still works.
    await type(overlay, "h1", "too late");
    await preview.stop();
    await overlay.host.getByText("The preview was stopped").first().waitFor();
    for (const name of ["Annotate", "Annotating", "End session"])
      expect(await overlay.button(name).count()).toBe(0);
    expect(await overlay.button(/^Send to agent/).count()).toBe(0);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], {
      origin: new URL(page.url()).origin,
    });
    await overlay.composer.getByRole("button", { name: "Copy" }).click();
    await until(
      "the copy",
      async () => (await page.evaluate(() => navigator.clipboard.readText())) === "too late",
    );
  });

  test("web-43 without a credential the page is for viewing, and turns live by the private link", async () => {
    const preview = await startPreview({ args: ["--auth", "link"] });
    preview.write("001.html", html(`<h1>Title</h1>`));
    const overlay = await openPage(browser(), preview);
    await overlay.host.getByText("View only — open the private link from your agent to annotate").waitFor();
    expect(await overlay.button("Annotate").count()).toBe(0);
    await overlay.page.goto(`${preview.url}/__ce-annotate/authorize?token=${preview.token}`);
    await overlay.button("Annotate").waitFor();
  });

  test("a locked page still follows the screen", async () => {
    const preview = await startPreview({ args: ["--auth", "link"] });
    const overlay = await annotated(preview, "<h1>Before</h1>");
    await overlay.host.getByText("View only").first().waitFor();
    await overlay.page.waitForTimeout(300);
    preview.write("001.html", html("<h1>After</h1>"));
    await overlay.on("h1").getByText("After").waitFor();
  });

  test("the session is ended in the browser: asked once, unsent notes are delivered", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, "<h1>Title</h1><p>Words</p>");
    await overlay.fromMenu("End session");
    await overlay.host.getByText("End session?").waitFor();
    await overlay.button("Cancel").click();
    await overlay.comment(overlay.on("h1"), "one");
    await overlay.comment(overlay.on("p"), "two");
    await overlay.pin(2).waitFor();
    await overlay.fromMenu("End session");
    await overlay.button("Send 2 notes and end").click();
    await overlay.host.getByText("You ended it").waitFor();
    expect(await overlay.button("Annotate").count()).toBe(0);
    expect((await preview.wait()).records.map((note) => note.comment)).toEqual(["one", "two"]);
    expect(await preview.wait()).toMatchObject({ code: 1, stdout: expect.stringContaining("user-ended") });
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    await overlay.list.getByText("two").waitFor();
  });

  test("web-55 numbers are the server's: on the pin, to the agent, and on over a restart", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, "<h1>Title</h1><p>Words</p>");
    const replies: unknown[] = [];
    overlay.page.on("response", async (response) => {
      if (response.url().endsWith("/annotation"))
        replies.push(((await response.json()) as { number: number }).number);
    });
    await overlay.comment(overlay.on("h1"), "first");
    await overlay.comment(overlay.on("p"), "second");
    await overlay.pin(1).waitFor();
    expect(await overlay.pin(2).textContent()).toBe("2");
    await overlay.button(/^Send to agent/).click();
    expect((await preview.wait()).records.map((note) => note.number)).toEqual([1, 2]);
    expect(replies).toEqual([1, 2]);
    await preview.post("/annotation", { comment: "plain", selector: "h1" });
    await preview.post("/session/flush");
    const plain = (await preview.wait()).records[0]!;
    // A tab may have told meanwhile where the target is now.
    expect(Object.keys(plain).filter((key) => key !== "context")).toEqual([
      "id",
      "screen",
      "comment",
      "selector",
      "textSnippet",
      "variant",
      "rect",
      "point",
    ]);
    await preview.stop();
    await preview.restart();
    await overlay.page.goto(preview.url);
    await overlay.comment(overlay.on("h1"), "third");
    await overlay.pin(3).waitFor();
  });

  test("web-57 drafts survive a reload and a new server at the same address; old pins do not", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, "<h1>Title</h1><p>Words</p>");
    const { page } = overlay;
    await overlay.comment(overlay.on("h1"), "a saved note");
    await overlay.pin(1).waitFor();
    await type(overlay, "p", "half a thought");
    await page.reload();
    await overlay.host.getByRole("button", { name: 'Draft on paragraph "Words"' }).click();
    expect(await overlay.field.inputValue()).toBe("half a thought");
    await page.keyboard.press("Escape");

    const before = await documentId(overlay);
    process.kill(preview.pid, "SIGKILL");
    await overlay.host.locator(".banner").getByText("Connection to the preview lost").waitFor();
    // Deliver what the dead server left, so that the new one starts without notes.
    await preview.wait();
    await preview.restart();
    await reloaded(overlay, before);
    await overlay.host.getByRole("button", { name: 'Draft on paragraph "Words"' }).click();
    expect(await overlay.field.inputValue()).toBe("half a thought");
    expect(await overlay.pins.count()).toBe(0);
    await page.keyboard.press("Control+Shift+Enter");
    expect((await preview.wait()).records.map((note) => note.comment)).toEqual(["half a thought"]);
  });

  test("a note in flight when the page reloads is saved once", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, "<h1>Title</h1>");
    const { page } = overlay;
    let held = 0;
    await page.route("**/annotation", async (route) => {
      held++;
      const response = await preview.post("/annotation", route.request().postDataJSON());
      // The server has it; the answer is lost with the page.
      if (held === 1) return;
      await route.fulfill({ status: response.status, body: await response.text() });
    });
    await type(overlay, "h1", "in flight");
    await page.keyboard.press("Control+Enter");
    await until("the server to have it", async () => (await preview.notes()).length === 1);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await overlay.pin(1).waitFor();
    await until("the retry", () => held === 2);
    await overlay
      .button(/^Notes 1$/)
      .first()
      .waitFor();
    expect((await preview.notes()).length).toBe(1);
    expect(await overlay.pins.count()).toBe(1);
  });

  test("web-58 a reload that changes only the fragment is a true one, and keeps it", async () => {
    const preview = await startPreview();
    preview.write("001.html", fixture("long.html"));
    const overlay = await openPage(browser(), preview, { path: "/#part-d" });
    const before = await documentId(overlay);
    preview.write("001.html", fixture("long.html").replaceAll("A long page", "An edited page"));
    await reloaded(overlay, before);
    expect(await overlay.page.evaluate(() => [location.pathname, location.hash])).toEqual(["/", "#part-d"]);
    expect(await overlay.on("h1").textContent()).toBe("An edited page");
  });

  test("a page opened at / follows the newest screen; one opened by name stays on it", async () => {
    const preview = await startPreview();
    preview.write("001.html", html("<h1>One</h1>"));
    const newest = await openPage(browser(), preview);
    const named = await openPage(browser(), preview, { path: "/001.html?x=1" });
    await named.page.evaluate(() => history.pushState(null, "", "/app/route"));
    const before = await documentId(named);
    preview.write("002.html", html("<h1>Two</h1>"));
    await newest.on("h1").getByText("Two").waitFor();
    await reloaded(named, before);
    expect(await named.on("h1").textContent()).toBe("One");
    expect(await named.page.evaluate(() => location.pathname)).toBe("/001.html");
    // Its notes are the other screen's business, but listed there.
    await named.comment(named.on("h1"), "on one");
    await newest
      .button(/^Notes 1/)
      .first()
      .click();
    await newest.list.getByRole("link", { name: "001.html" }).waitFor();
    expect(await newest.pins.count()).toBe(0);
  });

  test("the waiting page cannot be annotated, and gives way to the first screen", async () => {
    const preview = await startPreview();
    const overlay = await openPage(browser(), preview);
    expect(await overlay.host.getByRole("button", { name: /^Annotate \(no screen/ }).isDisabled()).toBe(true);
    await overlay.page.keyboard.press("Control+a");
    preview.write("001.html", html("<h1>Here</h1>"));
    await overlay.on("h1").getByText("Here").waitFor();
    await overlay.button("Annotate").waitFor();
  });

  test("edit, delete and undo while held; too late once it is sent", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, "<h1>Title</h1><p>Words</p>");
    const { page } = overlay;
    await overlay.comment(overlay.on("h1"), "frist");
    await overlay.pin(1).click();
    await overlay.button("Edit note 1").last().click();
    expect(await overlay.field.inputValue()).toBe("frist");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("first");
    await overlay.button("Save").click();
    await until("the edit", async () => (await preview.notes())[0]!.comment === "first");
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    await overlay.list.getByRole("button", { name: "Delete note 1" }).click();
    await until("the deletion", async () => (await preview.notes()).length === 0);
    await overlay.button("Undo").click();
    await overlay.pin(1).waitFor();
    expect((await preview.notes()).map((note) => note.comment)).toEqual(["first"]);

    await overlay.list.getByRole("button", { name: "Edit note 1" }).click();
    await overlay.field.fill("second thoughts");
    await preview.post("/session/flush");
    await overlay.button("Save").click();
    await overlay.host.getByText("This note was already sent. Add the text as a new note?").waitFor();
    await overlay.button("Add note").click();
    await overlay.pin(2).waitFor();
    expect((await preview.notes()).map((note) => note.comment)).toEqual(["first", "second thoughts"]);
  });

  test("a done note fades from the page, stays in the list, and can be reopened", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, "<h1>Title</h1>");
    await overlay.comment(overlay.on("h1"), "bigger");
    await overlay.pin(1).waitFor();
    await overlay.button(/^Send to agent/).click();
    const [sent] = await preview.take();
    await preview.wait("--done", "1", "--timeout", "0.1");
    await overlay.host.getByRole("button", { name: /^Note 1, done:/ }).waitFor();
    await overlay.pin(1).waitFor({ state: "hidden", timeout: 60_000 });
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    await overlay.list.getByRole("button", { name: "Reopen note 1" }).click();
    expect(await overlay.field.inputValue()).toBe("Still open: bigger");
    await overlay.page.keyboard.press("Control+Enter");
    await overlay.pin(2).waitFor();
    expect((await preview.notes()).at(-1)!.context!.follow_up_of).toBe(sent!.id);
  });

  test("web-60 the agent's reply is text, is shown once, and takes no focus", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, `<h1>Title</h1><input id="in">`);
    const { page } = overlay;
    await overlay.on("#in").focus();
    await preview.wait("--reply", "<b>x</b>", "--timeout", "0.2");
    const panel = overlay.host.getByRole("group", { name: "Reply from the agent" });
    expect(await panel.locator(".reply-text").textContent()).toBe("<b>x</b>");
    expect(await panel.locator("b").count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("in");
    await until("it to be said", async () =>
      (await overlay.said()).some((words) => words.includes("Agent: <b>x</b>")),
    );
    await overlay.button("Close reply").click();
    await page.reload();
    await overlay.host.getByRole("toolbar").waitFor();
    await overlay
      .button(/^Notes/)
      .first()
      .click();
    await overlay.list.getByText("<b>x</b>").waitFor();
    expect(await panel.isVisible()).toBe(false);
    expect((await overlay.said()).join()).not.toContain("Agent:");
  });

  test("failed sends say so and can be repeated; refused texts come back to the writer", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, "<h1>Title</h1>");
    const { page } = overlay;
    await overlay.comment(overlay.on("h1"), "note");
    await overlay.pin(1).waitFor();
    await page.route("**/session/flush", (route) => route.abort());
    await overlay.button(/^Send to agent/).click();
    await overlay.host.getByText("Could not send to agent.").waitFor();
    await page.unroute("**/session/flush");
    await overlay.button("Retry").click();
    await until("the flush", async () => (await preview.notes())[0]!.state === "queued");
    await page.route("**/annotation", (route) => route.fulfill({ status: 413, body: "{}" }));
    await type(overlay, "h1", "far too long");
    await page.keyboard.press("Control+Enter");
    await overlay.host.getByText("This note is too long to be saved.").waitFor();
    expect(await overlay.field.inputValue()).toBe("far too long");
    await page.unroute("**/annotation");
    await page.keyboard.press("Control+Enter");
    await overlay.pin(2).waitFor();
  });

  test("notes are copied as Markdown", async () => {
    const preview = await startPreview();
    const overlay = await annotated(preview, `<h1>Title</h1><div data-ce-variant="B"><p>Words</p></div>`);
    const { page } = overlay;
    await page
      .context()
      .grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(page.url()).origin });
    await overlay.comment(overlay.on("p"), "shorter");
    await overlay.pin(1).waitFor();
    await overlay.button("More").click();
    await overlay.button("Copy notes as Markdown").click();
    const copied = await until("the copy", () => page.evaluate(() => navigator.clipboard.readText()));
    expect(copied).toBe(
      "1. shorter\n   - screen: `001.html`\n   - element: `p`\n   - text: “Words”\n   - variant: B\n   - status: Not sent\n",
    );
  });

  test("web-53 default mode: a lost preview says so in the title and comes back", async () => {
    const preview = await startPreview({ annotate: false });
    preview.write("001.html", "<h1>Sketch</h1>");
    const context = await newContext(browser());
    const page = await context.newPage();
    await page.goto(preview.url);
    const title = await page.title();
    process.kill(preview.pid, "SIGKILL");
    await until(
      "the title to say so",
      async () => (await page.title()).startsWith("(preview stopped) "),
      20_000,
    );
    expect(await page.locator("h1").textContent()).toBe("Sketch");
    await preview.restart();
    await until("the title to be restored", async () => (await page.title()) === title, 20_000);
  });
});
