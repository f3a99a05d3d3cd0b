/**
 * Requests as nobody writes them, to the server's handler in both modes: it answers each, never with an error of its own,
 * shows no file from outside, and lets nothing of a request into a header of the answer.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unitSite, withToken } from "../web/support.ts";
import { type Random, randomFrom } from "./random.ts";
import { SEED, secondsFor } from "./time-box.ts";

const PATHS = [
  ..."/|/version|/events|/wait|/flush|/annotation|/annotation/1|/end|/tab|/authorize|/a.html|/link.html|/film.mp4|/annotations".split(
    "|",
  ),
  ..."/../secret|/..%2fsecret|/%2e%2e/secret|/a/..\\..\\secret|/%00|/%|//secret|/.hidden|/annotate/annotate.js".split(
    "|",
  ),
];
const QUERIES = [
  "",
  "?token=x",
  "?document=1",
  "?key=a&id=1",
  "?%0d%0aX-Forged:1",
  "?a=b#c",
  "?last=99999999999999999999",
];
const VALUES = [
  "",
  "1",
  "x",
  "bytes=0-",
  "bytes=5-2,0-1",
  "bytes=-99999999999",
  "*",
  '"a", W/"b"',
  "a=b; jig=x",
  "evil.example",
  "localhost:1",
  "[::1]",
  "null",
  "cors",
  "document",
  "iframe",
  "serviceworker",
  "script",
  "application/json",
  "a,".repeat(2_000),
];
const HEADERS = [
  "host",
  "origin",
  "referer",
  "range",
  "if-none-match",
  "if-range",
  "cookie",
  "sec-fetch-site",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "service-worker",
  "accept",
  "x-session-token",
  "content-type",
  "x-forwarded-for",
  "x-jig-document",
];
const BODIES = [
  "",
  "{}",
  "[]",
  "null",
  "{",
  '{"comment":"x","selector":"h1"}',
  '{"comment":"\x1b[31m","selector":"h1","page":"../secret"}',
  `{"comment":"x","selector":"h1","rect":${"[".repeat(3_000)}`,
  '{"text":"x"}',
  '{"ids":[1]}',
  "\0".repeat(500),
  "x".repeat(70_000),
];

const SECRET = "a file outside the screens";

interface Asked {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

function requestOf(random: Random, token: string): Asked {
  const method = random.pick([
    "GET",
    "GET",
    "GET",
    "HEAD",
    "POST",
    "POST",
    "PUT",
    "DELETE",
    "OPTIONS",
    "PATCH",
  ]);
  const headers: Record<string, string> = random.oneIn(2) ? withToken(token) : {};
  for (const name of random.some(HEADERS, 0, 4)) headers[name] = random.pick(VALUES);
  const path = random.pick(PATHS) + random.pick(QUERIES);
  const body = method === "GET" || method === "HEAD" ? undefined : random.pick(BODIES);
  return { path: random.oneIn(4) ? path.replace("token=x", `token=${token}`) : path, method, headers, body };
}

test.each([false, true])(
  "any request (annotate: %s)",
  { timeout: secondsFor(2) * 1_000 + 60_000 },
  async (annotate) => {
    const site = unitSite({ annotate });
    writeFileSync(join(site.root, "secret"), SECRET);
    site.write("a.html", "<!doctype html><h1>A</h1>");
    site.write("film.mp4", new Uint8Array(1_000));
    const end = Date.now() + secondsFor(2) * 1_000;
    const seen = new Set<number>();
    for (let seed = SEED; Date.now() < end; seed++) {
      const asked = requestOf(randomFrom(seed), site.token);
      const caller = new AbortController();
      const { body, ...words } = asked;
      const answer = site.ask(asked.path, {
        ...words,
        signal: caller.signal,
        ...(body === undefined ? {} : { body }),
      });
      // A wait and a stream go on until the caller leaves.
      const leaving = setTimeout(() => caller.abort(), 20);
      const response = await answer;
      seen.add(response.status);
      const shown = { seed, ...asked, status: response.status };
      expect({ ...shown, fine: response.status < 500 || response.status === 503 }).toMatchObject({
        fine: true,
      });
      const text = response.headers.get("content-type")?.startsWith("text/event-stream")
        ? ""
        : await response.text().catch(() => "");
      if (text === "") await response.body?.cancel().catch(() => {});
      clearTimeout(leaving);
      caller.abort();
      expect({ ...shown, leaks: text.includes(SECRET) }).toMatchObject({ leaks: false });
      expect({ ...shown, forged: response.headers.has("x-forged") }).toMatchObject({ forged: false });
    }
    // It gets past the doors, and not always.
    expect([...seen].sort()).toEqual(expect.arrayContaining(annotate ? [200, 400, 403, 404] : [200, 404]));
  },
);
