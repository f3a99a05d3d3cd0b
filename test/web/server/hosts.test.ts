import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_TIMES, type SiteConfig } from "../../../src/web/server/config.ts";
import {
  isLoopbackAddress,
  isLoopbackBind,
  isLoopbackName,
  makeHostCheck,
  originOf,
  parseHost,
} from "../../../src/web/server/http/host-header.ts";

const base: SiteConfig = {
  screens: "/s",
  host: "127.0.0.1",
  annotate: true,
  auth: "auto",
  allowHosts: [],
  publicUrl: undefined,
  machineName: "devbox",
  times: DEFAULT_TIMES,
};

function judge(header: string | null, config: Partial<SiteConfig> = {}, address = "127.0.0.1") {
  return makeHostCheck({ ...base, ...config })(header, () => address).kind;
}

describe("loopback", () => {
  test.each([
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["10.0.0.1", false],
    ["::ffff:10.0.0.1", false],
    ["127.0.0.1.evil.example", false],
    ["", false],
  ])("address %s: %s", (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });

  test("names and binds", () => {
    expect(["localhost", "a.localhost", "[::1]", "127.1.1.1"].every(isLoopbackName)).toBe(true);
    expect(["localhost.evil", "evillocalhost", "10.0.0.1"].some(isLoopbackName)).toBe(false);
    expect(["127.0.0.1", "::1", "[::1]", "localhost", "LOCALHOST"].every(isLoopbackBind)).toBe(true);
    expect(["0.0.0.0", "::", "192.168.0.2", "devbox"].some(isLoopbackBind)).toBe(false);
  });
});

describe("the Host check", () => {
  test.each([
    "localhost",
    "LOCALHOST:80",
    "x.localhost:1",
    "127.0.0.1:5",
    "[::1]:5",
    "192.168.1.9",
    "8.8.8.8",
  ])("%s is known on a loopback bind", (host) => {
    expect(judge(host)).toBe("served");
  });

  test.each([
    "evil.example",
    "evil.example:80",
    "devbox",
    "localhost.evil.example",
    "a_b.evil.example",
    'a"b.evil',
  ])("%s is blocked on a loopback bind", (host) => {
    expect(judge(host)).toBe("blocked");
  });

  test("a foreign name is served on a wider bind, unless everybody gets the cookie", () => {
    expect(judge("evil.example", { host: "0.0.0.0" })).toBe("served");
    expect(judge("evil.example", { host: "0.0.0.0", auth: "link" })).toBe("served");
    expect(judge("evil.example", { host: "0.0.0.0", auth: "open" })).toBe("blocked");
    expect(judge("devbox:80", { host: "0.0.0.0", auth: "open" })).toBe("served");
    expect(judge("devbox.local", { host: "0.0.0.0", auth: "open" })).toBe("served");
  });

  test("allowed names, with a leading dot their subdomains", () => {
    const config = { allowHosts: ["a.example", ".b.example"], publicUrl: new URL("https://c.example") };
    expect(
      ["a.example", "b.example", "x.b.example", "c.example:443"].map((host) => judge(host, config)),
    ).toEqual(Array(4).fill("served"));
    expect(["x.a.example", "xb.example", "x.c.example"].map((host) => judge(host, config))).toEqual(
      Array(3).fill("blocked"),
    );
  });

  test("what no browser sends is served to this machine only", () => {
    for (const host of [null, "a, b", 'evil"><script>', "a b", "a/b", "[::1", ""]) {
      expect(judge(host)).toBe("served");
      expect(judge(host, { host: "0.0.0.0" }, "10.0.0.9")).toBe("bad-request");
    }
  });

  test("a served name does not open the door for the next one", () => {
    const check = makeHostCheck(base);
    expect(check("localhost", () => "127.0.0.1").kind).toBe("served");
    expect(check("evil.example", () => "127.0.0.1").kind).toBe("blocked");
    expect(check("localhost", () => "127.0.0.1").kind).toBe("served");
  });

  test("no name a browser can send passes on loopback unless it is known", () => {
    const label = fc.stringMatching(/^[a-z0-9_$!'()*+;=&~"-]{1,12}$/);
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), fc.nat(65_535), (labels, port) => {
        const name = labels.join(".");
        fc.pre(!/^\d+(\.\d+){3}$/.test(name) && name !== "localhost" && !name.endsWith(".localhost"));
        expect(judge(`${name}:${port}`)).toBe("blocked");
      }),
    );
  });
});

describe("the reflected origin", () => {
  const origin = (host: string | null, protocol: string | null = null, local = true, url?: string) =>
    originOf(host, protocol, local, url === undefined ? undefined : new URL(url), 99);

  test("a plain Host, IPv6 in brackets, anything else as localhost", () => {
    expect(origin("box:80")).toBe("http://box:80");
    expect(origin("[::1]:80")).toBe("http://[::1]:80");
    expect(origin(null)).toBe("http://localhost:99");
    expect(origin('a"b')).toBe("http://localhost:99");
    expect(origin("a_b")).toBe("http://localhost:99");
    expect(origin("box:123456")).toBe("http://localhost:99");
  });

  test("https behind a proxy on this machine only", () => {
    expect(origin("box", "https")).toBe("https://box");
    expect(origin("box", "HTTPS")).toBe("http://box");
    expect(origin("box", "https", false)).toBe("http://box");
  });

  test("the public URL when that was asked for", () => {
    const url = "https://preview.example:8443";
    expect(origin("preview.example:8443", null, true, url)).toBe(url);
    expect(origin("preview.example", null, true, url)).toBe(url);
    expect(origin("preview.example:1", null, true, url)).toBe("http://preview.example:1");
    expect(origin("preview.example", null, true, "https://preview.example")).toBe("https://preview.example");
  });

  test("nothing but the one shape is ever reflected", () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(origin(header)).toMatch(/^http:\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/);
        expect(parseHost(header)?.plain ?? false).toBe(origin(header) === `http://${header}`);
      }),
    );
  });
});
