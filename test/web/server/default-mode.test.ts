import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unitSite, withToken } from "../support.ts";

const NOT_FOUND = { status: 404, body: "Not found" };

async function plain(response: Response) {
  return { status: response.status, body: await response.text() };
}

describe("screens", () => {
  test("web-12 the waiting page, a fragment in its wrapper, and only the newest screen", async () => {
    const { ask, write, screens } = unitSite();
    expect(await (await ask("/")).text()).toContain("Waiting for a page...");
    expect(await (await ask("/version")).json()).toEqual({ screen: null, mtimeMs: 0 });
    write("001.html", "<h1>One</h1>");
    utimesSync(join(screens, "001.html"), 1000, 1000);
    const one = await (await ask("/")).text();
    for (const part of ["<h1>One</h1>", "CE local web", 'fetch("/version"', "<main>"])
      expect(one).toContain(part);
    expect(one).not.toMatch(/WebSocket|EventSource|events|data-choice|annotate\.js|ce-annotate-host/);
    write("002.html", "<h1>Two</h1>");
    const two = await (await ask("/")).text();
    expect(two).toContain("<h1>Two</h1>");
    expect(two).not.toContain("One");
    const version = await ask("/version");
    expect(await version.json()).toMatchObject({ screen: "002.html" });
    expect(version.headers.get("cache-control")).toBe("no-store");
  });

  test("web-13 a full document gets the script before its end and no wrapper", async () => {
    const { ask, write } = unitSite();
    write("f.html", "<!doctype html><html><body><h1>F</h1></body></html>");
    const body = await (await ask("/")).text();
    expect(body).toMatch(
      /^<!doctype html><html><body><h1>F<\/h1><script>[\s\S]*<\/script>\n<\/body><\/html>$/,
    );
    expect(body).not.toContain("CE local web - newest screen");
  });

  test("a document without an end gets it appended, one with two before the first", async () => {
    const { ask, write } = unitSite();
    write("f.html", "<html><p>open");
    expect(await (await ask("/")).text()).toMatch(/^<html><p>open\n<script>/);
    write("f.html", "<html><script>'</body>'</script></body>");
    expect(await (await ask("/")).text()).toMatch(/^<html><script>'<script>/);
  });

  test("bytes that are not UTF-8 pass through unharmed", async () => {
    const { ask, write } = unitSite();
    write("f.html", Buffer.from([0x3c, 0x70, 0x3e, 0xff, 0xfe, 0x80]));
    expect(
      Buffer.from(await (await ask("/")).arrayBuffer()).includes(Buffer.from([0x3e, 0xff, 0xfe, 0x80])),
    ).toBe(true);
    write("f.html", Buffer.concat([Buffer.from("<html>"), Buffer.from([0xff]), Buffer.from("</body>")]));
    expect(Buffer.from(await (await ask("/")).arrayBuffer()).indexOf(Buffer.from([0xff]))).toBe(6);
  });

  test("web-14 a directory named like a screen is passed over", async () => {
    const { ask, write, screens } = unitSite();
    write("001.html", "<h1>One</h1>");
    utimesSync(join(screens, "001.html"), 1000, 1000);
    mkdirSync(join(screens, "z.html"));
    expect(await (await ask("/")).text()).toContain("<h1>One</h1>");
  });

  test("web-15 nothing outside screens, and a bad escape does no harm", async () => {
    const { ask, write, root, screens } = unitSite();
    write("img/n.txt", "n");
    write("001.html", "<h1>One</h1>");
    writeFileSync(join(root, "secret.txt"), "secret");
    writeFileSync(join(root, "outside.html"), "<h1>secret</h1>");
    symlinkSync(join(root, "secret.txt"), join(screens, "leak.txt"));
    symlinkSync(join(root, "outside.html"), join(screens, "999.html"));
    expect(await plain(await ask("/img/n.txt"))).toEqual({ status: 200, body: "n" });
    for (const path of ["/%2e%2e/secret.txt", "/..%2fsecret.txt", "/leak.txt", "/img", "/img/", "/%00"]) {
      expect(await plain(await ask(path))).toEqual(NOT_FOUND);
    }
    expect(await plain(await ask("/%ZZ"))).toEqual({ status: 400, body: "Bad request" });
    const home = await ask("/");
    expect(home.status).toBe(200);
    expect(await home.text()).not.toContain("secret");
  });
});

describe("files", () => {
  test("web-17 default mode asks to revalidate, annotate mode stores nothing", async () => {
    const { ask, write } = unitSite();
    write("a.css", "b{}");
    const first = await ask("/a.css");
    expect(first.headers.get("cache-control")).toBeNull();
    expect(first.headers.get("last-modified")).toBeNull();
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^"3-\d+"$/);
    const again = await ask("/a.css", { headers: { "if-none-match": etag } });
    expect(await plain(again)).toEqual({ status: 304, body: "" });
    const annotate = unitSite({ annotate: true });
    annotate.write("a.css", "b{}");
    const stored = await annotate.ask("/a.css", { headers: { "if-none-match": etag } });
    expect(stored.status).toBe(200);
    expect(stored.headers.get("cache-control")).toBe("no-store");
  });

  test("ranges: one part, none that fits, several, and another version's", async () => {
    const { ask, write } = unitSite();
    write("v.mp4", "0123456789");
    const range = (value: string, more: Record<string, string> = {}) =>
      ask("/v.mp4", { headers: { range: value, ...more } });
    const part = await range("bytes=2-4");
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 2-4/10",
      "234",
    ]);
    expect(part.headers.get("accept-ranges")).toBe("bytes");
    const none = await range("bytes=10-");
    expect([none.status, none.headers.get("content-range")]).toEqual([416, "bytes */10"]);
    expect(await plain(await range("bytes=0-1,3-4"))).toEqual({ status: 200, body: "0123456789" });
    const etag = part.headers.get("etag")!;
    expect((await range("bytes=2-4", { "if-range": etag })).status).toBe(206);
    expect((await range("bytes=2-4", { "if-range": '"other"' })).status).toBe(200);
  });

  test("HEAD gives what GET would, without a body", async () => {
    const { ask, write } = unitSite();
    write("a.txt", "12345");
    write("001.html", "<p>x");
    for (const path of ["/a.txt", "/", "/001.html"]) {
      const get = await ask(path);
      const head = await ask(path, { method: "HEAD" });
      expect([head.status, head.headers.get("content-type")]).toEqual([
        get.status,
        get.headers.get("content-type"),
      ]);
      expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
      expect(await head.text()).toBe("");
    }
    expect((await ask("/none", { method: "HEAD" })).status).toBe(404);
  });

  test("screen files carry neither nosniff nor a resource policy", async () => {
    const { ask, write } = unitSite();
    write("x.bin", "x");
    const headers = [...(await ask("/x.bin")).headers.keys()];
    expect(headers).not.toContain("x-content-type-options");
    expect(headers).not.toContain("cross-origin-resource-policy");
  });

  test("a document beyond 32 MiB is streamed with the script at its end", async () => {
    const { ask, write } = unitSite();
    write("big.html", Buffer.concat([Buffer.from("<html></body>"), Buffer.alloc(33 << 20, "x")]));
    const bytes = Buffer.from(await (await ask("/")).arrayBuffer());
    expect(bytes.subarray(0, 14).toString()).toBe("<html></body>x");
    expect(bytes.subarray(-12).toString()).toContain("</script>");
  });
});

