import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PythonTexts } from "../../../src/flow/hooks/python/invocations.ts";
import { pythonTargets } from "../../../src/flow/hooks/python/targets.ts";
import { readShell } from "../../../src/flow/hooks/shell/read.ts";

const found = (text: string) => {
  const paths: string[] = [];
  pythonTargets(text, (path) => paths.push(path));
  return paths;
};

function texts(command: string) {
  const python = new PythonTexts();
  readShell(command, () => undefined, { command: (one) => python.note(one) });
  return python.of(command);
}

describe("where Python stands in a command", () => {
  test.each([
    ["python3 -c 'a'", ["a"]],
    ['env X=1 /usr/bin/python3.12 -Bc "a \\"b\\""', ['a "b"']],
    ["python -W ignore -u -c 'a' && python3 -c'b'", ["a", "b"]],
    ["python3 -c 'print(\"python\")'", ['print("python")']],
    ["echo $(python3 -c 'a')", ["a"]],
    ["ls; ipython x; python2 y; pythonic", []],
  ])("%j has its own text", (command, expected) => {
    expect(texts(command)).toEqual(expected);
  });

  test.each([
    "python3 - <<'EOF'\na\nEOF",
    "python3 x.py",
    "python3 x.py -c 'a'",
    "python3 -c a",
    "bash -c \"python3 -c 'a'\"",
    "echo a | python",
  ])("%j is looked through as a whole", (command) => {
    expect(texts(command)).toEqual([command]);
  });

  test("both, where both stand", () => {
    const command = "python3 -c 'a'; python3 - <<EOF\nb\nEOF";
    expect(texts(command)).toEqual(["a", command]);
  });
});

describe("what Python may write to", () => {
  test.each([
    ["open('P','w')", ["P"]],
    ['with io.open( r"P" ) as f: pass', ["P"]],
    ["exec(\"open('P')\")", ["P"]],
    ["Path('P').write_text('x')", ["P"]],
    ["Path(\n'P'\n)\n.write_text('x')", ["P"]],
    ["open('a\\'b')", ["a'b"]],
    ["open(b'P'); open(f'Q')", ["P", "Q"]],
  ])("%j opens a path", (text, paths) => {
    expect(found(text)).toEqual(paths);
  });

  test.each([
    "Path('P').read_text()",
    "open(name)",
    "open('P",
    "subprocess.run(['ls']); print('P')",
    "subprocess.run(['ls'])\nprint('P')",
    "f = os.system; f('x > P')",
    "x.os.system('P')",
    "os.system(x) # 'P'",
    "print('os.system(', 'P')",
    "os.listdir('P')",
    "x = '''os.system('P')'''",
  ])("%j names none", (text) => {
    expect(found(text)).not.toContain("P");
  });

  test.each([
    "os.system('x > P')",
    "os.system(\n 'x > ' + 'P'\n)",
    "import os; os.system('x > ' \\\n + 'P')",
    "from os import system; system('x > P')",
    "from os import (path,\n system as s)\ns('cp a P')",
    "import os as o, shutil as sh\nsh.move('a', 'P')",
    "from shutil import *\ncopyfile('a', 'P')",
    "subprocess.run(['cp', 'a', 'P'])",
    "subprocess.Popen('''cp a\nP''', shell=True)",
    "os.replace('a;b\\n', \"P\")",
    "os.system ('dd of=P')",
    "def f():\n  os.rename(a, 'P')\nimport os",
    "x=$(python3 - <<EOF\nos.system('tee P')\nEOF\n)",
  ])("%j writes a path", (text) => {
    expect(found(text)).toContain("P");
  });

  test("a substitution around the program is no bracket of its own", () => {
    expect(found("x=$(python3 - <<EOF\nsubprocess.run(['ls'])\nprint('P')\nEOF\n)")).not.toContain("P");
  });
});

describe("any text", () => {
  test("is read", () => {
    const piece = fc.constantFrom(
      ..."' \" ''' \"\"\" \\ ( ) [ ; \n # open( Path( .write_text( os.system( import from as os , * r' P \ud800".split(
        " ",
      ),
      " ",
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), (parts) => void found(parts.join(""))));
  });

  test("a path in a call is found behind any statements", () => {
    const before = fc.array(
      fc.constantFrom(
        "a = 1\n",
        "b = 'x;'\n",
        'c = "#"\n',
        "# it's\n",
        "d = '''\n'\n'''\n",
        "e(\n1,\n2)\n",
        "f = 1; ",
      ),
    );
    fc.assert(
      fc.property(before, (lines) => {
        expect(found(`${lines.join("")}os.system('x > P')`)).toContain("P");
        expect(found(`${lines.join("")}os.system('x')\nprint('P')`)).not.toContain("P");
      }),
    );
  });
});
