import { closeSync, openSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentType } from "../../../src/web/server/http/content-types.ts";
import { matchesTag, parseRange } from "../../../src/web/server/http/file-response.ts";
import { fileStream } from "../../../src/web/server/http/file-stream.ts";
import { isFullDocument, isFullDocumentBytes, markLength } from "../../../src/web/server/screens/fragment.ts";
import { bootTag, refreshScript, scriptJson } from "../../../src/web/server/screens/pages.ts";
import { tempDir } from "../../support/temp.ts";

describe("byte ranges", () => {
  test.each([
    ["bytes=0-99", { start: 0, end: 100 }],
    ["bytes=990-", { start: 990, end: 1000 }],
    ["bytes=-10", { start: 990, end: 1000 }],
    ["bytes=-5000", { start: 0, end: 1000 }],
    ["bytes=0-5000", { start: 0, end: 1000 }],
    ["BYTES=1-1", { start: 1, end: 2 }],
    ["bytes=1000-", "unsatisfiable"],
    ["bytes=9999999999-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-2", "whole"],
    ["bytes=0-1,3-4", "whole"],
    ["bytes=-", "whole"],
    ["bytes=a-b", "whole"],
    ["items=0-1", "whole"],
    ["", "whole"],
  ])("%j of 1000 bytes", (header, expected) => {
    expect(parseRange(header, 1000)).toEqual(expected);
  });

  test("of an empty file none can be satisfied", () => {
    expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(parseRange("bytes=-1", 0)).toBe("unsatisfiable");
  });

  test("a satisfied range is never empty and never beyond the file", () => {
    const bound = fc.oneof(fc.constant(""), fc.nat(3000).map(String));
    fc.assert(
      fc.property(bound, bound, fc.nat(2000), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size);
        if (typeof range === "string") return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.start).toBeLessThan(range.end);
        expect(range.end).toBeLessThanOrEqual(size);
      }),
    );
  });
});

test("entity tags: a list, weak ones by value, and the star", () => {
  expect(matchesTag('"a", W/"b"', '"b"')).toBe(true);
  expect(matchesTag("*", '"b"')).toBe(true);
  expect(matchesTag('"bb"', '"b"')).toBe(false);
  expect(matchesTag(null, '"b"')).toBe(false);
});

describe("streaming a part of a file", () => {
  async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of stream as unknown as AsyncIterable<Uint8Array>) parts.push(part);
    return Buffer.concat(parts);
  }

  test("exactly the bytes asked for, over several reads", async () => {
    const path = join(tempDir(), "f");
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251));
    writeFileSync(path, bytes);
    expect(
      (await collect(fileStream(openSync(path, "r"), [{ start: 5, end: 699_999 }]))).equals(
        bytes.subarray(5, 699_999),
      ),
    ).toBe(true);
  });

  test("a file that shrinks breaks the stream instead of padding it", async () => {
    const path = join(tempDir(), "f");
    writeFileSync(path, Buffer.alloc(600_000));
    const reader = fileStream(openSync(path, "r"), [{ start: 0, end: 600_000 }]).getReader();
    await reader.read();
    truncateSync(path, 1000);
    await expect(
      (async () => {
        for (;;) if ((await reader.read()).done) return;
      })(),
    ).rejects.toBeUndefined();
  });

  test("a reader that leaves closes the file, also under a read", async () => {
    const path = join(tempDir(), "f");
    writeFileSync(path, Buffer.alloc(600_000));
    const descriptor = openSync(path, "r");
    const reader = fileStream(descriptor, [{ start: 0, end: 600_000 }]).getReader();
    void reader.read();
    await reader.cancel();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(() => closeSync(descriptor)).toThrow("EBADF");
  });
});

test("content types by extension, in any case, from the last dot of the name", () => {
  expect(contentType("a.HTML")).toBe("text/html; charset=utf-8");
  expect(contentType("x/y.Mp4")).toBe("video/mp4");
  expect(contentType("x.css/y")).toBe("application/octet-stream");
  expect(contentType("a.constructor")).toBe("application/octet-stream");
  expect(contentType(".html")).toBe("text/html; charset=utf-8");
  expect(contentType("a.b.md")).toBe("text/markdown; charset=utf-8");
});

describe("fragment or document", () => {
  test.each([
    ["<!doctype html><p>", true],
    ["<!DOCTYPE html>", true],
    ["\ufeff \n<!-- a --> <!--b--><HTML>", true],
    ["<html lang=en>", true],
    ["<h1>x</h1>", false],
    ["<!-- <html> --><p>", false],
    ["<!-- never closed <html>", undefined],
    ["text <html>", false],
  ])("%j", (text, expected) => {
    expect(isFullDocument(text)).toBe(expected);
    expect(isFullDocumentBytes(Buffer.from(text))).toBe(expected ?? false);
  });

  test("a long comment at the start is looked past", () => {
    const comment = `<!--${"x".repeat(100_000)}-->`;
    expect(isFullDocumentBytes(Buffer.from(`${comment}<html>`))).toBe(true);
    expect(isFullDocumentBytes(Buffer.from(`${comment}<p>`))).toBe(false);
  });

  test("whatever stands in comments and white space changes nothing", () => {
    const filler = fc.constantFrom(" ", "\n", "\t", "<!---->", "<!-- <p> -->", "<!--<!doctype html>-->");
    fc.assert(
      fc.property(fc.array(filler), fc.constantFrom("<!doctype html>", "<p>text</p>"), (before, rest) => {
        expect(isFullDocument(before.join("") + rest)).toBe(rest.startsWith("<!"));
      }),
    );
  });

  test("the byte-order mark", () => {
    expect(markLength(Buffer.from("\ufeffx"))).toBe(3);
    expect(markLength(Buffer.from("x"))).toBe(0);
  });
});

describe("what the server puts into pages", () => {
  test("no value can close the script it stands in", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const text = scriptJson({ name: `${name}</script><!--\u2028` });
        expect(text).not.toMatch(/[<\u2028\u2029]/);
        expect(JSON.parse(text)).toEqual({ name: `${name}</script><!--\u2028` });
      }),
    );
  });

  test("the boot tag cannot be broken out of", () => {
    const tag = bootTag("http://h:1", "s", "d", `/a"><script>'&`);
    expect(tag).toBe(
      '<script defer src="http://h:1/__ce-annotate/annotate.js" data-ce-session="s" data-ce-document="d" data-ce-page="/a&quot;&gt;&lt;script&gt;&#39;&amp;"></script>',
    );
  });

  test("the refresh script has the words callers look for, and none of those they forbid", () => {
    for (const wrapped of [true, false]) {
      const script = refreshScript({ screen: "a.html", mtimeMs: 1.5 }, wrapped);
      expect(script).toContain('fetch("/version"');
      expect(script).not.toMatch(/WebSocket|EventSource|events|data-choice|annotate\.js|ce-annotate-host/);
      expect(script).not.toContain("CE local web - newest screen");
      expect(() => new Function(script.replace(/<\/?script>/g, ""))).not.toThrow();
    }
  });
});
