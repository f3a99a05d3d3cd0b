import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { settingsFrom } from "../../../src/elevate/settings.ts";
import { JIG } from "../../support/paths.ts";
import { sleep, startJig, until } from "../../support/run.ts";
import { event, isAlive, say, type World, world } from "../fixture.ts";

const remember = (name: string) => `echo $$ > "$NOTES/${name}"\n`;

/** The worker form, left running. */
function begin(w: World, env: Record<string, string> = {}) {
  const child = startJig(["elevate", "fable", w.brief, w.result], { cwd: w.root, env: { ...w.env, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr!.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, closed, stderr: () => stderr };
}

async function recorded(w: World, name: string): Promise<string> {
  await until(`${name} to be recorded`, () => existsSync(join(w.root, name)) && w.note(name).endsWith("\n"));
  return w.note(name).trim();
}

function end(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM") {
  child.kill(signal);
}

describe("limits", () => {
  test("elevate-15 a silent call is reaped, heartbeats or not", async () => {
    const w = world();
    w.stub(`${remember("claude")}sleep 300 & echo $! > "$NOTES/sleep"; wait`);
    const run = await w.elevate("fable", { CE_ELEVATION_IDLE_SECS: "3", CROSS_MODEL_HEARTBEAT_SECS: "1" });
    expect(run.code).toBe(0);
    expect(run.stderr.match(/^\[elevation\] peer alive \(\ds elapsed\)$/gm)!.length).toBeGreaterThanOrEqual(
      2,
    );
    expect(run.stderr).toContain("[elevation] elevated call idle 3s; reaping\n");
    expect(run.stderr).toContain("[elevation] elevated call exited non-zero or was reaped\n");
    expect(w.envelope()).toMatchObject({ status: "failed", reason: "idle", evidence: "" });
    expect([isAlive(w.note("claude")), isAlive(w.note("sleep"))]).toEqual([false, false]);
  });

  test("elevate-16 output restarts the idle window", async () => {
    const w = world();
    w.stub(`for i in 1 2 3 4 5 6 7 8; do printf .; sleep 0.5; done; echo; ${say(event("OK"))}`);
    const run = await w.elevate("fable", { CE_ELEVATION_IDLE_SECS: "2" });
    expect(w.envelope()).toMatchObject({ status: "ok", output: "OK" });
    expect(run.stderr).not.toContain("reaping");
  });

  test("elevate-17 a flood meets the hard cap; a bad value means the default", async () => {
    const w = world();
    w.stub(`${remember("claude")}exec yes flood`);
    const run = await w.elevate("fable", { CE_ELEVATION_HARD_SECS: "2", CE_ELEVATION_IDLE_SECS: "abc" });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("[elevation] elevated call exceeded hard cap 2s; reaping\n");
    expect(run.stderr).not.toMatch(/abc|integer/);
    expect(w.envelope()).toMatchObject({ status: "failed", reason: "hard-cap" });
    expect((w.envelope()["evidence"] as string).length).toBeLessThanOrEqual(800);
    expect(isAlive(w.note("claude"))).toBe(false);
    for (const bad of ["abc", "", "0", "-1", "inf", "1e999", "0x5"]) {
      const env = { CE_ELEVATION_IDLE_SECS: bad, CE_ELEVATION_HARD_SECS: bad, CE_ELEVATION_POLL_SECS: bad };
      expect(settingsFrom(env)).toMatchObject({ idle: 180, hard: 5400, poll: 5 });
    }
    expect(settingsFrom({ CE_ELEVATION_IDLE_SECS: "0.5" }).idle).toBe(0.5);
    const beats = { abc: 60, "1.5": 60, "-2": 60, "0": 1, "7": 7 };
    for (const [text, seconds] of Object.entries(beats)) {
      expect(settingsFrom({ CROSS_MODEL_HEARTBEAT_SECS: text }).heartbeat).toBe(seconds);
    }
  });

  test("elevate-20 a leftover that holds stdout delays nothing and is swept", async () => {
    const w = world();
    w.stub(`${say(event("OK"))}sleep 300 & echo $! > "$NOTES/sleep"`);
    await w.elevate("fable");
    expect(w.envelope()).toMatchObject({ status: "ok", output: "OK" });
    expect(isAlive(w.note("sleep"))).toBe(false);
  });

  test.skipIf(process.platform !== "linux")("the call gets its caller's limit of open files", async () => {
    const w = world();
    w.stub(`ulimit -Sn > "$NOTES/limit"\n${say(event("PLAN"))}`);
    const script = 'ulimit -Sn 256; "$@"; exit $?';
    const words = ["-c", script, "sh", JIG, "elevate", "fable", w.brief, w.result];
    await w.run(words, { program: "/bin/sh" });
    expect(w.note("limit")).toBe("256\n");
  });

  test("an early exit is noticed at once, not at the next poll", async () => {
    const w = world();
    w.stub("exit 9");
    await w.elevate("fable", { CE_ELEVATION_POLL_SECS: "300" });
    expect(w.envelope()).toMatchObject({ reason: "exit", exit_code: 9 });
  });
});

describe("asked to end", () => {
  test("elevate-18 terminate ends the whole call, without an envelope", async () => {
    const w = world();
    w.stub(`${remember("claude")}sleep 300 & echo $! > "$NOTES/sleep"; wait`);
    const { child, closed, stderr } = begin(w, { CE_ELEVATION_POLL_SECS: "300" });
    const sleeping = await recorded(w, "sleep");
    end(child);
    expect(await closed).toBe(0);
    expect([isAlive(w.note("claude")), isAlive(sleeping)]).toEqual([false, false]);
    expect(readdirSync(w.handOff)).toEqual(["brief.md"]);
    expect(stderr()).toContain(
      `[elevation] received TERM/INT; reaping peer process group ${w.note("claude").trim()}\n`,
    );
  });

  test("elevate-19 a call that ignores terminate is killed after 3 s", async () => {
    const w = world();
    w.stub(
      `trap '' TERM INT\n${remember("claude")}sleep 300 & echo $! > "$NOTES/sleep"; wait; wait; sleep 300`,
    );
    const { child, closed, stderr } = begin(w);
    const sleeping = await recorded(w, "sleep");
    end(child, "SIGINT");
    await until("the request to be taken", () => stderr().includes("received TERM/INT"));
    // The runner's second signal changes nothing: the grace goes on.
    child.kill("SIGTERM");
    await sleep(500);
    expect(isAlive(w.note("claude"))).toBe(true);
    expect(await closed).toBe(0);
    expect([isAlive(w.note("claude")), isAlive(sleeping)]).toEqual([false, false]);
    expect(readdirSync(w.handOff)).toEqual(["brief.md"]);
  });

  test("hang-up is ignored", async () => {
    const w = world();
    w.stub(`${remember("claude")}sleep 1; ${say(event("OK"))}`);
    const { child, closed } = begin(w);
    await recorded(w, "claude");
    child.kill("SIGHUP");
    expect(await closed).toBe(0);
    expect(w.envelope()).toMatchObject({ status: "ok" });
  });

  test("terminate at any moment: the envelope is whole or absent, and nothing runs on", async () => {
    const w = world();
    w.stub(
      `${remember("claude")}${say(event("x".repeat(200_000)))}`.replace(
        /printf[^\n]*/,
        `printf '{"type":"result","subtype":"success","result":"'; head -c 2000000 /dev/zero | tr '\\0' x; echo '"}'`,
      ),
    );
    for (let delay = 0; delay < 120; delay += 8) {
      const { child, closed } = begin(w);
      setTimeout(() => child.kill("SIGTERM"), delay);
      await closed;
      if (w.hasEnvelope()) {
        const { status, output } = JSON.parse(readFileSync(w.result, "utf8"));
        expect([status, (output as string).length]).toEqual(["ok", 2_000_000]);
      }
      expect(readdirSync(w.handOff).filter((name) => name.startsWith(".tmp-"))).toEqual([]);
      if (existsSync(join(w.root, "claude"))) expect(isAlive(w.note("claude"))).toBe(false);
    }
  });
});
