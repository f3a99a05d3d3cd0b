import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { expect, test } from "vitest";
import { type CallEnd, envelopeOf } from "../../../src/elevate/call/envelope.ts";
import { EnvelopeSchema } from "../../../src/elevate/schema.ts";
import { canMount, smallDisk } from "../../support/disk.ts";
import { DENO, JIG, ROOT } from "../../support/paths.ts";
import { callsTouching, canTrace, runInjected } from "../../support/strace.ts";
import { event, say, world } from "../fixture.ts";

const fable = { modelUsage: { "claude-fable-5": {} } };

test("elevate-4 the answer in an envelope of mode 0600, and a closing line", async () => {
  const w = world();
  w.stub(say(event("PLAN", fable)));
  const run = await w.elevate("fable");
  expect([run.code, run.stdout]).toEqual([0, ""]);
  expect(readFileSync(w.result, "utf8")).toBe(
    `${JSON.stringify(
      {
        status: "ok",
        requested_model: "fable",
        served_model: "claude-fable-5",
        receipt: "matched",
        output: "PLAN",
      },
      null,
      2,
    )}\n`,
  );
  expect(statSync(w.result).mode & 0o777).toBe(0o600);
  expect(run.stderr).toBe(
    "[elevation] elevated step complete: requested=fable served=claude-fable-5 receipt=matched\n",
  );
  expect(readdirSync(w.handOff).sort()).toEqual(["brief.md", "result.json"]);
});

test("from source under Deno it is the same", async () => {
  const w = world();
  w.stub(`cat > /dev/null; ${say(event("PLAN", fable))}`);
  const words = ["run", "-A", "--quiet", `${ROOT}/src/main.ts`, "elevate", "fable", w.brief, w.result];
  const run = await w.run(words, { program: DENO });
  expect([run.code, run.stderr.split(" ", 5).join(" ")]).toEqual([
    0,
    "[elevation] elevated step complete: requested=fable",
  ]);
  expect(w.envelope()).toMatchObject({ status: "ok", output: "PLAN" });
});

test("elevate-7 a large answer arrives whole", async () => {
  const w = world();
  w.stub(
    `printf '{"type":"result","subtype":"success","result":"'; head -c "$SIZE" /dev/zero | tr '\\0' x; echo '"}'`,
  );
  for (const size of [300_000, 4 << 20]) {
    expect((await w.elevate("fable", { SIZE: String(size) })).code).toBe(0);
    expect(w.envelope()["output"]).toBe("x".repeat(size));
  }
  // Fifty megabytes are kept too when the runner would keep them.
  const env = { SIZE: String(50 << 20), CE_PEER_RESULT_MAX_BYTES: String(100 << 20) };
  expect((await w.elevate("fable", env)).code).toBe(0);
  expect((w.envelope()["output"] as string).length).toBe(50 << 20);
});

test("elevate-8 an answer the runner would discard becomes a failure that says so", async () => {
  const w = world();
  w.stub(say(event("y".repeat(5000))));
  const run = await w.elevate("fable", { CE_PEER_RESULT_MAX_BYTES: "1000" });
  expect(run.code).toBe(0);
  expect(w.envelope()).toMatchObject({ status: "failed", reason: "result-too-large", exit_code: 0 });
  expect(w.envelope()["evidence"]).toMatch(/^result exceeded byte cap \(51\d\d > 1000 bytes\)$/);
  expect(run.stderr).toContain("[elevation] elevated step failed; wrote failure envelope\n");
});

