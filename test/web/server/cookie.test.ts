import { describe, expect, test } from "vitest";
import { NAV, UNIT_PORT, type UnitSite, unitSite } from "../support.ts";

const NAME = "0123456789abcdef0123.localhost";
const CHROME = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/150.0.0.0 Safari/537.36",
};
const SAFARI = { "user-agent": "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15" };
const at = (host: string) => ({ host: `${host}:${UNIT_PORT}` });

function annotate(config: Parameters<typeof unitSite>[0] = {}): UnitSite {
  const site = unitSite({ annotate: true, name: NAME, ...config });
  site.write("a b.html", "<p>one");
  return site;
}

const cookieOf = (site: UnitSite) => ({ cookie: `ce-light-web-${UNIT_PORT}=${site.token}` });

/** Where an answer sends the browser, undefined when it answers itself. */
async function sentTo(site: UnitSite, path: string, headers: Record<string, string>, from?: string) {
  const answer = await site.ask(path, {
    headers: { ...NAV, ...headers },
    ...(from === undefined ? {} : { from }),
  });
  const to = answer.headers.get("location");
  if (to === null) return undefined;
  expect([answer.status, answer.headers.get("set-cookie"), answer.headers.get("cache-control")]).toEqual([
    307,
    null,
    "no-store",
  ]);
  return to;
}

describe("a browser on this machine goes to the root's own name", () => {
  test("from every other name of this machine, with path and query", async () => {
    const site = annotate();
    for (const host of ["localhost", "127.0.0.1", "[::1]", "thief.localhost"]) {
      expect(await sentTo(site, "/a%20b.html?x=1&y", { ...CHROME, ...at(host) })).toBe(
        `http://${NAME}:${UNIT_PORT}/a%20b.html?x=1&y`,
      );
    }
    expect(await sentTo(site, "/missing.html", { ...CHROME, host: "localhost" })).toBe(
      `http://${NAME}/missing.html`,
    );
    const there = await site.ask("/", { headers: { ...NAV, ...CHROME, ...at(NAME) } });
    expect([there.status, there.headers.get("set-cookie")]).toEqual([
      200,
      expect.stringContaining(site.token),
    ]);
    expect(await there.text()).toContain(`src="http://${NAME}:${UNIT_PORT}/__ce-annotate/annotate.js"`);
  });

  test("not one that may not find it, nor through a proxy, nor from elsewhere, nor a program", async () => {
    const site = annotate({ host: "0.0.0.0", publicUrl: new URL("http://public.localhost:1") });
    for (const headers of [
      SAFARI,
      { "user-agent": `${CHROME["user-agent"]} Electron/40.0.0` },
      {},
      { ...CHROME, "x-forwarded-for": "10.0.0.1" },
      { ...CHROME, "x-forwarded-proto": "https" },
      { ...CHROME, via: "1.1 x" },
      { ...CHROME, ...at("192.168.0.9") },
      { ...CHROME, ...at("public.localhost") },
    ]) {
      expect(await sentTo(site, "/", headers)).toBeUndefined();
    }
    expect(await sentTo(site, "/", CHROME, "10.0.0.9")).toBeUndefined();
    const head = await site.ask("/", { method: "HEAD", headers: { ...NAV, ...CHROME } });
    expect([head.status, head.headers.get("set-cookie")]).toEqual([200, null]);
  });

  test("not for what is no document: files, frames, the raw screen, /version", async () => {
    const site = annotate();
    site.write("a.css", "p{}");
    for (const path of ["/a.css", "/?__ce-annotate=off", "/version", "/__ce-annotate/annotate.js"]) {
      expect(await sentTo(site, path, CHROME)).toBeUndefined();
    }
    expect(await sentTo(site, "/", { ...CHROME, "sec-fetch-dest": "iframe" })).toBeUndefined();
  });

  test("link: only who shows the credential learns the name", async () => {
    const site = annotate({ auth: "link" });
    expect(await sentTo(site, "/", CHROME)).toBeUndefined();
    expect(await sentTo(site, "/__ce-annotate/authorize?token=guess", CHROME)).toBeUndefined();
    expect(await sentTo(site, `/__ce-annotate/authorize?token=${site.token}`, CHROME)).toBe(
      `http://${NAME}:${UNIT_PORT}/__ce-annotate/authorize?token=${site.token}`,
    );
  });

  test("open: nobody does", async () => {
    const site = annotate({ auth: "open" });
    expect(await sentTo(site, "/", CHROME)).toBeUndefined();
  });
});

