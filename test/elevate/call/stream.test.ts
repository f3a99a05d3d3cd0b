import fc from "fast-check";
import { expect, test } from "vitest";
import { evidenceText, OutputReader, parseEvent } from "../../../src/elevate/call/stream.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("the last terminal event is found however the output is cut and mixed", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "",
      "not json",
      "{",
      "[]",
      "null",
      '"result"',
      '{"type":"assistant","x":{"type":"result"}}',
    ),
    fc.string().map((text) => text.replaceAll("\n", " ")),
    fc
      .record({ type: fc.constantFrom("result", "assistant", "Result"), result: fc.string() })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 12 }),
      fc.boolean(),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (lines, newline, cuts) => {
        const all = bytes(lines.join("\n") + (newline ? "\n" : ""));
        const reader = new OutputReader();
        for (let at = 0; at < all.length; ) {
          const size = cuts.next().value;
          reader.stdout(all.subarray(at, at + size));
          reader.stderr(bytes('{"type":"result","result":"from stderr"}\n'));
          at += size;
        }
        const expected = lines
          .map((text) => parseEvent(bytes(text)))
          .filter((found) => found !== undefined)
          .at(-1);
        expect(reader.event()).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

test("a line over 64 MiB is passed over, and the next one counts", () => {
  const reader = new OutputReader();
  reader.stdout(bytes('{"type":"result","result":"'));
  const block = new Uint8Array(1 << 20).fill(0x78);
  for (let turn = 0; turn < 65; turn++) reader.stdout(block);
  reader.stdout(bytes('"}\n{"type":"result","result":"next"}'));
  expect(reader.event()?.result).toBe("next");
});

test("the evidence is the end of both streams in the order they came", () => {
  const reader = new OutputReader();
  reader.stdout(bytes("a".repeat(2000)));
  reader.stderr(bytes("two"));
  reader.stdout(bytes("three\n\n"));
  const evidence = reader.evidence();
  expect(evidence).toMatch(/^a+twothree$/);
  expect(evidence.length).toBe(798);
});

test("any bytes become at most 800 bytes of valid text", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 800 }), fc.boolean(), (tail, cut) => {
      const text = evidenceText(tail, cut);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(800);
      expect(text).not.toMatch(/[\r\n]$/);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 300 }), (text) => {
      const reader = new OutputReader();
      reader.stdout(bytes(text));
      expect(bytes(reader.evidence()).length).toBeLessThanOrEqual(800);
      expect(text.endsWith(reader.evidence())).toBe(!/[\r\n]$/.test(text));
    }),
  );
});