test("elevate-9 an unclean or empty event is no success", async () => {
  const w = world();
  const cases: [string, string][] = [
    [event("text", { subtype: "error_max_turns", is_error: true }), "error-result"],
    [event("text", { is_error: true }), "error-result"],
    [event("text", { subtype: undefined }), "error-result"],
    [event(""), "empty-result"],
    [event(null), "empty-result"],
    [event(undefined), "empty-result"],
    ['{"type":"assistant"}', "no-result-event"],
  ];
  for (const [line, reason] of cases) {
    w.stub(say(line));
    expect((await w.elevate("fable")).code).toBe(0);
    expect(w.envelope()).toMatchObject({ status: "failed", requested_model: "fable", reason, exit_code: 0 });
    expect(w.envelope()["evidence"]).toBe(line);
  }
});

test("elevate-10 a failing exit outweighs the event", async () => {
  const w = world();
  w.stub(`${say(event("PLAN", fable))}exit 1`);
  const run = await w.elevate("fable");
  expect(run.code).toBe(0);
  expect(w.envelope()).toMatchObject({ status: "failed", reason: "exit", exit_code: 1 });
  expect(run.stderr).toContain("[elevation] elevated call exited non-zero or was reaped\n");
  w.stub(`${say(event("PLAN", fable))}kill -9 $$`);
  await w.elevate("fable");
  expect(w.envelope()).toMatchObject({ status: "failed", reason: "exit", exit_code: null });
});

test("elevate-11 the terminal event is found by parsing, not by looking at text", async () => {
  const w = world();
  const good = event("GOOD", fable);
  const scripts = [
    `${say(good)}echo 'update available' >&2`,
    `${say(good)}${say('{"type":"assistant","x":{"type":"result"}}')}`,
    say(good.replace('"type":', '"type" : ')),
    `${say(event("FIRST"))}${say(good)}`,
    `${say(good)}echo '{"type":"result"' `,
    // Without a final newline, and cut into pieces with a diagnostic in between.
    `printf '%s' '${good.slice(0, 20)}'; echo noise >&2; sleep 0.1; printf '%s' '${good.slice(20)}'`,
  ];
  for (const script of scripts) {
    w.stub(script);
    await w.elevate("fable");
    expect(w.envelope()).toMatchObject({ status: "ok", output: "GOOD" });
  }
});

test("elevate-12 the evidence is the end of the output, at most 800 bytes of valid UTF-8", async () => {
  const w = world();
  w.stub("echo boom >&2; exit 3");
  expect((await w.elevate("fable")).code).toBe(0);
  expect(w.envelope()).toMatchObject({ status: "failed", evidence: "boom", reason: "exit", exit_code: 3 });
  // Two bytes each and one odd byte: the cut falls into a character.
  w.stub(`i=0; while [ $i -lt 2500 ]; do printf 'é'; i=$((i+1)); done; printf 'x'; exit 3`);
  await w.elevate("fable");
  const evidence = w.envelope()["evidence"] as string;
  expect(Buffer.byteLength(evidence)).toBeLessThanOrEqual(800);
  expect(evidence).toMatch(/^é+x$/);
});

test("elevate-13 no claude: a failure envelope; no other tool is needed", async () => {
  const w = world();
  const run = await w.elevate("fable");
  expect(run.code).toBe(0);
  expect(run.stderr).toContain("[elevation] claude not found on PATH\n");
  expect(w.envelope()).toMatchObject({ status: "failed", reason: "claude-not-found", exit_code: null });
  expect(w.envelope()["evidence"]).toContain("not found");
  w.stub(`while read -r line; do :; done\n${say(event("PLAN", fable)).replace("printf", "command printf")}`);
  await w.elevate("fable", { PATH: join(w.root, "bin") });
  expect(w.envelope()).toMatchObject({ status: "ok" });
  // A program that cannot be executed is the same failure, with the system's reason.
  writeFileSync(join(w.root, "bin/claude"), "#!/nowhere/interpreter\n", { mode: 0o755 });
  await w.elevate("fable");
  expect(w.envelope()).toMatchObject({ status: "failed", reason: "claude-not-found" });
  expect(w.envelope()["evidence"]).toContain("the interpreter '/nowhere/interpreter' that the first line of");
});

