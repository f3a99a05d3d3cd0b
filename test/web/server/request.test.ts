import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { localTarget } from "../../../src/web/server/handler.ts";
import { isAuthorised, isSameOrigin, secretCheck } from "../../../src/web/server/http/guard.ts";
import { readBody } from "../../../src/web/server/http/request-body.ts";
import { requestPath } from "../../../src/web/server/http/request-path.ts";

describe("the request path", () => {
  test.each([
    ["http://a/x/y?q=1#f", "/x/y", "q=1"],
    ["http://a", "/", ""],
    ["http://a:99999/%2e", "/", ""],
    ["http://a/a/../b", "/b", ""],
    ["http://a/%2e%2e/%2E%2e/secret", "/secret", ""],
    ["/bare/../x?y", "/x", "y"],
    ["//evil/x", "//evil/x", ""],
    ["//evil/../x", "//x", ""],
    ["http://a/..%2fsecret", "/..%2fsecret", ""],
    ["http://a/x\\..\\y", "/y", ""],
    ["*", "/*", ""],
    ["http://a/?a=/../b", "/", "a=/../b"],
  ])("%s", (url, path, query) => {
    expect(requestPath(url)).toEqual({ path, query });
  });

  test("dots are always resolved, as the URL standard does it", () => {
    const part = fc.constantFrom("a", "..", ".", "%2e", "%2E%2e", ".%2e", "b c", "%2f", "", "...", ".x");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const path = `/${parts.join("/")}`;
        const { pathname } = new URL(`http://localhost${path}`);
        expect(decodeURI(requestPath(`http://h${path}`).path)).toBe(decodeURI(pathname));
      }),
    );
  });
});

describe("the same-origin guard", () => {
  const guard = (headers: Record<string, string>, publicUrl?: string) =>
    isSameOrigin(
      new Headers({ host: "localhost:80", ...headers }),
      publicUrl === undefined ? undefined : new URL(publicUrl),
    );

  test("Sec-Fetch-Site decides when it is there", () => {
    expect(guard({ "sec-fetch-site": "same-origin", origin: "http://evil" })).toBe(true);
    expect(guard({ "sec-fetch-site": "none" })).toBe(true);
    expect(guard({ "sec-fetch-site": "same-site" })).toBe(false);
    expect(guard({ "sec-fetch-site": "cross-site", origin: "http://localhost:80" })).toBe(false);
  });

  test("Origin otherwise", () => {
    expect(guard({ origin: "http://localhost:80" })).toBe(true);
    expect(guard({ origin: "https://localhost:80" })).toBe(true);
    expect(guard({ origin: "http://localhost:1" })).toBe(false);
    expect(guard({ origin: "null" })).toBe(false);
    expect(guard({ origin: "https://p.example" }, "https://p.example")).toBe(true);
    expect(guard({})).toBe(true);
  });
});

describe("the credential", () => {
  const token = "5f0c1b1e-0000-4000-8000-000000000000";
  const isToken = secretCheck(token);
  const authorised = (headers: Record<string, string>, query = "") =>
    isAuthorised(new Headers(headers), query, 80, isToken);

  test("each of the four places alone, and none hides another", () => {
    expect(authorised({}, `token=${token}`)).toBe(true);
    expect(authorised({ "x-session-token": token })).toBe(true);
    expect(authorised({ authorization: `Bearer ${token}` })).toBe(true);
    expect(authorised({ cookie: `a=1; ce-light-web-80=${token}` })).toBe(true);
    expect(authorised({ cookie: `ce-light-web-80=${token}` }, "token=demo")).toBe(true);
    expect(authorised({ cookie: `ce-light-web-80=x; ce-light-web-80=${token}` })).toBe(true);
  });

  test("nothing else", () => {
    expect(authorised({})).toBe(false);
    expect(authorised({ cookie: `ce-light-web-81=${token}` })).toBe(false);
    expect(authorised({}, `token=x&token=${token}`)).toBe(false);
    expect(authorised({ authorization: token })).toBe(false);
    fc.assert(
      fc.property(fc.string(), (guess) => {
        fc.pre(guess !== token);
        expect(isToken(guess)).toBe(false);
      }),
    );
  });
});

describe("the target of a private link", () => {
  test.each([
    "//evil",
    "/\\evil",
    "/\t/evil",
    "/\n/evil",
    "/\\\\evil",
    "http://evil",
    "evil",
    "javascript:1",
    "",
    "/a/..//evil",
  ])("%j does not lead away", (to) => {
    expect(localTarget(to)).toMatch(/^\/(?![/\\])/);
  });

  test("a path, its query and fragment are kept", () => {
    expect(localTarget("/a%20b.html?x=1#y")).toBe("/a%20b.html?x=1#y");
    expect(localTarget(null)).toBe("/");
  });

  test("whatever the text, a browser stays on this server", () => {
    const odd = fc.array(
      fc.constantFrom("/", "\\", "\t", "\n", "\r", ".", "..", "@", ":", "evil", "?", "#", " "),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(odd, (parts) => {
        expect(new URL(localTarget(`/${parts.join("")}`), "http://here:1").origin).toBe("http://here:1");
      }),
    );
  });
});

describe("the body", () => {
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    new Request("http://x/", { method: "POST", body, headers, duplex: "half" } as RequestInit);

  test("up to 65,536 bytes", async () => {
    expect(await readBody(post("x".repeat(65_536)))).toEqual({ text: "x".repeat(65_536) });
    const over = await readBody(post("x".repeat(65_537)));
    expect("refusal" in over && over.refusal.status).toBe(413);
    expect("refusal" in over && over.refusal.headers.get("connection")).toBe("close");
  });

  test("a promised size is enough to refuse, and nothing is kept of what streams past the limit", async () => {
    const promised = await readBody(post("x", { "content-length": "70000" }));
    expect("refusal" in promised && promised.refusal.status).toBe(413);
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 16_384;
        controller.enqueue(new Uint8Array(16_384));
      },
    });
    const streamed = await readBody(post(endless));
    expect("refusal" in streamed && streamed.refusal.status).toBe(413);
    expect(pulled).toBeLessThan(200_000);
  });

  test("a body that does not come to an end in time", async () => {
    const slow = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
    });
    const result = await readBody(post(slow), 30);
    expect("refusal" in result && result.refusal.status).toBe(408);
  });
});
