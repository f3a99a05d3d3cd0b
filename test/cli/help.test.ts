import { describe, expect, test } from "vitest";
import { helpText } from "../../src/cli/help/help.ts";
import { overview } from "../../src/cli/help/overview.ts";
import { walk } from "../../src/cli/walk.ts";
import { command } from "../../src/kernel/call/command.ts";
import { runJig } from "../support/run.ts";

/** Every visible page of help, by the words that reach it. */
async function pages(width: number): Promise<[string, string][]> {
  const found: [string, string][] = [["", overview()]];
  for await (const { path, target } of walk())
    found.push([path.join(" "), await helpText(target, { colour: false, width })]);
  return found;
}

/** A page without its example commands, which are copied and so are never broken. */
function withoutExamples(page: string): string {
  return page.split("EXAMPLES\n", 1)[0]!;
}

describe("help for a person", () => {
  test("no line is wider than a page, and none than a narrow terminal", async () => {
    for (const width of [100, 50]) {
      for (const [name, page] of (await pages(width)).slice(1)) {
        const wide = withoutExamples(page)
          .split("\n")
          .filter((line) => line.length > width && !line.startsWith("USAGE") && /\S\s+\S/.test(line.trim()));
        expect([name, width, wide]).toEqual([name, width, []]);
      }
    }
  });

  test("names stand at the left, and every description of a section in one column", async () => {
    for (const [name, page] of await pages(100)) {
      for (const row of withoutExamples(page).matchAll(/^(ARGUMENTS|OPTIONS|COMMANDS)\n\n([\s\S]*?)\n\n/gm)) {
        const lines = row[2]!.split("\n");
        expect([name, lines[0]]).toEqual([name, expect.stringMatching(/^ {2}\S/)]);
        const columns = new Set(
          lines.flatMap((line) => /^ {2}\S.*? {2,}(?=\S)/.exec(line)?.[0].length ?? []),
        );
        expect([name, row[1], columns.size <= 1]).toEqual([name, row[1], true]);
      }
    }
  });

  test("says once that a flag may repeat", async () => {
    for (const [name, page] of await pages(1000)) {
      const twice = page
        .split("\n")
        .filter((line) => line.includes("may be repeated") && /repeat(?!ed)/.test(line));
      expect([name, twice]).toEqual([name, []]);
    }
  });

  test("words behind -- are the last of the synopsis: a flag there would be data", async () => {
    for (const [name, page] of await pages(100)) {
      const usage = /^USAGE.*$/m.exec(page)![0];
      expect([name, usage]).toEqual([name, expect.not.stringMatching(/ \[?-- .* --?\w/)]);
    }
    const { stdout } = await runJig(["job", "start", "--help"]);
    expect(stdout).toMatch(/^USAGE jig job start \[OPTIONS\]( --\S+)* \[?-- ARGV\.\.\.\]?$/m);
  });

  test("a long choice is listed in the description, and a code that cannot happen is left out", async () => {
    const choices = ["claude", "codex", "cursor", "opencode", "gemini", "copilot", "goose"];
    const page = await helpText(
      command({
        name: "x y",
        summary: "Do it",
        flags: { host: { type: "string", value: "HOST", summary: "An agent", choices } },
        exitCodes: [[2, null]],
        examples: [{ command: "jig x y", explains: "does it" }],
        run: () => Promise.reject(new Error("not run")),
      }),
      { colour: false, width: 100 },
    );
    expect(page).toMatch(/^ {2}--host=<HOST> +An agent: claude, codex, .*$/m);
    expect(page).not.toMatch(/^ +2 {2}/m);
  });
});
