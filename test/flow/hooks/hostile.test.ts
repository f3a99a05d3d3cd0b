/** Commands of megabytes: judged as small ones are, in time that grows with them. */
import { describe, expect, test } from "vitest";
import { cpuOf } from "../../fuzz/growth.ts";
import { hookWorld } from "./world.ts";

const TARGET = ".craftflow/state/activeContext.md";

const counted = (times: number, one: (index: number) => string) =>
  Array.from({ length: times }, (_, index) => one(index)).join("");

/** A command of about so many characters, and whether a write at its end can be seen. */
const COMMANDS: Record<string, [make: (size: number) => string, seen: boolean]> = {
  "one word": [(size) => `echo ${"x".repeat(size)}`, true],
  "many targets": [(size) => counted(size / 10, (index) => `>${index + 1_000_000} `), true],
  "many guarded targets": [
    (size) => counted(size / 50, (index) => `>.craftflow/state/workflows/${index + 100_000}.json `),
    true,
  ],
  "many skills": [
    (size) => counted(size / 40, (index) => `>.claude/skills/${index + 1_000_000}/SKILL.md `),
    true,
  ],
  "many operands": [(size) => `tee ${"a ".repeat(size / 2)}`, true],
  "many sources": [(size) => `cp ${"a ".repeat(size / 2)} .`, true],
  "many commands": [(size) => "a;".repeat(size / 2), true],
  "deep brackets": [(size) => "(".repeat(size / 2) + ")".repeat(size / 2), true],
  // Deeper than anybody nests, the text counts as commands: a write in it is seen.
  "deep substitutions": [(size) => `echo ${'"$('.repeat(size / 3)}`, true],
  "an open quote": [(size) => `echo '${"x ".repeat(size / 2)}`, false],
  "nested quotes": [(size) => `echo ${"'\"'\"\\'\"".repeat(size / 7)}x"'`, false],
  backslashes: [(size) => `echo ${"\\".repeat(size)}`, true],
  "here-documents": [(size) => `cat ${"<<A ".repeat(size / 8)}\n${"A\n".repeat(size / 8)}`, true],
  "a here-document without an end": [(size) => `cat <<A\n${"x\n".repeat(size / 2)}`, false],
  "shells in shells": [(size) => counted(size / 12, () => "bash -c 'a';"), true],
  "Python calls": [(size) => `python3 -c "${"os.system('x');".repeat(size / 15)}"`, true],
  "Python opens": [(size) => `python3 -c "${"open('".repeat(size / 6)}"`, true],
  "Python in one statement": [(size) => `python3 - <<A\nos.system(${"'a b',".repeat(size / 6)})\nA\n`, true],
  "Python by name": [(size) => "python3 -u ".repeat(size / 11), true],
  "NULs and halves of characters": [(size) => `echo ${"\0\ud800".repeat(size / 2)}`, true],
};

const MOST = 9;
const NOISE_MS = 400;

describe("a command of megabytes", () => {
  test.each(Object.entries(COMMANDS))("%s", { timeout: 240_000 }, async (_, [make, seen]) => {
    const { denied, bash, write } = hookWorld();
    write(".craftflow/state/project/skill-candidates.json", '{"candidates":[]}');
    const judge = (size: number) => denied(bash(`${make(size)}\necho x > ${TARGET}`));
    const said = await judge(50_000);
    expect(said !== undefined).toBe(seen);
    const small = await cpuOf(() => judge(100_000));
    const large = await cpuOf(() => judge(400_000));
    if (large > NOISE_MS) expect(large / small).toBeLessThan(MOST);
  });

  test("of ten", { timeout: 120_000 }, async () => {
    const { program, bash } = hookWorld();
    const command = `echo ${"'a' \"b\" $(c) > d; ".repeat(500_000)}\necho x > ${TARGET}`;
    const { code, stdout } = await program(["pretooluse"], bash(command));
    expect(code).toBe(0);
    expect(stdout).toContain("bash-write-protected-path");
    expect(stdout.length).toBeLessThan(4_000);
  });
});