describe("routes of the default mode", () => {
  test("the annotate routes are none", async () => {
    const { ask } = unitSite();
    for (const path of [
      "/wait",
      "/events",
      "/__ce-annotate/annotate.js",
      "/__ce-annotate/authorize?token=",
    ]) {
      expect(await plain(await ask(path, { headers: withToken("") }))).toEqual(NOT_FOUND);
    }
    for (const [method, path] of [
      ["POST", "/annotation"],
      ["POST", "/"],
      ["OPTIONS", "/"],
      ["PUT", "/a.txt"],
      ["DELETE", "/__ce-annotate/annotations/x"],
    ] as const) {
      const response = await ask(path, { method });
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(await plain(response)).toEqual(NOT_FOUND);
    }
  });

  test("every GET but the version counts as activity", async () => {
    const site = unitSite();
    await site.ask("/version");
    await site.ask("/", { method: "HEAD" });
    await site.ask("/", { headers: { host: "evil.example" } });
    expect(site.activity).toBe(0);
    await site.ask("/");
    await site.ask("/none");
    expect(site.activity).toBe(2);
  });

  test("an error in the handler is a 500, and the next request is served", async () => {
    const site = unitSite();
    const { newest } = site.site;
    Object.assign(site.site, {
      newest: () => {
        throw new Error("broken");
      },
    });
    expect(await plain(await site.ask("/"))).toEqual({ status: 500, body: "Internal error" });
    Object.assign(site.site, { newest });
    expect((await site.ask("/")).status).toBe(200);
  });

  test("a bare path, as a runtime gives it without a Host, is routed", async () => {
    const { ask, write } = unitSite();
    write("a.txt", "x");
    expect(await plain(await ask("/", { url: "/a.txt" }))).toEqual({ status: 200, body: "x" });
    expect(await plain(await ask("/", { url: "/../../a.txt" }))).toEqual({ status: 200, body: "x" });
  });
});