test("elevate-21 a symlink at the result path is replaced, not followed", async () => {
  const w = world();
  w.stub(say(event("PLAN", fable)));
  const target = join(w.root, "target");
  writeFileSync(target, "mine");
  symlinkSync(target, w.result);
  await w.elevate("fable");
  expect(lstatSync(w.result).isFile()).toBe(true);
  expect(readFileSync(target, "utf8")).toBe("mine");
});

test("a call that reads none of a long prompt is no failure", async () => {
  const w = world();
  writeFileSync(w.brief, "p".repeat(3_000_000));
  w.stub(say(event("PLAN", fable)));
  expect((await w.elevate("fable")).code).toBe(0);
  expect(w.envelope()).toMatchObject({ status: "ok", output: "PLAN" });
});

test.runIf(canTrace)("killed at any call of the publication, the envelope is whole or absent", () => {
  const w = world();
  w.stub(say(event("PLAN", fable)));
  const command = [JIG, "elevate", "fable", w.brief, w.result];
  const calls = callsTouching(w.result.replace(/result\.json$/, ".tmp-"), command, {
    env: w.env,
    cwd: w.root,
  });
  expect(calls.map((call) => call.name)).toEqual(expect.arrayContaining(["openat", "write", "fsync"]));
  for (const call of calls) {
    writeFileSync(w.result, "old");
    runInjected(command, call, "signal=KILL", { env: w.env, cwd: w.root });
    const text = readFileSync(w.result, "utf8");
    if (text !== "old") expect(JSON.parse(text)).toMatchObject({ status: "ok", output: "PLAN" });
  }
});

test.runIf(canMount)("an envelope that cannot be published is exit 1, and nothing is left", async () => {
  const w = world();
  const result = join(smallDisk(), "result.json");
  w.stub(
    `printf '{"type":"result","subtype":"success","result":"'; head -c 99999 /dev/zero | tr '\\0' x; echo '"}'`,
  );
  writeFileSync(result, "old");
  const run = await w.run(["elevate", "fable", w.brief, result]);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`[elevation] cannot write result to ${result}: no space left on device`);
  expect(readdirSync(dirname(result))).toEqual(["result.json"]);
  expect(readFileSync(result, "utf8")).toBe("old");
});

test("every end of a call gives an envelope of the published schema; the first reason that holds decides", () => {
  const clean = { subtype: "success", isError: undefined, result: "R", usageKeys: ["claude-fable-5"] };
  const base = { kind: "ended", exitCode: 0, reaped: undefined, event: clean, evidence: "tail" } as const;
  const table: [CallEnd, string][] = [
    [{ kind: "not-started", why: "claude: command not found" }, "claude-not-found"],
    [{ ...base, reaped: "idle", exitCode: null, event: undefined }, "idle"],
    [{ ...base, reaped: "hard-cap" }, "hard-cap"],
    [{ ...base, exitCode: 7, event: undefined }, "exit"],
    [{ ...base, exitCode: null }, "exit"],
    [{ ...base, event: undefined }, "no-result-event"],
    [{ ...base, event: { ...clean, isError: true, result: "" } }, "error-result"],
    [{ ...base, event: { ...clean, result: false } }, "empty-result"],
    [{ ...base, event: { ...clean, result: "x".repeat(2000) } }, "result-too-large"],
  ];
  for (const [end, reason] of table) {
    const envelope = envelopeOf("fable", end, { resultMax: 1000 });
    expect(envelope).toMatchObject({ status: "failed", reason });
    expect(v.is(EnvelopeSchema, envelope)).toBe(true);
  }
  for (const result of ["R", { a: 1 }, 0, true]) {
    const envelope = envelopeOf("fable", { ...base, event: { ...clean, result } }, { resultMax: 1000 });
    expect(envelope).toMatchObject({ status: "ok", output: result });
    expect(v.is(EnvelopeSchema, envelope)).toBe(true);
  }
});
