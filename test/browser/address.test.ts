import http from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../support/run.ts";
import {
  hasBrowser,
  newContext,
  openPage,
  overlayOf,
  type Preview,
  startPreview,
  useBrowser,
} from "./support.ts";

const browser = useBrowser();

/** Another program's server on this machine. What it was sent is what its owner can read. */
interface Other {
  port: number;
  /** Every `Cookie` header that came. */
  cookies: string[];
  close(): Promise<void>;
}

async function otherServer(port: number, pages: Record<string, string>): Promise<Other> {
  const cookies: string[] = [];
  const server = http.createServer((request, response) => {
    cookies.push(request.headers.cookie ?? "");
    const page = pages[request.url!];
    const script = request.url!.endsWith(".js");
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": script ? "text/javascript" : "text/html",
    });
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(port, "0.0.0.0", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  return { port: (server.address() as AddressInfo).port, cookies, close };
}

const screen = (body = "") =>
  `<!doctype html><body style="margin:60px"><button id="save">Save</button>${body}</body>`;

async function comments(preview: Preview): Promise<string[]> {
  return (await preview.notes()).map((note) => note.comment);
}

/** A page opened at `path` of another server. */
async function visit(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

const lan = Object.values(networkInterfaces())
  .flat()
  .find((entry) => entry !== undefined && !entry.internal && entry.family === "IPv4")?.address;

describe.skipIf(!hasBrowser)("the address of a session", () => {
  test("web-61 a browser on this machine is sent to a name of the root's own, and annotates there", async () => {
    const preview = await startPreview();
    preview.write("001.html", screen());
    expect(preview.url).toBe(`http://localhost:${preview.port}`);
    const overlay = await openPage(browser(), preview, { path: "/001.html?a=b#c" });
    const own = new URL(overlay.page.url());
    expect(own.hostname).toMatch(/^[0-9a-f]{20}\.localhost$/);
    expect([own.port, own.pathname, own.search, own.hash]).toEqual([
      String(preview.port),
      "/001.html",
      "?a=b",
      "#c",
    ]);
    await overlay.comment(overlay.on("#save"), "from the own name");
    await until("the note", async () => (await comments(preview)).includes("from the own name"));
    for (const host of ["127.0.0.1", "[::1]", "other.localhost"]) {
      const page = await visit(overlay.page.context(), `http://${host}:${preview.port}/`);
      expect(new URL(page.url()).hostname).toBe(own.hostname);
    }
    await preview.stop();
    await preview.restart();
    const again = await visit(overlay.page.context(), preview.url);
    expect(new URL(again.url()).hostname).toBe(own.hostname);
  });

  test("web-61 no other port of this machine is shown the token, whatever it makes the browser do", async () => {
    const preview = await startPreview();
    preview.write("001.html", screen());
    const overlay = await openPage(browser(), preview);
    const context = overlay.page.context();
    const target = `:${preview.port}/`;
    const other = await otherServer(0, {
      "/": `<!doctype html><img src="http://localhost${target}"><iframe src="http://127.0.0.1${target}"></iframe>`,
      "/go": `<!doctype html><script>location.replace("http://thief.localhost${target}")</script>`,
      "/sub": "here",
    });
    for (const host of ["localhost", "127.0.0.1", "[::1]", "thief.localhost"]) {
      for (const path of ["/", "/go"]) {
        const page = await visit(
          context,
          `http://${host === "[::1]" ? "127.0.0.1" : host}:${other.port}${path}`,
        );
        await page.waitForTimeout(200);
        const back = await visit(
          context,
          `http://${host === "[::1]" ? "localhost" : host}:${other.port}/sub`,
        );
        await back.evaluate(() => fetch("/sub").then((answer) => answer.text()));
      }
    }
    expect(other.cookies.length).toBeGreaterThan(8);
    expect(other.cookies.filter((cookie) => cookie !== "")).toEqual([]);
  });

  test("web-61 link: the name and the credential come with the link alone", async () => {
    const preview = await startPreview({ args: ["--auth", "link"] });
    preview.write("001.html", screen());
    const context = await newContext(browser());
    const plain = await visit(context, preview.url);
    expect(new URL(plain.url()).hostname).toBe("localhost");
    await overlayOf(plain).host.getByText("View only").first().waitFor();
    const page = await visit(context, `${preview.url}/__ce-annotate/authorize?token=${preview.token}`);
    await page.waitForURL(/^http:\/\/[0-9a-f]{20}\.localhost:\d+\/$/);
    await overlayOf(page).button("Annotate").waitFor();
  });

  test("web-61 open: as upstream, at the address that was asked for", async () => {
    const preview = await startPreview({ args: ["--auth", "open"] });
    preview.write("001.html", screen());
    const overlay = await openPage(browser(), preview);
    expect(overlay.page.url()).toBe(`${preview.url}/`);
    await overlay.comment(overlay.on("#save"), "open");
    await until("the note", async () => (await comments(preview)).includes("open"));
  });
});

const WORKER = `
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
const attack = async () => {
  const body = JSON.stringify({ comment: "from the worker", selector: "h1", page: "/001.html" });
  for (let i = 0; i < 40; i++) {
    await fetch("/annotation", { method: "POST", body }).catch(() => {});
    await fetch("/session/flush", { method: "POST" }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
self.addEventListener("fetch", (event) => {
  event.waitUntil(attack());
  if (event.request.mode === "navigate") event.respondWith(fetch(event.request));
});
`;

/** A profile in which something else, served at this address before, left a service worker. */
async function withWorker(host: string): Promise<{ context: BrowserContext; port: number }> {
  const context = await newContext(browser());
  const before = await otherServer(0, {
    "/": `<!doctype html><script>navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => document.title = "ready")</script>`,
    "/worker.js": WORKER,
  });
  const page = await visit(context, `http://${host}:${before.port}/`);
  await until("the worker", async () => (await page.title()) === "ready");
  await page.close();
  await before.close();
  return { context, port: before.port };
}

describe.skipIf(!hasBrowser)("service workers", () => {
  test.each([true, false])("web-62 a screen cannot leave one behind (annotate: %s)", async (annotate) => {
    const preview = await startPreview({ annotate });
    preview.write("worker.js", WORKER);
    preview.write(
      "001.html",
      screen(
        `<script>navigator.serviceWorker.register("/worker.js").catch((error) => document.title = "refused: " + error.name)</script>`,
      ),
    );
    const page = await visit(await newContext(browser()), preview.url);
    await until("the refusal", async () => (await page.title()).startsWith("refused:"));
    expect(
      await page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length)),
    ).toBe(0);
  });

  test("web-62 one that was left on the port before neither posts nor flushes", async () => {
    const { context, port } = await withWorker("localhost");
    const preview = await startPreview({ args: ["--port", String(port)] });
    preview.write("001.html", screen());
    const overlay = await openPage(browser(), preview, { context });
    await overlay.comment(overlay.on("#save"), "mine");
    await overlay.page.waitForTimeout(1500);
    expect(await comments(preview)).toEqual(["mine"]);
    expect((await preview.notes()).map((note) => note.state)).toEqual(["held"]);
    expect(
      await overlay.page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length)),
    ).toBe(0);
  });

  test("where the address cannot be changed, it is sent away before the overlay says anything", async () => {
    const { context, port } = await withWorker("127.0.0.2");
    const preview = await startPreview({ args: ["--port", String(port), "--host", "127.0.0.2"] });
    preview.write("001.html", screen());
    const requests: string[] = [];
    const page = await context.newPage();
    page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto(`http://127.0.0.2:${port}/`);
    const overlay = overlayOf(page);
    await overlay.host.getByRole("toolbar").waitFor();
    await until("the stream", () => requests.includes("GET /events"));
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
    expect(
      await page.evaluate(() => navigator.serviceWorker.getRegistrations().then((all) => all.length)),
    ).toBe(0);
    // The page that was still controlled asked for nothing but its script and style.
    const own = requests.slice(0, requests.lastIndexOf("GET /"));
    expect(own.filter((request) => !/annotate\.(js|css)$|^GET \/$|favicon/.test(request))).toEqual([]);
  });
});

