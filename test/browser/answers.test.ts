import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runJig, startJig, until } from "../support/run.ts";
import {
  hasBrowser,
  newContext,
  type Overlay,
  openPage,
  type Preview,
  startPreview,
  useBrowser,
} from "./support.ts";

const browser = useBrowser();

const THREE = "<!doctype html><h1>Title</h1><p id=a>First</p><p id=b>Second</p><p id=c>Third</p>";

async function show(html = THREE, env = {}): Promise<{ preview: Preview; overlay: Overlay }> {
  const preview = await startPreview({ env });
  preview.write("001.html", html);
  return { preview, overlay: await openPage(browser(), preview) };
}

/** Notes on the first so many paragraphs, sent and taken by the agent. */
async function working(preview: Preview, overlay: Overlay, count: number): Promise<void> {
  for (const id of ["a", "b", "c"].slice(0, count)) await overlay.comment(overlay.on(`#${id}`), `on ${id}`);
  await overlay.pin(count).waitFor();
  await overlay.button(/^Send to agent/).click();
  await until("the notes to be sent", async () =>
    (await preview.notes()).every(({ state }) => state === "queued"),
  );
  expect((await preview.wait()).records).toHaveLength(count);
}

const pinned = (overlay: Overlay, name: RegExp) => overlay.host.getByRole("button", { name }).first();

const openList = (overlay: Overlay) =>
  overlay
    .button(/^Notes/)
    .first()
    .click();

const stored = (preview: Preview) =>
  JSON.parse(readFileSync(join(preview.root, "state/annotations.json"), "utf8")).records as {
    number: number;
    state: string;
    outcome?: string;
    answers?: { kind: string; text?: string }[];
  }[];

/** A wait that goes on in the background; its output so far. */
function waiting(preview: Preview, ...words: string[]) {
  const child = startJig(["web", "wait", "--root", preview.root, ...words]);
  const said = { child, stdout: "" };
  child.stdout!.on("data", (chunk) => (said.stdout += String(chunk)));
  onTestFinished(() => void child.kill("SIGKILL"));
  return said;
}

const listed = async (preview: Preview) =>
  (await (
    await fetch(`http://127.0.0.1:${preview.port}/__ce-annotate/annotations`, {
      headers: { "x-session-token": preview.token },
    })
  ).json()) as {
    ask: { id: string } | null;
    waiting: boolean;
    records: { outcome: string | null; state: string }[];
  };