describe("the cookie alone", () => {
  const BROWSER = { "sec-fetch-site": "same-origin" };
  const WRITES = [
    ["POST", "/session/flush"],
    ["POST", "/annotation"],
    ["POST", "/session/end"],
    ["POST", "/__ce-annotate/reply"],
    ["POST", "/__ce-annotate/ack"],
    ["PATCH", "/__ce-annotate/annotations/x"],
    ["DELETE", "/__ce-annotate/annotations/x"],
  ] as const;

  async function documentOf(site: UnitSite, headers: Record<string, string> = {}): Promise<string> {
    const page = await site.ask("/", { headers: { ...NAV, ...headers } });
    return /data-ce-document="([^"]+)"/.exec(await page.text())![1]!;
  }

  const status = async (site: UnitSite, method: string, path: string, headers: Record<string, string>) =>
    (await site.ask(path, { method, headers: { ...cookieOf(site), ...headers } })).status;

  test("does nothing by GET: neither takes notes nor opens a stream", async () => {
    const site = annotate();
    for (const headers of [{}, BROWSER, { "sec-fetch-site": "none" }, { accept: "text/event-stream" }]) {
      for (const path of ["/wait", "/events", "/events?document=guess"]) {
        expect([path, headers, await status(site, "GET", path, headers)]).toEqual([path, headers, 401]);
      }
    }
    expect(site.activity).toBe(0);
    const document = await documentOf(site);
    expect(await status(site, "GET", `/events?document=${document}`, {})).toBe(200);
    expect((await site.ask(`/events?document=${document}`)).status).toBe(401);
  });

  test("with a header that no foreign page can add, a wait is served", async () => {
    const site = annotate({ times: { idle: 1e6, lifecycle: 1e6, wait: 1, grace: 1e6 } });
    expect(await status(site, "GET", "/wait", { "x-jig-wait": "1" })).toBe(204);
    // A worker of the same origin can add it, and cannot hide that it is a browser.
    expect(await status(site, "GET", "/wait", { "x-jig-wait": "1", ...BROWSER })).toBe(401);
  });

  test("in a browser changes nothing without the document it was given to", async () => {
    const site = annotate();
    const document = await documentOf(site);
    const stranger = await documentOf(annotate());
    for (const [method, path] of WRITES) {
      expect([path, await status(site, method, path, BROWSER)]).toEqual([path, 401]);
      expect([path, await status(site, method, `${path}?document=${stranger}`, BROWSER)]).toEqual([
        path,
        401,
      ]);
    }
    for (const [path, named] of [
      [`/session/flush?document=${document}`, {}],
      ["/session/flush", { "x-ce-document": document }],
    ] as [string, Record<string, string>][]) {
      expect(await status(site, "POST", path, { ...BROWSER, ...named })).toBe(200);
    }
    // A program with the cookie says that it is none.
    expect(await status(site, "POST", "/session/flush", {})).toBe(200);
  });

  test("a document that came without it is adopted by a POST of its own page, and no other is", async () => {
    const site = annotate({ auth: "link" });
    const document = await documentOf(site);
    const events = () => status(site, "GET", `/events?document=${document}`, BROWSER);
    const known = async () =>
      (
        (await (
          await site.ask(`/__ce-annotate/annotations?document=${document}`, { headers: cookieOf(site) })
        ).json()) as { known: boolean }
      ).known;
    expect([await events(), await known()]).toEqual([401, false]);
    const adopt = (id: string, headers: Record<string, string>) =>
      status(site, "POST", `/__ce-annotate/document?document=${id}`, headers);
    expect(await adopt("guess", BROWSER)).toBe(404);
    expect(await adopt(document, { "sec-fetch-site": "same-site" })).toBe(403);
    expect((await site.ask(`/__ce-annotate/document?document=${document}`, { method: "POST" })).status).toBe(
      401,
    );
    expect(await events()).toBe(401);
    expect(await adopt(document, BROWSER)).toBe(200);
    expect([await events(), await known()]).toEqual([200, true]);
  });
});

describe("workers and frames", () => {
  test.each([true, false])("a service worker's script is refused (annotate: %s)", async (mode) => {
    const site = unitSite({ annotate: mode });
    site.write("worker.js", "self");
    for (const headers of [{ "service-worker": "script" }, { "sec-fetch-dest": "serviceworker" }]) {
      for (const path of ["/worker.js", "/", "/__ce-annotate/annotate.js"]) {
        expect((await site.ask(path, { headers: headers as Record<string, string> })).status).toBe(403);
      }
    }
    expect((await site.ask("/worker.js")).status).toBe(200);
  });

  test.each([true, false])(
    "a page a worker asks for is one that sends it away (annotate: %s)",
    async (mode) => {
      const site = unitSite({ annotate: mode, ...(mode ? { name: NAME } : {}) });
      site.write("a.html", "<p>secret");
      for (const path of ["/", "/a.html", `/__ce-annotate/authorize?token=${site.token}`]) {
        const answer = await site.ask(path, {
          headers: {
            ...CHROME,
            "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "empty",
            "sec-fetch-site": "same-origin",
          },
        });
        const page = await answer.text();
        expect(page).toContain("unregister()");
        expect(page).not.toMatch(/secret|localhost|data-ce/);
        expect([answer.headers.get("set-cookie"), answer.headers.get("location")]).toEqual([null, null]);
      }
    },
  );

  test("where a browser does not say what a document is for, no other page may frame it", async () => {
    const site = annotate();
    const silent = await site.ask("/", { headers: { accept: "text/html" } });
    expect(await silent.text()).toContain("data-ce-document");
    expect(silent.headers.get("content-security-policy")).toBe("frame-ancestors 'self'");
    expect(silent.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    const said = await site.ask("/", { headers: NAV });
    expect(said.headers.get("content-security-policy")).toBeNull();
  });
});