describe.skipIf(!hasBrowser || lan === undefined)(
  "a network address, where the browser says little of a request",
  () => {
    test("web-63 a page on another port drains no queue, opens no stream and frames no overlay", async () => {
      const preview = await startPreview({ args: ["--host", "0.0.0.0"] });
      preview.write("part.html", "<p>Part</p>");
      preview.write("001.html", screen(`<iframe src="/part.html"></iframe>`));
      const at = `http://${lan}:${preview.port}`;
      const context = await newContext(browser());
      const first = await visit(context, `${at}/__ce-annotate/authorize?token=${preview.token}`);
      const overlay = overlayOf(first);
      await overlay.button("Annotate").waitFor();
      // The screen's own frame shows the file, without an overlay in it.
      await first.frameLocator("css:light=iframe").getByText("Part").waitFor();
      expect(await first.frameLocator("css:light=iframe").locator("ce-annotate-host").count()).toBe(0);
      await overlay.comment(overlay.on("#save"), "not for others");
      await overlay.button(/^Send to agent/).click();
      await until("the note queued", async () => (await preview.notes())[0]?.state === "queued");

      const other = await otherServer(0, {
        "/": `<!doctype html><img src="${at}/wait"><img src="${at}/events"><script src="${at}/wait"></script>
        <link rel="stylesheet" href="${at}/wait"><iframe src="${at}/wait"></iframe><iframe id="f" src="${at}/"></iframe>
        <script>new EventSource("${at}/events?document=guess", { withCredentials: true });
        fetch("${at}/wait", { mode: "no-cors", credentials: "include" })</script>`,
      });
      const page = await visit(context, `http://${lan}:${other.port}/`);
      await page.waitForTimeout(1000);
      expect((await preview.notes()).map((note) => note.state)).toEqual(["queued"]);
      for (const frame of page.frames().slice(1)) {
        const shown = await frame
          .evaluate(() => document.querySelectorAll("[data-ce-session], ce-annotate-host").length)
          .catch(() => 0);
        expect(shown).toBe(0);
      }
      expect((await preview.take()).map((note) => note.comment)).toEqual(["not for others"]);
    });

    test("web-63 a page reached by a link of another site comes without the cookie, and gets its stream all the same", async () => {
      const preview = await startPreview({ args: ["--host", "0.0.0.0"] });
      preview.write("001.html", screen());
      const at = `http://${lan}:${preview.port}`;
      const context = await newContext(browser());
      const first = await visit(context, `${at}/__ce-annotate/authorize?token=${preview.token}`);
      await overlayOf(first).button("Annotate").waitFor();
      await first.close();
      const other = await otherServer(0, { "/": `<!doctype html><a href="${at}/">there</a>` });
      const page = await visit(context, `http://localhost:${other.port}/`);
      await page.getByText("there").click();
      const overlay = overlayOf(page);
      await overlay.comment(overlay.on("#save"), "after the link");
      await until("the note", async () => (await comments(preview)).includes("after the link"));
      await overlay.host.getByText("Waiting for your agent to listen").first().waitFor();
    });
  },
);