describe.skipIf(!hasBrowser)("what the agent did, note by note", () => {
  test("overlay-9 done, declined and a question: three marks, three texts, and a reply to the question", async () => {
    const { preview, overlay } = await show();
    await working(preview, overlay, 3);
    const answers = ["--done", "1", "--declined", "2:no: Teams uses it", "--question", "3:which? ü"];
    expect((await preview.wait(...answers, "--timeout", "0.2")).code).toBe(3);
    await pinned(overlay, /^Note 1, done: on a/).waitFor();
    await pinned(overlay, /^Note 2, declined: no: Teams uses it: on b/).waitFor();
    const question = pinned(overlay, /^Note 3, the agent asks: which\? ü: on c/);
    expect(await question.textContent()).toBe("?");
    await openList(overlay);
    await overlay.list.getByText("no: Teams uses it").waitFor();
    await overlay.list.getByText("The agent asks:").waitFor();
    const headings = await overlay.list.getByRole("heading", { level: 3 }).allTextContents();
    expect(headings.filter((_, at) => at === 0)).toEqual(["The agent asks"]);
    await overlay.list.getByRole("button", { name: "Reply note 3" }).click();
    await overlay.page.keyboard.type("The green one");
    await overlay.page.keyboard.press("Control+Shift+Enter");
    const [reply] = (await preview.wait()).records;
    expect(reply!.comment).toBe("The green one");
    expect(reply!.context!["in_reply_to"]).toEqual({
      id: (await preview.notes())[2]!.id,
      number: 3,
      question: "which? ü",
    });
    await question.waitFor({ state: "hidden" });
  });

  test("overlay-10 unanswered: moved on, or ended before the answer; frames go on saying done", async () => {
    const { preview, overlay } = await show();
    await working(preview, overlay, 1);
    await preview.wait("--timeout", "0.2");
    const passed = pinned(overlay, /^Note 1, agent moved on: check/);
    await passed.waitFor();
    expect(await passed.getAttribute("class")).toContain("passed");
    expect((await listed(preview)).records).toMatchObject([{ state: "done", outcome: "passed" }]);

    await overlay.comment(overlay.on("#b"), "second");
    await overlay.pin(2).waitFor();
    await overlay.button(/^Send to agent/).click();
    await until("the note", async () => (await preview.wait("--timeout", "0.5")).records.length === 1);
    await preview.stop();
    await openList(overlay);
    await overlay.list.getByText("Session ended before the agent answered: check").waitFor();

    // Killed while the agent works: the next server knows that nothing came any more.
    const other = await startPreview();
    other.write("001.html", THREE);
    const body = { page: "/001.html", comment: "c", selector: "h1", client_id: "c" };
    await other.post("/annotation", body);
    await other.post("/session/flush");
    await other.wait();
    // A moment later it is on disk that the agent has it; killed before, the note would be handed over again.
    await until("the delivery to be stored", () => stored(other)[0]?.state === "working");
    process.kill(other.pid, "SIGKILL");
    await until("the server to be gone", async () => {
      const { stdout } = await runJig(["web", "status", "--root", other.root]);
      return stdout.includes("stopped");
    });
    await other.restart();
    const { stdout } = await runJig(["web", "annotations", "--root", other.root]);
    expect(JSON.parse(stdout)).toMatchObject([{ state: "done", outcome: "abandoned" }]);
  });

  test("overlay-11 what cannot be answered changes nothing: unknown, named twice, not delivered", async () => {
    const { preview, overlay } = await show();
    await working(preview, overlay, 1);
    await overlay.comment(overlay.on("#b"), "held");
    await overlay.pin(2).waitFor();
    const before = JSON.stringify((await listed(preview)).records);
    for (const [words, why] of [
      [["--done", "99"], "note 99: unknown"],
      [["--done", "1", "--declined", "1:x"], "note 1 is named twice"],
      [["--done", "1,2"], "note 2: not delivered yet"],
      [["--done", "x"], "--done must list note numbers"],
      [["--declined", "1"], "--declined must be N:TEXT"],
      [["--choices", "A,B"], "--choices needs --ask"],
      [["--ask", ""], "--ask must be 1 to 300 characters"],
      [["--ask", "x", "--choices", "A"], "--choices must be 2 to 8 names of 1 to 40 characters"],
    ] as const) {
      const run = await runJig(["web", "wait", "--root", preview.root, ...words]);
      expect([run.code, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toContain(why);
    }
    expect(JSON.stringify((await listed(preview)).records)).toBe(before);
  });

  test("overlay-12 a line beside one note is there at once, and nothing ends", async () => {
    const { preview, overlay } = await show();
    await working(preview, overlay, 2);
    await openList(overlay);
    const { stdout, code } = await runJig([
      "web",
      "reply",
      "--root",
      preview.root,
      "--note",
      "2",
      "half way",
    ]);
    expect([code, stdout]).toEqual([0, '{"ok":true}\n']);
    await overlay.list.getByText("half way").waitFor();
    expect((await preview.notes()).map(({ state }) => state)).toEqual(["working", "working"]);
    const unknown = await runJig(["web", "reply", "--root", preview.root, "--note", "9", "x"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("note 9: unknown")]);
  });

  test("overlay-13 a question with choices: by the bar, at the part of the page, by keyboard; one record each", async () => {
    const cards = ["A", "B", "C"].map(
      (name) => `<div data-ce-choice="${name}" style="height:60px">Layout ${name}</div>`,
    );
    const { preview, overlay } = await show(`<!doctype html><h1>Layouts</h1>${cards.join("")}`);
    const { page } = overlay;
    const ways = [
      () =>
        overlay.host
          .getByRole("group", { name: "The agent asks" })
          .getByRole("button", { name: "B", exact: true })
          .click(),
      () => overlay.button("Choose B").click(),
      async () => {
        await overlay.button("Choose B").focus();
        await page.keyboard.press("Enter");
      },
    ];
    for (const [at, choose] of ways.entries()) {
      const asked = waiting(preview, "--ask", "Which layout?", "--choices", "A,B,C");
      await overlay.host.getByRole("group", { name: "The agent asks" }).getByText("Which layout?").waitFor();
      await choose();
      await overlay.host.getByRole("dialog", { name: "Message" }).waitFor();
      expect(await preview.notes()).toHaveLength(at);
      await page.keyboard.type("with air");
      if (at === 2) await page.keyboard.press("Control+Enter");
      else await overlay.button("Send answer").click();
      await until("the verdict", () => asked.stdout.endsWith("\n"));
      const [record] = JSON.parse(asked.stdout);
      expect(record).toMatchObject({
        selector: "body",
        textSnippet: null,
        rect: null,
        point: null,
        comment: "B\nwith air",
      });
      expect(record.context).toEqual({
        kind: "verdict",
        ask: expect.stringMatching(/^[0-9a-f-]{36}$/),
        question: "Which layout?",
        choice: "B",
      });
      await until("the question to be closed", async () => (await listed(preview)).ask === null);
    }
  });

  test("overlay-22 the wait is killed: soon nobody is waiting, and when it was last seen", async () => {
    const { preview, overlay } = await show();
    const agent = waiting(preview);
    await overlay.host.getByText("Agent is listening").first().waitFor();
    agent.child.kill("SIGKILL");
    await overlay.host.getByText("No agent is waiting · last seen").first().waitFor();
  });

  test("overlay-28 two tabs: an outcome, an answer, a verdict, a recall and an edit are in both", async () => {
    const { preview, overlay } = await show();
    const context = overlay.page.context();
    const second = await openPage(browser(), preview, { context });
    await working(preview, overlay, 1);
    await preview.wait("--declined", "1:not now", "--timeout", "0.1");
    for (const tab of [overlay, second]) await pinned(tab, /^Note 1, declined: not now/).waitFor();
    await runJig(["web", "reply", "--root", preview.root, "--note", "1", "later maybe"]);
    await openList(second);
    await second.list.getByText("later maybe").waitFor();
    await openList(overlay);
    await overlay.list.getByText("later maybe").waitFor();

    await second.button("Close notes").click();
    await second.comment(second.on("#b"), "tpyo");
    await overlay.list.getByText("tpyo").waitFor();
    await overlay.list.getByRole("button", { name: "Edit note 2" }).click();
    await overlay.field.fill("typo");
    await overlay.button("Save").click();
    await openList(second);
    await second.list.getByText("typo", { exact: true }).waitFor();
    await second.button(/^Send to agent/).click();
    await overlay.list.getByRole("button", { name: "Recall note 2" }).click();
    for (const tab of [overlay, second]) await tab.list.getByText("Not sent").first().waitFor();

    const asked = waiting(preview, "--ask", "Good?");
    await second.button("Close notes").click();
    const group = second.host.getByRole("group", { name: "The agent asks" });
    await group.getByRole("button", { name: "Looks good" }).click();
    await second.button("Send answer and 1 note").click();
    await until("both", () => asked.stdout.endsWith("\n"));
    await overlay.list.getByText("Looks good").first().waitFor();
  });

  test("overlay-32 a killed wait is run again as it was; without a server the file keeps the answer", async () => {
    const { preview, overlay } = await show();
    await working(preview, overlay, 2);
    const first = waiting(preview, "--done", "1");
    await until("the answer", async () => (await listed(preview)).records[0]!.outcome === "done");
    first.child.kill("SIGKILL");
    await preview.wait("--done", "1", "--timeout", "0.2");
    expect(stored(preview)[0]!.answers).toHaveLength(1);
    await preview.stop();
    const offline = await runJig(["web", "wait", "--root", preview.root, "--declined", "2:too late"]);
    expect([offline.code, offline.stdout]).toEqual([1, expect.stringContaining("session-ended")]);
    expect(stored(preview)[1]).toMatchObject({
      outcome: "declined",
      answers: [{ kind: "declined", text: "too late" }],
    });
    const again = await runJig(["web", "wait", "--root", preview.root, "--declined", "2:too late"]);
    expect(again.code).toBe(1);
    expect(stored(preview)[1]!.answers).toHaveLength(1);
    const unknown = await runJig(["web", "wait", "--root", preview.root, "--done", "44"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("note 44: unknown")]);
  });

  test("overlay-34 a screen presses choices and Send by script: nothing is chosen or sent; what the agent says is text", async () => {
    const hostile = `<!doctype html><h1>Hostile</h1><button data-ce-choice="A">A</button><script>
      setInterval(() => {
        const root = document.querySelector("ce-annotate-host")?.shadowRoot;
        for (const one of root?.querySelectorAll(".choice,.choice-corner,.send,.message .primary") ?? []) {
          one.click();
          one.dispatchEvent(new PointerEvent("click", { bubbles: true, composed: true }));
          one.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true }));
        }
        window.rounds = (window.rounds ?? 0) + 1;
      }, 20);
    </script>`;
    const { preview, overlay } = await show(hostile);
    await preview.post("/annotation", { page: "/001.html", comment: "held", selector: "h1", client_id: "h" });
    await overlay.pin(1).waitFor();
    const bad = '<img src=x onerror="window.owned=1">';
    const asked = waiting(preview, "--ask", bad, "--choices", `A,${bad}`);
    await overlay.host.getByRole("group", { name: "The agent asks" }).getByText(bad).first().waitFor();
    await overlay.page.waitForFunction(() => (window as unknown as { rounds: number }).rounds > 30);
    expect(await overlay.host.locator("[aria-pressed=true]").count()).toBe(0);
    expect(await overlay.host.getByRole("dialog", { name: "Message" }).isVisible()).toBe(false);
    expect((await preview.notes()).map(({ state }) => state)).toEqual(["held"]);
    expect(asked.stdout).toBe("");
    expect(await overlay.host.locator("img").count()).toBe(0);
    expect(await overlay.page.evaluate(() => "owned" in window)).toBe(false);
  });

  test("overlay-38 two tabs answer one question: one record, the other is told; taken back it is open again", async () => {
    const { preview, overlay } = await show();
    const second = await openPage(browser(), preview, { context: await newContext(browser()) });
    const asked = await preview.post("/__ce-annotate/ask", { question: "Ship?", choices: [] });
    const { id } = (await asked.json()) as { id: string };
    // Both have their panel open before either answers, and the second does not hear of the first in time.
    for (const tab of [overlay, second]) {
      const group = tab.host.getByRole("group", { name: "The agent asks" });
      await group.getByRole("button", { name: "Looks good" }).click();
      await tab.page.keyboard.type("my reasons");
    }
    const verdict = { kind: "verdict", ask: id, question: "Ship?", choice: "needs-changes" };
    await second.page.route("**/annotation", async (route) => {
      await until("the first answer", async () => (await preview.notes()).length === 1);
      await route.continue();
    });
    await second.button("Send answer").click();
    await overlay.button("Send answer").click();
    await until("one record", async () => (await preview.notes()).length === 1);
    await second.host.getByText("This question is no longer open.").first().waitFor();
    expect(
      await second.host.getByRole("textbox", { name: "What should the agent know?" }).inputValue(),
    ).toContain("my reasons");
    const [note] = await preview.notes();
    const again = { page: "/001.html", comment: "x", selector: "body", context: verdict };
    expect((await preview.post("/annotation", again)).status).toBe(409);
    await until("it to be sent", async () => (await preview.notes())[0]!.state === "queued");
    expect((await preview.post(`/__ce-annotate/annotations/${note!.id}/recall`)).status).toBe(200);
    expect((await listed(preview)).ask).toMatchObject({ id });
    // A wait without the question shows that nobody asks any more.
    await preview.wait("--timeout", "0.2");
    await until("the question to be closed", async () => (await listed(preview)).ask === null);
  });

  test("a wait with its question run again as it was: the choice stays, a sent answer is not asked for again", async () => {
    const { preview, overlay } = await show();
    const ask = (...more: string[]) =>
      preview.wait("--ask", "Left or right?", "--choices", "Left,Right", ...more);
    const group = overlay.host.getByRole("group", { name: "The agent asks" });
    expect((await ask("--timeout", "1")).code).toBe(3);
    await group.getByRole("button", { name: "Right" }).click();
    await overlay.page.keyboard.type("it reads first");
    expect((await ask("--timeout", "1")).code).toBe(3);
    await overlay.button("Send answer").click();
    await until("it to be sent", async () => (await preview.notes())[0]?.state === "queued");

    const answered = await ask("--timeout", "5");
    expect(answered.records).toMatchObject([{ context: { kind: "verdict", choice: "Right" } }]);
    expect((await listed(preview)).ask).toBe(null);
    // The same words once the answer was read are a new question.
    expect((await ask("--timeout", "1", "--done", "1")).code).toBe(3);
    await group.getByRole("button", { name: "Left" }).waitFor();
  });
});
