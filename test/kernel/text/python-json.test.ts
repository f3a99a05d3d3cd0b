import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { asciiJson, pythonJson } from "../../../src/kernel/text/python-json.ts";

test("separators, escapes and member order are those of Python's json.dumps", () => {
  expect(pythonJson([{ ref: "é\u007f", state: null, n: 1, b: true }, []])).toBe(
    '[{"ref": "\\u00e9\\u007f", "state": null, "n": 1, "b": true}, []]',
  );
  expect(pythonJson({ a: undefined, emoji: "🎉" })).toBe('{"emoji": "\\ud83c\\udf89"}');
  expect(asciiJson({ é: "x" }, 2)).toBe('{\n  "\\u00e9": "x"\n}');
});

test("it reads back as what it was", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(pythonJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

const python = spawnSync("python3", ["-c", ""]).status === 0;

test.skipIf(!python)("python3 writes the same bytes", () => {
  const text = fc.string({ unit: "binary" });
  const value = fc.array(fc.record({ ref: text, n: fc.integer(), list: fc.array(text) }));
  const samples = fc.sample(value, 200).map((sample) => JSON.stringify(sample));
  const program = "import json,sys\nfor line in sys.stdin: print(json.dumps(json.loads(line)))";
  const run = spawnSync("python3", ["-c", program], { input: samples.join("\n"), encoding: "utf8" });
  expect(run.stdout.trimEnd().split("\n")).toEqual(samples.map((sample) => pythonJson(JSON.parse(sample))));
});
