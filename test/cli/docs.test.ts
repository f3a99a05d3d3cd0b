import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandReference } from "../../src/cli/help/reference.ts";
import { parseOnly } from "../../src/cli/parse-only.ts";
import { walk } from "../../src/cli/walk.ts";
import { JIG, ROOT } from "../support/paths.ts";
import { runJig, testEnv } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";

const readme = readFileSync(join(ROOT, "README.md"), "utf8");

/** The fenced blocks of a language in a Markdown text. */
function fenced(text: string, language: string): string[] {
  return [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter((match) => match[1] === language)
    .map((match) => match[2]!);
}

/** A shell line's words after `jig`; comments, redirections and pipes cut off. Quotes are the shell's business. */
function jigWords(line: string): string[] | undefined {
  const match = /(?:^|\(|\s)jig ([^#|<>);&]*)/.exec(line);
  if (match === null) return undefined;
  const words = match[1]!.trim().match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return words.map((word) => word.replaceAll(/^["']|["']$/g, ""));
}

describe("the docs", () => {
  test("docs/commands.md is what the command tree says (npm run docs renews it)", async () => {
    expect(readFileSync(join(ROOT, "docs/commands.md"), "utf8")).toBe(await commandReference());
  });

  test("every jig line in the README parses against the real commands", async () => {
    const lines = fenced(readme, "sh").flatMap((block) => block.split("\n"));
    // A span of two words names a group (`jig job`); from three on it is a call.
    const spans = [...readme.matchAll(/`(jig [^`]+)`/g)]
      .map((match) => match[1]!)
      .filter((text) => text.split(" ").length > 2);
    const calls = [...lines, ...spans].map(jigWords).filter((words) => words !== undefined);
    expect(calls.length).toBeGreaterThan(15);
    for (const words of calls)
      expect([words, await parseOnly(words)]).toEqual([words, expect.objectContaining({ ok: true })]);
  });

  test("every example in help parses", async () => {
    for await (const { path, target } of walk()) {
      const name = path.join(" ");
      for (const example of "verbs" in target ? [] : target.examples) {
        const words = jigWords(example.command);
        expect([name, example.command, words !== undefined && (await parseOnly(words))]).toEqual([
          name,
          example.command,
          expect.objectContaining({ ok: true }),
        ]);
      }
    }
  });

  test("the README's job example works as it stands", { timeout: 40_000 }, async () => {
    const blocks = fenced(readme, "sh");
    const first = blocks.findIndex((text) => text.includes("jig job start"));
    const [start, rest] = [blocks[first]!, blocks[first + 1]!];
    // What Gemini CLI refuses wherever it stands in a command.
    expect(start + rest).not.toMatch(/\$\(|`|<\(/);
    const cwd = tempDir();
    mkdirSync(join(cwd, "bin"));
    spawnSync("ln", ["-s", JIG, join(cwd, "bin", "jig")]);
    const env = { PATH: `${join(cwd, "bin")}:${process.env["PATH"]}`, JIG_TMP_ROOT: cwd };
    const bash = (block: string) =>
      runJig(["--norc", "-euc", block], { program: "bash", cwd, env, timeout: 35_000 });
    const started = await bash(start);
    expect([started.code, started.stderr]).toEqual([0, ""]);
    const id = started.stdout.trim();
    const run = await bash(rest.replaceAll(/\bID\b/g, id));
    expect([run.code, run.stdout]).toEqual([0, "done\nreviewing\nfine\n"]);
    expect(run.stderr).toBe(`jig job: reap ${id}: done\n`);
  });

  test("the README's page example works as it stands", { timeout: 40_000 }, async () => {
    const block = fenced(readme, "sh").find((text) => text.includes("jig web start"))!;
    const cwd = tempDir();
    mkdirSync(join(cwd, "bin"));
    spawnSync("ln", ["-s", JIG, join(cwd, "bin", "jig")]);
    const env = { PATH: `${join(cwd, "bin")}:${process.env["PATH"]}` };
    const [start, wait] = block
      .split("\n")
      .reduce<[string[], string[]]>(
        ([before, after], line) =>
          line.includes("web wait") ? [before, [line]] : [[...before, line], after],
        [[], []],
      );
    try {
      const started = await runJig(["--norc", "-euc", start.join("\n")], { program: "bash", cwd, env });
      const { url, token } = JSON.parse(started.stdout);
      const headers = { "X-Session-Token": token };
      const note = { comment: "Hello is too loud", selector: "h1", page: "/001-hello.html" };
      await fetch(`${url}/annotation`, { method: "POST", headers, body: JSON.stringify(note) });
      await fetch(`${url}/session/flush`, { method: "POST", headers });
      const waited = await runJig(["--norc", "-euc", wait.join("\n")], { program: "bash", cwd, env });
      expect(JSON.parse(waited.stdout)).toMatchObject([
        { comment: "Hello is too loud", screen: "001-hello.html" },
      ]);
    } finally {
      spawnSync(JIG, ["web", "stop", "--root", join(cwd, "show")], { env: testEnv() });
    }
  });

  test("the README's workflow example works as it stands", { timeout: 120_000 }, async () => {
    const block = fenced(readme, "sh").find((text) => text.includes("jig flow new"))!;
    const cwd = tempDir();
    mkdirSync(join(cwd, "bin"));
    spawnSync("ln", ["-s", JIG, join(cwd, "bin", "jig")]);
    const env = { PATH: `${join(cwd, "bin")}:${process.env["PATH"]}`, HOME: cwd };
    const run = await runJig(["--norc", "-euc", block], { program: "bash", cwd, env, timeout: 110_000 });
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^-> BUILD workflow \(signals: default\)\n-> FAST-PATH BUILD/);
    expect(run.stdout).toContain("⛔ blocked: which database?");
    expect(run.stdout).toMatch(/\nrunnable\tbuild-implement\n/);
  });
});
