import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasBrowser, newContext, type Overlay, overlayOf, useBrowser } from "../../browser/support.ts";
import { until } from "../../support/run.ts";
import { type Agent, type Any, expectAllRun, makeAgent, put } from "./agent.ts";

if (hasBrowser) expectAllRun("show");

const scratch = "scratch";
const start = "web start --root <abs-path>";
const annotate = "web start --root <abs-path> --annotate";
const ownerless = "web start --root <abs-path> --owner-pid none";
const foreground = "web start --root <abs-path> --foreground";
const open = "web start --root <abs-path> --host";
const status = "web status";
const stop = "web stop";
const wait = "web wait --root <abs-path>";
const bounded = "web wait --root <abs-path> --timeout";
const outcomes = "web wait --root <abs-path> --done";
const ask = "web wait --root <abs-path> --reply";
const reply = "web reply";
const annotations = "web annotations";

interface Show {
  agent: Agent;
  root: string;
  /** The values of every line about this root. */
  values: Record<string, string>;
  screen(name: string, html: string): void;
}

/** An agent with its root made by the skill's first line; every server of the drill is stopped in the end. */
async function makeShow(): Promise<Show> {
  const agent = await makeAgent("show");
  const root = (await agent.run(scratch, { "skill-token": "drill", "run-id": "run-1" })).stdout.trim();
  const values = { "abs-path": root };
  onTestFinished(async () => {
    await agent.run(stop, values);
    const file = join(root, "state/server.pid");
    expect(existsSync(file) && isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });
  return { agent, root, values, screen: (name, html) => void put(join(root, "screens", name), html) };
}

const OPTIONS = "<h1>Directional</h1><p id=a>Option A</p><p id=b>Option B</p><p id=c>Option C</p>";

/** Pin a comment on an element, as a person does. */
async function pin(overlay: Overlay, selector: string, comment: string): Promise<void> {
  await overlay.comment(overlay.page.locator(selector), comment);
}

describe("display", () => {
  test("skills-show-1 skills-show-2 skills-show-3 drill: a screen, its successor, the end", async () => {
    const { agent, values, screen } = await makeShow();
    expect((await agent.run("skills preflight")).json().status).toBe("ok");
    screen("001-layout.html", OPTIONS);
    const first = (await agent.run(start, values)).json();
    expect(first.status).toBe("started");
    const page = await (await fetch(first.url)).text();
    for (const option of ["Option A", "Option B", "Option C"]) expect(page).toContain(option);
    expect(page).not.toMatch(/<form|EventSource|<button/);
    expect((await agent.run(status, values)).json()).toMatchObject({ status: "running", pid: first.pid });

    screen("002-density.html", "<h1>Dense or airy</h1>");
    const second = (await agent.run(start, values)).json();
    expect(second).toMatchObject({ status: "running", pid: first.pid });
    expect(await (await fetch(first.url)).text()).toContain("Dense or airy");
    expect((await agent.run(stop, values)).json().status).toBe("stopped");
    await until("the server to be gone", () => !isAlive(first.pid));
    expect((await agent.run("skills show")).stdout).toContain("# Show a screen");
  });

  test("a server without an owner outlives the shell that started it; the other mode has another address", async () => {
    const { agent, values, screen } = await makeShow();
    screen("001-layout.html", OPTIONS);
    const { url, pid } = (await agent.run(ownerless, values)).json();
    const record = JSON.parse(readFileSync(join(values["abs-path"]!, "state/display-info.json"), "utf8"));
    expect(record.owner_pid).toBeNull();
    const second = (await agent.run(annotate, values)).json();
    expect(second.url).not.toBe(url);
    await until("the display server to be gone", () => !isAlive(pid));
  });

  test("skills-show-4 drill: in the foreground, and open to a network", async () => {
    const { agent, values, screen } = await makeShow();
    screen("001-layout.html", OPTIONS);
    const child = agent.start(foreground, values);
    const line = await new Promise<string>((resolve) =>
      child.stdout!.once("data", (chunk) => resolve(String(chunk))),
    );
    expect(JSON.parse(line.split("\n")[0]!)).toMatchObject({ status: "running" });
    await agent.run(stop, values);
    await until("the foreground server to end", () => child.exitCode !== null);

    const wide = (await agent.run(open, values)).json();
    expect(wide).toMatchObject({ status: "started", host: "0.0.0.0" });
    expect(wide.urls).toContain(wide.url);
  });
});

describe.skipIf(!hasBrowser)("annotate", () => {
  const browser = useBrowser();

  async function openUrl(url: string, path = "/"): Promise<Overlay> {
    const context = await newContext(browser());
    const page = await context.newPage();
    await page.goto(url + path);
    const overlay = overlayOf(page);
    await overlay.host.getByRole("toolbar").waitFor();
    return overlay;
  }

  const send = (overlay: Overlay) => overlay.button(/^Send to agent/).click();

  test("skills-show-7 skills-show-16 drill: two notes on two screens, edited, answered, done", async () => {
    const { agent, root, values, screen } = await makeShow();
    screen("001-home.html", "<h1 id=title>Home</h1>");
    screen(
      "002-list.html",
      '<div data-ce-variant="list"><div data-ce-variant="dense"><p id=row>Row</p></div></div>',
    );
    const { url } = (await agent.run(annotate, values)).json();
    const home = await openUrl(url, "/001-home.html");
    await pin(home, "#title", "Say Start");
    const list = await openUrl(url, "/002-list.html");
    await pin(list, "#row", "More air");
    await send(list);

    const run = await agent.run(wait, values);
    expect(run.code).toBe(0);
    const notes = run.json() as Any[];
    expect(notes.map(({ number, screen: file, comment }) => [number, file, comment])).toEqual([
      [1, "001-home.html", "Say Start"],
      [2, "002-list.html", "More air"],
    ]);
    expect(notes[1].variant).toEqual(["list", "dense"]);
    for (const note of notes) {
      const path = join(root, "screens", note.screen);
      put(path, readFileSync(path, "utf8").replace("Home", "Start").replace("Row", "A row, with air"));
    }
    await home.page.getByText("Start", { exact: true }).waitFor();
    await list.page.getByText("A row, with air").waitFor();

    const said = {
      n: "1",
      "n 2": "2",
      "n 3": "1",
      text: "the list is as it was",
      "text 2": "which title?",
      label: "A",
      "label 2": "B",
    };
    // All three kinds of a line, each about a note of its own, as an agent picks what applies.
    const run2 = await agent.run(outcomes, { ...values, ...said, "n 3": "99" });
    expect(run2).toMatchObject({ code: 2, stdout: "" });
    expect(run2.stderr).toContain("note 99: unknown");
    expect((await agent.run(reply, { ...values, n: "2", text: "Half way" })).json()).toEqual({ ok: true });
    await list
      .button(/^Notes/)
      .first()
      .click();
    await list.list.getByText("Half way").waitFor();
    const next = agent.start(ask, {
      ...values,
      text: "Both done; the list is airier.",
      "text 2": "Which of the two?",
      label: "A",
      "label 2": "B",
    });
    await until("both notes to be done", async () => {
      const all = (await agent.run(annotations, values)).json() as Any[];
      return all.every(({ state }) => state === "done");
    });
    await list.host.getByText("Both done; the list is airier.").first().waitFor({ state: "attached" });
    await list.button("Close notes").click();
    await list.host.getByRole("group", { name: "The agent asks" }).getByRole("button", { name: "B" }).click();
    await list.button("Send answer").click();
    const verdict = await new Promise<string>((resolve) =>
      next.stdout!.once("data", (chunk) => resolve(String(chunk))),
    );
    expect(JSON.parse(verdict)).toMatchObject([{ comment: "B", context: { kind: "verdict", choice: "B" } }]);
  });

  test("skills-show-8 drill: the person ends the session, or nobody comes", async () => {
    const { agent, values, screen } = await makeShow();
    screen("001-home.html", "<h1 id=title>Home</h1>");
    const { url } = (await agent.run(annotate, values)).json();
    const page = await openUrl(url);
    const waiting = agent.run(wait, values);
    await page.fromMenu("End session");
    const confirm = page.host.getByRole("button", { name: /^End/ });
    await until("the session to end", async () => {
      const { session_ended: ended } = (await agent.run(status, values)).json();
      if (ended) return true;
      for (const button of await confirm.all()) await button.click({ timeout: 500 }).catch(() => undefined);
      return false;
    });
    const run = await waiting;
    expect(run.code).toBe(1);
    expect(run.json()).toEqual({ status: "session-ended", reason: "user-ended" });

    const env = { CE_LIGHT_WEB_IDLE_TIMEOUT_MS: "300", CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "100" };
    await agent.run(annotate, values, { env });
    await until(
      "the server to end by itself",
      async () => (await agent.run(status, values)).json().status === "stopped",
    );
    const idle = await agent.run(wait, values);
    expect(idle).toMatchObject({ code: 1 });
    expect(idle.json().reason).toBe("idle");
  });

  test("skills-show-13 skills-show-14 drill: a bounded wait, and a batch whose output was lost", async () => {
    const { agent, values, screen } = await makeShow();
    screen("001-home.html", "<h1 id=title>Home</h1>");
    const { url } = (await agent.run(annotate, values)).json();
    const page = await openUrl(url);
    const first = await agent.run(bounded, { ...values, secs: "1" });
    expect(first).toMatchObject({ code: 3, stdout: '{"status":"waiting"}\n' });
    await pin(page, "#title", "Say Start");
    await send(page);
    // The output of this batch is thrown away.
    const lost = (await agent.run(wait, values)).json().map(({ id }: Any) => id);
    const again = (await agent.run(annotations, values)).json().map(({ id }: Any) => id);
    expect(again).toEqual(lost);
    expect(again).toHaveLength(1);
  });
});

describe("the wrong mode", () => {
  test("skills-show-9 drill: exit 2 says what is missing, and starting with --annotate mends it", async () => {
    const { agent, values, screen } = await makeShow();
    screen("001-home.html", "<h1>Home</h1>");
    const none = await agent.run(wait, values);
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(none.stderr).toContain("Server is not running");
    const display = (await agent.run(start, values)).json();
    const plain = await agent.run(wait, values);
    expect(plain).toMatchObject({ code: 2, stdout: "" });
    expect(plain.stderr).toContain("Annotation is not enabled for this server");
    const replaced = (await agent.run(annotate, values)).json();
    expect(replaced).toMatchObject({ status: "started", annotate: true });
    expect(replaced.pid).not.toBe(display.pid);
    expect(replaced.token).toMatch(/^[0-9a-f-]{36}$/);
    expect(replaced.authorize_url).toContain(replaced.token);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
