import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Frame,
  NAV,
  parseFrames,
  UNIT_PORT,
  type UnitSite,
  UUID,
  unitSite,
  until,
  withToken,
} from "../support.ts";

const annotate = (config: Parameters<typeof unitSite>[0] = {}) => unitSite({ annotate: true, ...config });

const COOKIE = `ce-light-web-${UNIT_PORT}`;

function post(site: UnitSite, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return site.ask(path, {
    method: "POST",
    headers: { ...withToken(site.token), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

const get = (site: UnitSite, path: string) => site.ask(path, { headers: withToken(site.token) });

async function note(site: UnitSite, over: object = {}): Promise<{ id: string; number?: number }> {
  const response = await post(site, "/annotation", { comment: "c", selector: "h1", ...over });
  expect(response.status).toBe(200);
  return (await response.json()) as { id: string; number?: number };
}

/** Read a stream in the background. */
function follow(response: Response) {
  let text = "";
  let closed = false;
  const reader = response.body!.getReader();
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    closed = true;
  })().catch(() => {
    closed = true;
  });
  return {
    get text() {
      return text;
    },
    get closed() {
      return closed;
    },
    states: () => framesOf(text, "annotations").map((data) => Object.values(data as object).join(",")),
    frames: (event: string) => framesOf(text, event),
    cancel: () => reader.cancel(),
  };
}

const framesOf = (text: string, event: string) =>
  parseFrames(text)
    .filter((frame: Frame) => frame.event === event)
    .map((frame) => frame.data);

const isWaiting = (data: unknown): boolean => (data as { waiting?: boolean } | undefined)?.waiting === true;

describe("documents", () => {
  const D = "<!-- c --><!DOCTYPE html><html><body><script>'</body>'</script></body></html>";

  test("web-19 a navigation gets the boot tag, anything else the file as it is", async () => {
    const site = annotate();
    site.write("001 special#view.html", D);
    const page = await site.ask("/", { headers: NAV });
    const body = await page.text();
    const session = site.site.annotate!.session.id;
    const document = /data-ce-document="([^"]+)"/.exec(body)![1]!;
    expect(body).toBe(
      `<!doctype html>\n<script defer src="http://localhost:${UNIT_PORT}/__ce-annotate/annotate.js" data-ce-session="${session}" data-ce-document="${document}" data-ce-page="/001%20special%23view.html"></script>\n${D}`,
    );
    expect(document).toMatch(UUID);
    expect(session).not.toBe(site.token);
    expect(body).not.toContain(site.token);
    expect(page.headers.get("set-cookie")).toBe(`${COOKIE}=${site.token}; HttpOnly; SameSite=Strict; Path=/`);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(readFileSync(join(site.screens, "001 special#view.html"), "utf8")).toBe(D);
    for (const headers of [
      { "sec-fetch-dest": "empty" },
      { ...NAV, "sec-fetch-dest": "iframe" },
      { accept: "*/*" },
    ]) {
      const raw = await site.ask("/", { headers });
      expect(await raw.text()).toBe(D);
      expect(raw.headers.get("set-cookie")).toBeNull();
    }
    const off = await site.ask("/?__ce-annotate=off", { headers: NAV });
    expect([await off.text(), off.headers.get("set-cookie")]).toEqual([D, null]);
  });

  test("a fragment is wrapped with the overlay and without the refresh script", async () => {
    const site = annotate();
    site.write("a.html", "\ufeff<h1>F</h1>");
    const body = await (await site.ask("/a.html", { headers: NAV })).text();
    expect(body).toContain("CE local web - newest screen<");
    expect(body).toMatch(/<head>[\s\S]*data-ce-page="\/a\.html"[\s\S]*<\/head>/);
    expect(body).toContain("<main>\n<h1>F</h1>\n</main>");
    expect(body).not.toMatch(/fetch\("\/version"|ce-annotate-host|annotate\.css/);
  });

  test("the waiting page, a missing one, and plain fetches of both", async () => {
    const site = annotate();
    const waiting = await (await site.ask("/", { headers: NAV })).text();
    expect(waiting).toContain("Waiting for a page...");
    expect(waiting).toContain('data-ce-page="/"');
    const bare = await site.ask("/");
    expect(bare.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await bare.text()).toMatch(/^<h1>Waiting/);
    const gone = await site.ask("/old.html", { headers: NAV });
    expect(gone.status).toBe(404);
    const text = await gone.text();
    for (const part of ["This screen no longer exists", 'href="/"', 'data-ce-page="/"'])
      expect(text).toContain(part);
    expect(await (await site.ask("/old.html")).text()).toBe("Not found");
  });

  test("a navigation without Sec-Fetch headers is known by Accept", async () => {
    const site = annotate();
    site.write("a.html", D);
    expect(await (await site.ask("/", { headers: { accept: "text/html,*/*" } })).text()).toContain(
      "data-ce-page",
    );
    const fetched = { accept: "text/html", "sec-fetch-mode": "cors" };
    expect(await (await site.ask("/", { headers: fetched })).text()).toBe(D);
  });

  test("HEAD makes no document pending and gives no cookie", async () => {
    const site = annotate();
    const head = await site.ask("/", { method: "HEAD", headers: NAV });
    expect([head.status, head.headers.get("set-cookie"), await head.text()]).toEqual([200, null, ""]);
    expect(site.activity).toBe(0);
  });

  test("a document beyond 32 MiB comes after the boot tag, byte for byte", async () => {
    const site = annotate();
    const big = Buffer.concat([Buffer.from("<html>"), Buffer.alloc(33 << 20, "y")]);
    site.write("big.html", big);
    const bytes = Buffer.from(await (await site.ask("/", { headers: NAV })).arrayBuffer());
    expect(bytes.subarray(0, 24).toString()).toBe("<!doctype html>\n<script ");
    expect(bytes.subarray(-big.length).equals(big)).toBe(true);
  });
});

describe("credentials", () => {
  const GATED = [
    ["GET", "/wait"],
    ["GET", "/events"],
    ["POST", "/annotation"],
    ["POST", "/session/flush"],
    ["POST", "/session/end"],
    ["GET", "/__ce-annotate/annotations"],
    ["PATCH", "/__ce-annotate/annotations/x"],
    ["DELETE", "/__ce-annotate/annotations/x"],
    ["POST", "/__ce-annotate/ack?batch=x"],
    ["POST", "/__ce-annotate/reply"],
  ] as const;

  test("web-20 every gated route is closed without the token, and opens with it in any of four places", async () => {
    const site = annotate();
    site.write("a.html", "<p>x");
    for (const [method, path] of GATED) {
      const refused = await site.ask(path, { method });
      expect([refused.status, await refused.json()]).toEqual([401, { error: "unauthorized" }]);
      expect(refused.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(refused.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const flush = (query: string, headers: Record<string, string>) =>
      site.ask(`/session/flush${query}`, { method: "POST", headers });
    const t = site.token;
    for (const [query, headers] of [
      [`?token=${t}`, {}],
      ["", { "x-session-token": t }],
      ["", { authorization: `Bearer ${t}` }],
      ["", { cookie: `${COOKIE}=${t}` }],
      ["?token=demo", { cookie: `${COOKIE}=${t}` }],
    ] as [string, Record<string, string>][]) {
      expect((await flush(query, headers)).status).toBe(200);
    }
    expect((await flush("?token=demo", {})).status).toBe(401);
  });

  test("the private link: cookie, a page that goes on, nothing else", async () => {
    const site = annotate({ auth: "link" });
    const link = (query: string, headers = {}) => site.ask(`/__ce-annotate/authorize${query}`, { headers });
    expect((await site.ask("/", { headers: NAV })).headers.get("set-cookie")).toBeNull();
    const good = await link(`?token=${site.token}&to=/a.html%3Fx=1`);
    const body = await good.text();
    expect(body).toContain('location.replace("/a.html?x=1")');
    expect(body).not.toContain(site.token);
    expect(good.headers.get("set-cookie")).toContain(`${COOKIE}=${site.token};`);
    const csp = good.headers.get("content-security-policy")!;
    const { createHash } = await import("node:crypto");
    const script = /<script>([\s\S]*)<\/script>/.exec(body)![1]!;
    expect(csp).toBe(
      `default-src 'none'; script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
    );
    const bad = await link("?token=guess");
    expect([bad.status, bad.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await bad.text()).not.toContain("guess");
    const carried = await site.ask("/", { headers: { ...NAV, cookie: `${COOKIE}=${site.token}` } });
    expect(carried.headers.get("set-cookie")).toContain(site.token);
    site.site.annotate!.session.end("stopped");
    expect((await link(`?token=${site.token}`)).status).toBe(410);
  });

  test("a cookie over https is Secure", async () => {
    const site = annotate();
    const page = await site.ask("/", { headers: { ...NAV, "x-forwarded-proto": "https" } });
    expect(page.headers.get("set-cookie")).toMatch(/; Path=\/; Secure$/);
  });

  test("who is not here, or came by another name, gets none", async () => {
    const site = annotate({ host: "0.0.0.0" });
    const cookie = async (headers: Record<string, string>, from = "127.0.0.1") =>
      (await site.ask("/", { headers: { ...NAV, ...headers }, from })).headers.get("set-cookie");
    expect(await cookie({})).not.toBeNull();
    expect(await cookie({ host: "[::1]:1" }, "::1")).not.toBeNull();
    expect(await cookie({}, "10.0.0.9")).toBeNull();
    expect(await cookie({ host: "devbox.example" })).toBeNull();
    expect(await cookie({ host: "192.168.0.9" })).toBeNull();
  });

  test("the overlay's own files are open, the rest of their place is empty", async () => {
    const site = annotate();
    for (const [name, type] of [
      ["annotate.js", "text/javascript; charset=utf-8"],
      ["annotate.css", "text/css; charset=utf-8"],
    ]) {
      const asset = await site.ask(`/__ce-annotate/${name}`);
      expect([asset.status, asset.headers.get("content-type")]).toEqual([200, type]);
      expect(asset.headers.get("cache-control")).toBe("no-store");
      const head = await site.ask(`/__ce-annotate/${name}`, { method: "HEAD" });
      expect(head.headers.get("content-length")).toBe(String((await asset.text()).length));
    }
    site.write("__ce-annotate/x.txt", "x");
    site.write("annotate.js", "mine");
    expect((await site.ask("/__ce-annotate/x.txt")).status).toBe(404);
    expect(await (await site.ask("/annotate.js")).text()).toBe("mine");
  });
});

describe("posting", () => {
  test("web-21 what is not a note is refused with a reason", async () => {
    const site = annotate();
    site.write("details.html", "<p>d");
    site.write("styles.css", "");
    mkdirSync(join(site.screens, "pages"));
    mkdirSync(join(site.root, "outside"));
    writeFileSync(join(site.root, "outside/leak.html"), "<p>");
    symlinkSync(join(site.root, "outside"), join(site.screens, "escape"));
    const ok = { comment: "c", selector: "h1" };
    const bodies: unknown[] = [
      "",
      "not-json",
      "[]",
      "{}",
      { comment: "c" },
      { selector: "s" },
      { ...ok, comment: "  " },
    ];
    for (const page of [
      "/nope.html",
      "../x",
      "/styles.css",
      "/pages",
      "/escape/leak.html",
      "details.html",
      "/details.html?x",
      "/%ZZ",
      5,
      null,
    ]) {
      bodies.push({ ...ok, page });
    }
    for (const body of bodies) {
      const response = await post(site, "/annotation", body);
      expect(response.status).toBe(400);
      const reply = (await response.json()) as { error: string; detail: string };
      expect(reply.error).toBe("invalid annotation");
      expect(reply.detail).toMatch(/\w+ \w+/);
    }
    const large = await post(site, "/annotation", "x".repeat(70_000));
    expect([large.status, await large.json()]).toEqual([413, { error: "payload too large" }]);
    expect(site.site.annotate!.session.notes.all()).toEqual([]);
    expect((await note(site, { page: "/details.html" })).id).toMatch(UUID);
  });

  test("no screen at all: no note", async () => {
    expect((await post(annotate(), "/annotation", { comment: "c", selector: "h1" })).status).toBe(400);
  });

  test("a page is the file behind it: decoded, through links inside", async () => {
    const site = annotate();
    site.write("sub/real one.HTML", "<p>");
    symlinkSync("sub/real one.HTML", join(site.screens, "link.html"));
    await note(site, { page: "/link.html" });
    await note(site, { page: "/sub/real%20one.HTML" });
    const list = (await (await get(site, "/__ce-annotate/annotations")).json()) as {
      records: { screen: string; page: string }[];
    };
    expect(list.records.map(({ screen, page }) => [screen, page])).toEqual([
      ["sub/real one.HTML", "/sub/real%20one.HTML"],
      ["sub/real one.HTML", "/sub/real%20one.HTML"],
    ]);
  });

  test("it is on disk before the reply, and the reply says when it could not be", async () => {
    let works = true;
    const site = annotate({ saveWorks: () => works });
    site.write("a.html", "<p>");
    await note(site);
    expect(site.saves).toBe(1);
    works = false;
    expect(await note(site)).toMatchObject({ ok: true, persisted: false });
  });

  test("more notes than a session may hold", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    const { notes } = site.site.annotate!.session;
    const input = {
      screen: "a.html",
      comment: "c",
      selector: "s",
      textSnippet: null,
      variant: null,
      rect: null,
      point: null,
    };
    while (notes.add(input, undefined) !== undefined);
    const refused = await post(site, "/annotation", { comment: "c", selector: "h1" });
    expect([refused.status, await refused.json()]).toEqual([429, { error: "too many annotations" }]);
  });

  test("activity: what is accepted, a flush and a wait", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    await post(site, "/annotation", "{}");
    await get(site, "/__ce-annotate/annotations");
    expect(site.activity).toBe(0);
    await note(site);
    await post(site, "/session/flush");
    await get(site, "/wait");
    expect(site.activity).toBe(3);
  });
});

describe("states", () => {
  test("web-23 the stream follows every note from held to done", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    const stream = follow(await get(site, "/events"));
    await until("the first frame", () => stream.states().length === 1);
    expect(stream.text).toMatch(/^:ok\n\nevent: annotations\ndata: \{\}\n\n/);
    await note(site);
    await note(site);
    await post(site, "/session/flush");
    await get(site, "/wait");
    void get(site, "/wait");
    await until("done", () => stream.states().at(-1) === "done,done");
    expect(stream.states()).toEqual([
      "",
      "held",
      "held,held",
      "queued,queued",
      "working,working",
      "done,done",
    ]);
    const headers = (await get(site, "/events")).headers;
    expect([
      headers.get("content-type"),
      headers.get("cache-control"),
      headers.get("x-accel-buffering"),
    ]).toEqual(["text/event-stream", "no-cache", "no"]);
  });

  test("web-36 an unsent note can be changed and taken back, a sent one cannot, and a resent one is the same", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    const stream = follow(await get(site, "/events"));
    const a = await note(site);
    const change = (id: string, method: string, body?: unknown) =>
      site.ask(`/__ce-annotate/annotations/${id}`, {
        method,
        headers: withToken(site.token),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const edited = await change(a.id, "PATCH", { comment: " new " });
    expect([edited.status, await edited.json()]).toEqual([200, { ok: true }]);
    expect((await change(a.id, "PATCH", { comment: " " })).status).toBe(400);
    const records = ((await (await get(site, "/__ce-annotate/annotations")).json()) as { records: object[] })
      .records;
    expect(records).toMatchObject([{ comment: "new", state: "held" }]);
    expect((await change(a.id, "DELETE")).status).toBe(200);
    await until("an empty map", () => stream.states().length > 2 && stream.states().at(-1) === "");
    expect((await change(a.id, "DELETE")).status).toBe(404);
    const b = await note(site, { client_id: "one" });
    expect(await note(site, { client_id: "one", comment: "again" })).toEqual(b);
    await post(site, "/session/flush");
    for (const [method, body] of [
      ["PATCH", { comment: "late" }],
      ["DELETE", undefined],
    ] as const) {
      const late = await change(b.id, method, body);
      expect([late.status, await late.json()]).toEqual([409, { error: "already sent" }]);
    }
    const [batch] = (await (await get(site, "/wait")).json()) as object[];
    expect(batch).toMatchObject({ id: b.id, comment: "c", number: 1 });
  });

  test("a deleted number is not given again", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    const first = await note(site, { client_id: "1" });
    await site.ask(`/__ce-annotate/annotations/${first.id}`, {
      method: "DELETE",
      headers: withToken(site.token),
    });
    expect((await note(site, { client_id: "2" })).number).toBe(2);
  });

  test("the agent's presence and its reply", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    const stream = follow(await get(site, "/events"));
    const { id } = await note(site);
    await post(site, "/session/flush");
    await get(site, "/wait");
    for (const text of ["", "  ", "x".repeat(2001), 5])
      expect((await post(site, "/__ce-annotate/reply", { text })).status).toBe(400);
    expect((await post(site, "/__ce-annotate/reply", { text: " Done\nbut 2 " })).status).toBe(200);
    void get(site, "/wait");
    await until("presence", () => isWaiting(stream.frames("agent").at(-1)));
    expect(stream.frames("agent")[0]).toEqual({ waiting: false, seen_ms: null, taken_ms: null });
    // It took the note, and is through with it as it asks again.
    expect(stream.frames("agent")).toContainEqual(
      expect.objectContaining({ waiting: false, taken_ms: expect.any(Number) }),
    );
    expect(stream.frames("agent").at(-1)).toMatchObject({ seen_ms: expect.any(Number), taken_ms: null });
    const [reply] = stream.frames("reply") as { at: string }[];
    expect(reply).toEqual({ text: "Done\nbut 2", ids: [id], at: expect.stringMatching(/^\d{4}-.*Z$/) });
    const later = follow(await get(site, "/events"));
    await until("the reply", () => later.frames("reply").length === 1);
    expect(later.text.indexOf("event: annotations")).toBeLessThan(later.text.indexOf("event: reply"));
    const list = await (await get(site, "/__ce-annotate/annotations")).json();
    expect(list).toMatchObject({
      ended: false,
      waiting: true,
      reply,
      session: site.site.annotate!.session.id,
    });
  });

  test("an end: leftovers first, then 410 everywhere, and the stream closes", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    const stream = follow(await get(site, "/events"));
    await note(site);
    const ended = { status: "session-ended", reason: "user-ended" };
    expect(await (await post(site, "/session/end")).json()).toEqual(ended);
    await until("the stream's end", () => stream.closed);
    expect(stream.states().at(-1)).toBe("queued");
    expect(stream.text.endsWith("event: session-ended\ndata: {}\n\n")).toBe(true);
    expect(await (await get(site, "/wait")).json()).toHaveLength(1);
    for (const [method, path] of [
      ["GET", "/wait"],
      ["GET", "/events"],
      ["POST", "/annotation"],
      ["POST", "/session/flush"],
      ["POST", "/__ce-annotate/reply"],
      ["PATCH", "/__ce-annotate/annotations/x"],
      ["DELETE", "/__ce-annotate/annotations/x"],
    ] as const) {
      const response = await site.ask(path, { method, headers: withToken(site.token) });
      expect([response.status, await response.json()]).toEqual([410, ended]);
    }
    expect((await post(site, "/session/end")).status).toBe(200);
    expect(await (await get(site, "/__ce-annotate/annotations")).json()).toMatchObject({
      ended: true,
      reason: "user-ended",
    });
    expect((await site.ask("/", { headers: NAV })).status).toBe(200);
  });

  test("streams are counted and let go", async () => {
    const site = annotate();
    const { streams } = site.site.annotate!.session;
    const abort = new AbortController();
    const first = await site.ask("/events", { headers: withToken(site.token), signal: abort.signal });
    const rest = [];
    while (streams.size < 256) rest.push(follow(await get(site, "/events")));
    const extra = await get(site, "/events");
    expect([extra.status, extra.headers.get("retry-after"), await extra.json()]).toEqual([
      503,
      "5",
      { error: "too many streams" },
    ]);
    abort.abort();
    await rest[0]!.cancel();
    await until("two gone", () => streams.size === 254);
    expect((await get(site, "/events")).status).toBe(200);
    await first.body!.cancel().catch(() => {});
  });

  test("a reader that leaves a mebibyte unread is dropped, the others go on", async () => {
    const site = annotate();
    const { streams } = site.site.annotate!.session;
    const slow = await get(site, "/events");
    const quick = follow(await get(site, "/events"));
    for (let index = 0; index < 12 && streams.size === 2; index++) {
      streams.broadcast(`: ${"x".repeat(100_000)}\n\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(streams.size).toBe(1);
    await expect(slow.text()).rejects.toBeUndefined();
    streams.broadcast("event: agent\ndata: 1\n\n");
    await until("the quick one", () => quick.text.includes("data: 1"));
  });
});

describe("the Host and the origin", () => {
  test("web-32 a foreign name is refused before anything else, an allowed one is named in the document", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    for (const path of ["/", "/version", "/events", "/a.html"]) {
      const blocked = await site.ask(path, { headers: { ...NAV, host: "evil.example" } });
      expect(blocked.status).toBe(403);
      expect(blocked.headers.get("content-type")).toMatch(/^text\/plain/);
      expect(await blocked.text()).toBe(
        'Blocked host "evil.example". Restart with --allow-host evil.example, or use the IP address.',
      );
    }
    expect(site.activity).toBe(0);
    for (const host of [`127.0.0.1:${UNIT_PORT}`, "x.localhost"]) {
      expect((await site.ask("/", { headers: { host } })).status).toBe(200);
    }
    const allowing = annotate({ allowHosts: ["evil.example"] });
    const page = await (await allowing.ask("/", { headers: { ...NAV, host: "evil.example" } })).text();
    expect(page).toContain('<script defer src="http://evil.example/__ce-annotate/');
  });

  test("web-33 another origin can neither write nor read, and takes nothing away", async () => {
    const site = annotate();
    site.write("a.html", "<p>");
    const { id } = await note(site);
    await post(site, "/session/flush");
    const cookie = { cookie: `${COOKIE}=${site.token}` };
    for (const foreign of [
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { origin: "http://localhost:1" },
      { origin: "null" },
    ]) {
      for (const [method, path] of [
        ["POST", "/annotation"],
        ["GET", "/wait"],
        ["GET", "/events"],
        ["POST", "/session/end"],
        ["POST", "/__ce-annotate/reply"],
      ] as const) {
        const refused = await site.ask(path, { method, headers: { ...cookie, ...foreign } });
        expect([refused.status, await refused.json()]).toEqual([
          403,
          { error: "cross-origin request refused" },
        ]);
        expect([...refused.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    }
    const batch = (await (await get(site, "/wait")).json()) as { id: string }[];
    expect(batch.map((record) => record.id)).toEqual([id]);
  });
});

describe("a screen that changed while nobody listened", () => {
  test("is told to the document that was rendered before, and to no other", async () => {
    const site = annotate();
    site.write("a.html", "<p>one");
    const documentOf = async () =>
      /data-ce-document="([^"]+)"/.exec(await (await site.ask("/", { headers: NAV })).text())![1]!;
    const before = await documentOf();
    site.write("a.html", "<p>changed");
    const after = await documentOf();
    const old = follow(await get(site, `/events?document=${before}`));
    const fresh = follow(await get(site, `/events?document=${after}`));
    await until("the change", () => old.frames("screen-changed").length === 1);
    expect(old.frames("screen-changed")).toEqual([{ version: expect.stringMatching(/^[0-9a-f]{40}$/) }]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(fresh.frames("screen-changed")).toEqual([]);
  });

  test("on a wait it is told before notes turn done", async () => {
    const site = annotate();
    site.write("a.html", "<p>one");
    const stream = follow(await get(site, "/events"));
    await note(site);
    await post(site, "/session/flush");
    await get(site, "/wait");
    site.write("a.html", "<p>two, longer");
    void get(site, "/wait");
    await until("done", () => stream.states().at(-1) === "done");
    expect(stream.text.indexOf("screen-changed")).toBeGreaterThan(0);
    expect(stream.text.indexOf("screen-changed")).toBeLessThan(stream.text.indexOf('"done"'));
  });
});

test("on Windows a secret stops the server, whatever the mode", async () => {
  let stopped = 0;
  const site = unitSite({}, { secret: "s3cret", stop: () => void stopped++ });
  const ask = (secret: string) =>
    site.ask("/__ce-annotate/control/stop", { method: "POST", headers: { "x-jig-control": secret } });
  expect((await ask("guess")).status).toBe(401);
  expect(stopped).toBe(0);
  expect((await ask("s3cret")).status).toBe(200);
  expect(stopped).toBe(1);
  expect((await unitSite().ask("/__ce-annotate/control/stop", { method: "POST" })).status).toBe(404);
});
