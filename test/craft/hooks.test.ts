import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanText, cutText } from "../../src/craft/hooks/clean-text.ts";
import { JIG } from "../support/paths.ts";
import { runWorld } from "./run-world.ts";

const ESC = "\u001b";

async function world() {
  const made = runWorld();
  const { call, base, cwd, runs } = made;
  const { stdout: key } = await call(["ledger", "open", "demo"]);
  const transcript = join(base, "t.jsonl");
  writeFileSync(transcript, `${JSON.stringify({ output: key })}\n`);
  const payload = { transcript_path: transcript, cwd };
  const hook = (verb: string, stdin: unknown = payload) =>
    call(["hook", verb], { stdin: typeof stdin === "string" ? stdin : JSON.stringify(stdin) });
  const append = (phase: string, text: string) => call(["ledger", "append", "demo", phase], { stdin: text });
  return { ...made, transcript, payload, hook, append, ledger: join(runs, "demo.md") };
}

describe("hook sessionstart", () => {
  test("craft-run-40 a bound session gets its block; any other gets nothing", async () => {
    const { hook, payload, ledger, append, base, cwd } = await world();
    await append("resolve", "RESOLVE: --skip review\n");
    const { code, stdout, stderr } = await hook("sessionstart", { ...payload, source: "compact" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^craft reorient — if you are not the craft orchestrator driving run demo/);
    expect(lines[2]).toBe(`Ledger: ${ledger}`);
    expect(stdout).toContain(`${JIG} craft run-state ${ledger} --run demo --resolution FILE`);
    expect(stdout).toMatch(
      /Ledger tail \(last 1 of 1 lines of run demo\):\ndemo resolve RESOLVE: --skip review\n$/,
    );
    writeFileSync(join(base, "other.jsonl"), "{}");
    const silent: unknown[] = [
      { ...payload, transcript_path: join(base, "other.jsonl") },
      { ...payload, transcript_path: "" },
      { cwd },
      { ...payload, cwd: base },
      { ...payload, cwd: join(base, "no") },
      { ...payload, source: "startup" },
      [1, 2],
      "garbage",
      "",
      "null",
    ];
    for (const stdin of silent) {
      for (const verb of ["sessionstart", "precompact"]) {
        if (verb === "precompact" && (stdin as { source?: string } | null)?.source !== undefined) continue;
        const said = await hook(verb, stdin);
        expect({ stdin, code: said.code, out: said.stdout, err: said.stderr }).toEqual({
          stdin,
          code: 0,
          out: "",
          err: "",
        });
      }
    }
  });

  test("craft-run-53 a session that takes a run over is found by the key it printed", async () => {
    const { call, hook, payload, base } = await world();
    const { stdout } = await call(["ledger", "locate", "--run", "demo", "--bind"]);
    writeFileSync(join(base, "second.jsonl"), JSON.stringify({ tool: stdout }));
    expect(
      (await hook("sessionstart", { ...payload, transcript_path: join(base, "second.jsonl") })).stdout,
    ).toContain("driving run demo");
    await call(["ledger", "close", "demo"]);
    expect(await call(["ledger", "locate", "--run", "demo", "--bind"])).toMatchObject({
      code: 0,
      stdout: "",
    });
    expect((await hook("sessionstart")).stdout).toBe("");
  });

  test("craft-run-55 no byte of a ledger steers the terminal; the block is bounded", async () => {
    const { hook, ledger } = await world();
    appendFileSync(ledger, `demo design note ${ESC}[31mred${ESC}[0m\n`);
    expect((await hook("sessionstart")).stdout).toMatch(/\ndemo design note \[31mred\[0m\n$/);
    appendFileSync(ledger, "demo design PHASE-START(de\u001bsign): x\n");
    const note = (await hook("precompact")).stdout;
    expect(note).toContain("phase(s) in flight: design;");
    expect(note.trimEnd().split("\n").at(-1)).toBe("If neither, ignore this note.");
    appendFileSync(ledger, `demo p ${"é".repeat(1_000)}\nother p hidden\n`.repeat(500));
    const { stdout } = await hook("sessionstart");
    const tail = stdout.trimEnd().split("\n").slice(-30);
    expect(tail.every((line) => line.length === 200 && line.startsWith("demo p é"))).toBe(true);
    expect(stdout).toContain("Ledger tail (last 30 of 502 lines of run demo):");
    expect(stdout).not.toContain("hidden");
    expect(stdout.length).toBeLessThanOrEqual(8_000);
  });

  test("a deleted working directory and an unreadable ledger are no fault of the session", async () => {
    const { base, call, payload, ledger, env } = await world();
    const gone = join(base, "gone");
    mkdirSync(gone);
    const { runJig } = await import("../support/run.ts");
    const config = JSON.parse((await call(["hook", "config"])).stdout);
    const [{ command }] = config.hooks.SessionStart[0].hooks;
    const script = `cd ${gone} && rmdir ${gone} && ${command}`;
    const stdin = JSON.stringify(payload);
    const ran = await runJig(["-c", script], { program: "/bin/sh", cwd: base, env, stdin });
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("driving run demo");
    rmSync(ledger);
    mkdirSync(ledger);
    const { code, stdout, stderr } = await call(["hook", "sessionstart"], { stdin: JSON.stringify(payload) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/^craft reorient-after-compact: failed \(.*\)\n$/);
  });

  test("a word too many stops no session: an exit code of 2 would cancel its compaction", async () => {
    const { call } = await world();
    for (const verb of ["sessionstart", "precompact"]) {
      for (const words of [["--nope"], ["word"], ["--", "word"]]) {
        const { code, stdout, stderr } = await call(["hook", verb, ...words]);
        expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
        expect(stderr).toMatch(/^craft (reorient-after-compact|steer-compact-summary): failed \(.+\)\n$/);
      }
    }
  });
});

describe("hook precompact", () => {
  test("craft-run-40 the phases in flight are named, none recorded otherwise", async () => {
    const { hook, append, ledger } = await world();
    expect((await hook("precompact")).stdout).toContain("phase(s) in flight: none recorded;");
    await append(
      "x",
      "PHASE-START(validation):\nPHASE-START(design):\nPHASE-DONE(design): ok\nPHASE-START(documentation):\n",
    );
    const { stdout } = await hook("precompact");
    expect(stdout).toContain("phase(s) in flight: validation, documentation;");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^craft compaction note: craft run demo/);
    expect(lines[1]).toMatch(/^If it is the craft orchestrator's/);
    expect(lines[1]).toContain(`run-id demo; ledger ${ledger};`);
    expect(lines[1]).toContain("The run ledger outranks this summary.");
    expect(lines[2]).toMatch(/^If it is a craft sub-agent/);
    expect(lines[2]).not.toMatch(/demo/);
    expect(stdout.length).toBeLessThanOrEqual(2_000);
  });
});

describe("hook config", () => {
  test("craft-run-52 prints settings with this binary's path and changes nothing", async () => {
    const { call, cwd } = await world();
    const before = readdirSync(cwd);
    const { stdout } = await call(["hook", "config"]);
    const { hooks } = JSON.parse(stdout);
    expect(hooks.SessionStart).toEqual([
      { matcher: "compact", hooks: [{ type: "command", command: `cd / && ${JIG} craft hook sessionstart` }] },
    ]);
    expect(hooks.PreCompact[0]).toMatchObject({ matcher: "" });
    expect(readdirSync(cwd)).toEqual(before);
    const spaced = await call(["hook", "config", "--bin", "/opt/my jig"]);
    expect(JSON.parse(spaced.stdout).hooks.PreCompact[0].hooks[0].command).toBe(
      "cd / && '/opt/my jig' craft hook precompact",
    );
    expect(statSync(join(cwd, ".git")).isDirectory()).toBe(true);
  });
});

describe("clean text", () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

  test("taking one control out never joins another", () => {
    expect(cleanText(bytes("a", [0xe2], [0xe2, 0x80, 0xae], [0x80, 0xae], "b"))).toBe("ab");
    expect(cleanText(bytes([0xc2], [0x1b], [0x9b], "x"))).toBe("x");
    expect(cleanText(bytes("t\tab\u2066\u0085", [0xff]))).toBe("t\tab\ufffd");
  });

  test("whatever the bytes, none of them is left, and plain text stays", () => {
    const piece = fc.oneof(
      fc.constantFrom([0xe2], [0x80], [0xae], [0xc2], [0x9b], [0x1b], [0x81], [0xa6], [0x41]),
      fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = cleanText(Uint8Array.from(pieces.flat()));
        expect(text).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~\tа-я€😀]*$/u), (text) => {
        expect(cleanText(new TextEncoder().encode(text))).toBe(text);
      }),
    );
    expect(cutText("😀😀😀", 2)).toBe("😀😀");
  });
});
