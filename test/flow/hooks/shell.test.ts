import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readShell } from "../../../src/flow/hooks/shell/read.ts";
import { writeTargets } from "../../../src/flow/hooks/shell/targets.ts";
import type { ShellCommand } from "../../../src/flow/hooks/shell/words.ts";

const VARIABLES: Record<string, string> = { HOME: "/h", PWD: "/p" };

function read(text: string) {
  const commands: ShellCommand[] = [];
  const bodies: string[] = [];
  readShell(text, (name) => VARIABLES[name], {
    command: (command) => commands.push(command),
    hereDocument: (_, body) => bodies.push(body),
  });
  return { commands, bodies };
}

const words = (text: string) => read(text).commands.map((command) => command.words.map(({ value }) => value));

/** Where commands write to; a directory with the names that land in it in brackets. */
const targets = (text: string) =>
  read(text)
    .commands.flatMap(writeTargets)
    .map(({ directory, names, path }) => (directory ? `${path}[${names}]` : path));

describe("splitting a command", () => {
  test.each([
    ["a b; c && d || e | f & g\nh", [["a", "b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]],
    ["echo 'a; b' \"c && d\" e\\;f", [["echo", "a; b", "c && d", "e;f"]]],
    ['echo "a \\" b" x"y"\'z\'', [["echo", 'a " b', "xyz"]]],
    ['echo "a\\b" "\\$x" \\\n  c', [["echo", "a\\b", "$x", "c"]]],
    ["echo a # b > c\nd#e", [["echo", "a"], ["d#e"]]],
    ["echo $'a\\tb\\x41\\u00e9\\'' $\"c\"", [["echo", "a\tbAé'", "c"]]],
    [
      `echo ~ ~/x a~ "~" $HOME/y $${"{PWD}"}z '$HOME' $OTHER $${"{A:-b c}"}`,
      [["echo", "/h", "/h/x", "a~", "~", "/h/y", "/pz", "$HOME", "$OTHER", `$${"{A:-b c}"}`]],
    ],
    ["(a; b) c", [["a"], ["b"], ["c"]]],
    ['echo "x $(a "b c"; d) y" z', [["a", "b c"], ["d"], ["echo", "x  y", "z"]]],
    [
      "echo `a b` c",
      [
        ["a", "b"],
        ["echo", "", "c"],
      ],
    ],
    ["diff <(a) <(b)", [["a"], ["b"], ["diff", "", ""]]],
    ["case x in a) b;; esac", [["case", "x", "in", "a"], ["b"], ["esac"]]],
    ["echo 'unclosed", [["echo", "unclosed"]]],
    ['echo "unclosed $(a', [["a"], ["echo", "unclosed "]]],
    ["", []],
  ])("%j", (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test("the body of a here-document is no command, and ends at its delimiter alone", () => {
    expect(words("cat <<EOF > x\n> y\nit's\n EOF\nEOF\nnext")).toEqual([["cat"], ["next"]]);
    expect(read("cat <<'A' <<-B\none\nA\n\ttwo\n\tB\nnext").bodies).toEqual(["one\n", "\ttwo\n"]);
    expect(read("cat <<EOF\nopen").bodies).toEqual(["open"]);
    expect(targets("cat <<EOF > x\n> y\nEOF\n")).toEqual(["x"]);
    expect(words("cat <<< EOF\nnext")).toEqual([["cat"], ["next"]]);
  });
});

describe("what a command writes to", () => {
  test.each([
    ["echo x > a >> b 2> c >| d &> e &>> f >& g <> h", ["a", "b", "c", "d", "e", "f", "g", "h"]],
    ["echo x 2>&1 >&2 >&- < a <<< b", []],
    ["echo x>a;echo y>'b c'", ["a", "b c"]],
    ["echo '> a' \"> b\" \\> c", []],
    ["echo x | tee -a a b -- -c", ["a", "b", "-c"]],
    [
      "sudo -u me tee a; env X=1 Y=2 tee b; /usr/bin/tee c; nohup nice -n 5 timeout 5s tee d",
      ["a", "b", "c", "d"],
    ],
    ["if true; then tee a; fi; ! tee b; { tee c; }; X=1 tee d", ["a", "b", "c", "d"]],
    [
      "cp a b; mv -f a b c/; ln -s a b; install -m 644 a b; rsync -a -e ssh a b",
      ["b", "c/[a,b]", "b", "b", "b"],
    ],
    ["cp x/a y/b -S bak", ["y/b"]],
    [
      "cp -t d x/a b; cp --target-directory=d a; mv -vt d a/; ln -td a; cp --target-directory d a",
      ["d[a,b]", "d[a]", "d[a]", "d[a]", "d[a]"],
    ],
    ["rsync -t a b", ["b"]],
    ["cp -- -a -b", ["-b"]],
    ["cp a; ln -s x/a", [".[a]"]],
    ["dd if=a of=b bs=1 of=", ["b", ""]],
    ["echo cp a b; grep tee x; git mv a b", []],
    ['echo "$(echo y > a)" > b; (echo z > c); diff <(tee d) e', ["a", "b", "c", "d"]],
    ["echo x > >(tee a)", ["a", ""]],
  ])("%j", (text, expected) => {
    expect(targets(text)).toEqual(expected);
  });
});

describe("any text", () => {
  const pieces = fc.array(
    fc.constantFrom(
      ..."a b ; & | > >> << <<- <<< ( ) $( ` ' \" \\ \n # { } ${ $' EOF ~ 2 cp tee -t dd of= \0 \ud800".split(
        " ",
      ),
      " ",
    ),
    { maxLength: 60 },
  );

  test("is read, and what is read stands in it", () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        for (const { redirections, words: found } of read(text).commands) {
          for (const word of [...found, ...redirections.map((one) => one.word)]) {
            expect(word.start).toBeGreaterThanOrEqual(0);
            expect(word.end).toBeGreaterThanOrEqual(word.start);
            expect(word.end).toBeLessThanOrEqual(text.length + 1);
          }
        }
      }),
    );
  });

  test("words in single quotes come back as they are, whatever stands in them", () => {
    const word = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (given) => {
        const text = given.map((one) => `'${one.replaceAll("'", "'\\''")}'`).join(" ");
        expect(words(text)).toEqual([given]);
      }),
    );
  });

  test("a target in any quoting is the target", () => {
    const spell = fc.constantFrom(
      (path: string) => path,
      (path: string) => `'${path}'`,
      (path: string) => `"${path}"`,
      (path: string) => `$'${path}'`,
      (path: string) => [...path].map((one) => `\\${one}`).join(""),
      (path: string) => `${path.slice(0, 2)}"${path.slice(2)}"`,
    );
    const path = fc.stringMatching(/^[a-z./-]{3,12}$/);
    const before = fc.constantFrom(
      "",
      "echo x; ",
      "a && ",
      "(",
      "x=$(",
      'echo "$(',
      "cat <<E\nx'\nE\n",
      "# don't\n",
    );
    fc.assert(
      fc.property(before, path, spell, (start, name, spelled) => {
        expect(targets(`${start}echo x > ${spelled(name)}`)).toContain(name);
      }),
    );
  });
});
