import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JIG } from "../support/paths.ts";
import { startJig, testEnv } from "../support/run.ts";
import {
  authed,
  flush,
  infoOf,
  killServer,
  openStream,
  postNote,
  type Server,
  screen,
  startServer,
  until,
  web,
  webRoot,
} from "./support.ts";

interface Batch {
  id: string;
  comment: string;
  number?: number;
}

const wait = (root: string, ...words: string[]) => web(["wait", "--root", root, ...words]);

async function batchOf(run: ReturnType<typeof wait>): Promise<Batch[]> {
  const { code, stdout, stderr } = await run;
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^next: edit the files, then jig web wait --root .*\n$/),
  ]);
  return JSON.parse(stdout) as Batch[];
}

const ENDED = (reason: string) => `{"status":"session-ended","reason":"${reason}"}\n`;

async function annotateServer(env: Record<string, string> = {}): Promise<{ root: string; server: Server }> {
  const root = webRoot();
  screen(root, "001.html", "<h1>One</h1>");
  return { root, server: await startServer(root, ["--annotate"], { env }) };
}

/** A wait that is parked: the server knows of it. */
async function parkedWait(root: string, server: Server) {
  const child = startJig(["web", "wait", "--root", root]);
  let stdout = "";
  child.stdout!.on("data", (chunk) => {
    stdout += chunk;
  });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  await until("the parked wait", async () => JSON.parse((await list(server)).body).waiting === true);
  return { child, exit, stdout: () => stdout };
}

const list = (server: Server, query = "") => authed(server, `/__ce-annotate/annotations${query}`);

const statesOf = async (server: Server) =>
  (JSON.parse((await list(server, "?all=1")).body).records as { state: string }[]).map(
    (record) => record.state,
  );

describe("a batch", () => {
  test("web-22 is printed with exactly the eight keys, in their order", async () => {
    const { root, server } = await annotateServer({ CE_LIGHT_WEB_WAIT_TIMEOUT_MS: "100" });
    const body = `{"comment":" c ","selector":" h1 ","page":"/","variant":["a","b"],"rect":{"x":1,"q":{"z":2}},"point":5,"extra":1}`;
    const posted = await authed(server, "/annotation", { method: "POST", body });
    expect(posted.status).toBe(200);
    const { id } = JSON.parse(posted.body) as { id: string };
    const held = await authed(server, "/wait");
    expect([held.status, held.body]).toEqual([204, ""]);
    await flush(server);
    const run = await wait(root);
    expect([run.code, run.stdout]).toEqual([
      0,
      `[{"id":"${id}","screen":"001.html","comment":"c","selector":"h1","textSnippet":null,"variant":["a","b"],"rect":{"x":1,"q":{"z":2}},"point":null}]\n`,
    ]);
  });

  test("web-55 numbers go on over restarts, a plain POST has none", async () => {
    const { root, server } = await annotateServer();
    const one = await postNote(server, { client_id: "a" });
    const two = await postNote(server, { client_id: "b" });
    await postNote(server);
    expect([one.number, two.number]).toEqual([1, 2]);
    await flush(server);
    const batch = await batchOf(wait(root));
    expect(batch.map((note) => note.number)).toEqual([1, 2, undefined]);
    expect(Object.keys(batch[2]!).join()).toBe("id,screen,comment,selector,textSnippet,variant,rect,point");
    await web(["stop", "--root", root]);
    const next = await startServer(root, ["--annotate"]);
    expect((await postNote(next, { client_id: "a" })).number).toBe(3);
  });

  test("web-24 a wait stays through empty answers", async () => {
    const { root, server } = await annotateServer({ CE_LIGHT_WEB_WAIT_TIMEOUT_MS: "300" });
    const started = performance.now();
    const empty = await authed(server, "/wait");
    const took = performance.now() - started;
    expect([empty.status, empty.body]).toEqual([204, ""]);
    expect(took).toBeGreaterThan(290);
    const waiting = await parkedWait(root, server);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(waiting.child.exitCode).toBeNull();
    await postNote(server);
    await flush(server);
    expect(await waiting.exit).toBe(0);
    expect(JSON.parse(waiting.stdout())).toHaveLength(1);
  });

  test("a large one arrives whole through a slow reader", async () => {
    const { root, server } = await annotateServer();
    for (let index = 0; index < 60; index++)
      await postNote(server, { comment: `${index} ${"x".repeat(60_000)}` });
    await flush(server);
    const child = spawn("sh", ["-c", `'${JIG}' web wait --root '${root}' | (sleep 1; cat)`], {
      env: testEnv(),
    });
    let size = 0;
    let text = "";
    child.stdout.on("data", (chunk) => {
      size += chunk.length;
      text += chunk;
    });
    await new Promise((resolve) => child.once("close", resolve));
    expect(size).toBeGreaterThan(3_600_000);
    expect(JSON.parse(text)).toHaveLength(60);
  });
});

describe("the end", () => {
  test("web-26 a parked wait hears that the server was stopped, and every later one too", async () => {
    const { root, server } = await annotateServer();
    const waiting = await parkedWait(root, server);
    await web(["stop", "--root", root]);
    expect(await waiting.exit).toBe(1);
    expect(waiting.stdout()).toBe(ENDED("stopped"));
    const later = await wait(root);
    expect([later.code, later.stdout]).toEqual([1, ENDED("stopped")]);
  });

  test("web-27 ending the session sends what was not sent", async () => {
    const { root, server } = await annotateServer();
    const { id } = await postNote(server);
    const end = await authed(server, "/session/end", { method: "POST" });
    expect([end.status, end.body]).toEqual([200, ENDED("user-ended")]);
    expect((await batchOf(wait(root))).map((note) => note.id)).toEqual([id]);
    const after = await wait(root);
    expect([after.code, after.stdout]).toEqual([1, ENDED("user-ended")]);
    const late = await authed(server, "/annotation", { method: "POST", body: "{}" });
    expect([late.status, late.body]).toEqual([410, ENDED("user-ended")]);
  });

  test("web-28 nothing is lost when the server is stopped, or killed, before anybody waits", async () => {
    const { root, server } = await annotateServer();
    const sent = await postNote(server);
    await flush(server);
    await web(["stop", "--root", root]);
    expect((await batchOf(wait(root))).map((note) => note.id)).toEqual([sent.id]);
    const end = await wait(root);
    expect([end.code, end.stdout]).toEqual([1, ENDED("stopped")]);
    const again = await startServer(root, ["--annotate"]);
    const flushed = await postNote(again, { comment: "sent" });
    await flush(again);
    const held = await postNote(again, { comment: "not sent" });
    await killServer(again);
    await startServer(root, ["--annotate"]);
    expect((await batchOf(wait(root))).map((note) => note.id)).toEqual([flushed.id, held.id]);
  });

  test("an idle end, too, leaves the notes for the next wait", async () => {
    const { root, server } = await annotateServer({
      CE_LIGHT_WEB_LIFECYCLE_CHECK_MS: "50",
      CE_LIGHT_WEB_IDLE_TIMEOUT_MS: "600",
    });
    const { id } = await postNote(server);
    await until("the end", () => infoOf(root).session_ended);
    await until(
      "the exit",
      async () => JSON.parse((await web(["status", "--root", root])).stdout).status === "stopped",
    );
    expect((await batchOf(wait(root))).map((note) => note.id)).toEqual([id]);
    expect((await wait(root)).stdout).toBe(ENDED("idle"));
  });
});

describe("an agent's ways", () => {
  test("the next call that is said keeps the time limit, and the question until its verdict is there", async () => {
    const { root, server } = await annotateServer();
    const words = ["--timeout", "9", "--ask", "Ship it?", "--choices", "Yes,Not yet"];
    const { id } = await postNote(server);
    await flush(server);
    const first = await wait(root, ...words);
    expect(first.stderr).toContain(
      `--timeout 9 --done ${id} --ask 'Ship it?' --choices 'Yes,Not yet' (--declined`,
    );
    const parked = wait(root, ...words);
    const ask = await until("the question", async () => JSON.parse((await list(server)).body).ask);
    const context = { kind: "verdict", ask: ask.id, question: "Ship it?", choice: "Yes" };
    const verdict = await postNote(server, { context });
    await flush(server);
    expect((await parked).stderr).toContain(`--timeout 9 --done ${verdict.id} (--declined`);
  });

  test("web-49 a wait that gives up, and one that answers the last batch", async () => {
    const { root, server } = await annotateServer();
    const first = await wait(root, "--timeout", "0.5");
    expect([first.code, first.stdout, first.stderr]).toEqual([3, '{"status":"waiting"}\n', ""]);
    const { id } = await postNote(server);
    await flush(server);
    expect((await batchOf(wait(root))).map((note) => note.id)).toEqual([id]);
    const stream = await openStream(server);
    const text = "Did 1; 2 is your call";
    expect((await wait(root, "--reply", text, "--timeout", "0.5")).code).toBe(3);
    expect(stream.of("reply")).toEqual([{ text, ids: [id], at: expect.any(String) }]);
    const later = await openStream(server);
    await until("the reply", () => later.of("reply").length === 1);
    expect(later.of("reply")).toEqual(stream.of("reply"));
    expect((await wait(root, "--reply", "")).code).toBe(2);
  });

  test("web-50 a batch nobody could read is given again, and a replaced server is found", async () => {
    const { root, server } = await annotateServer();
    const { id } = await postNote(server);
    await flush(server);
    const deaf = spawn("sh", ["-c", `('${JIG}' web wait --root '${root}'; echo $? >&2) | true`], {
      env: testEnv(),
    });
    let err = "";
    deaf.stderr.on("data", (chunk) => {
      err += chunk;
    });
    await new Promise((resolve) => deaf.once("close", resolve));
    // The reader may be gone before or after the batch came; a quick one is simply asked again.
    expect(err).toMatch(/cannot write to standard output: .*\n2\n$/);
    expect((await batchOf(wait(root))).map((note) => note.id)).toEqual([id]);

    const waiting = await parkedWait(root, server);
    process.kill(waiting.child.pid!, "SIGSTOP");
    await web(["stop", "--root", root]);
    const next = await startServer(root, ["--annotate", "--port", String(server.port)]);
    process.kill(waiting.child.pid!, "SIGCONT");
    const outcome = await Promise.race([
      waiting.exit,
      until("the new token in use", async () => JSON.parse((await list(next)).body).waiting === true).then(
        () => "goes on",
      ),
    ]);
    if (outcome === "goes on") {
      await postNote(next);
      await flush(next);
      expect(await waiting.exit).toBe(0);
    } else expect([outcome, waiting.stdout()]).toEqual([1, ENDED("stopped")]);
  });

  test("a wait that polls with an old token goes on with the new one", async () => {
    const { root, server } = await annotateServer({ CE_LIGHT_WEB_WAIT_TIMEOUT_MS: "100" });
    const waiting = await parkedWait(root, server);
    process.kill(waiting.child.pid!, "SIGSTOP");
    await killServer(server);
    const next = await startServer(root, ["--annotate", "--port", String(server.port)]);
    process.kill(waiting.child.pid!, "SIGCONT");
    await until("it", async () => JSON.parse((await list(next)).body).waiting === true);
    const { id } = await postNote(next);
    await flush(next);
    expect(await waiting.exit).toBe(0);
    expect((JSON.parse(waiting.stdout()) as Batch[])[0]!.id).toBe(id);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends a wait with %i, and it loses nothing", async (signal, code) => {
    const { root, server } = await annotateServer();
    const waiting = await parkedWait(root, server);
    waiting.child.kill(signal);
    expect(await waiting.exit).toBe(code);
    const { id } = await postNote(server);
    await flush(server);
    expect((await batchOf(wait(root))).map((note) => note.id)).toEqual([id]);
  });

  test("annotations lists every note with its state, from the server or the file, and changes none", async () => {
    const { root, server } = await annotateServer();
    const a = await postNote(server, { comment: "a" });
    await flush(server);
    await batchOf(wait(root));
    const b = await postNote(server, { comment: "b" });
    const listed = async (...words: string[]) =>
      JSON.parse((await web(["annotations", "--root", root, ...words])).stdout) as (Batch & {
        state: string;
      })[];
    const live = await listed();
    expect(live.map(({ id, state }) => [id, state])).toEqual([
      [a.id, "working"],
      [b.id, "held"],
    ]);
    expect(Object.keys(live[0]!).slice(-3)).toEqual(["state", "created_at", "delivered_at"]);
    expect((await listed("--state", "held,queued")).map((note) => note.id)).toEqual([b.id]);
    expect(await statesOf(server)).toEqual(["working", "held"]);
    await web(["stop", "--root", root]);
    expect((await listed()).map(({ id, state }) => [id, state])).toEqual([
      [a.id, "done"],
      [b.id, "queued"],
    ]);
  });

  test("annotations.json is private and holds no token", async () => {
    const { root, server } = await annotateServer();
    await postNote(server);
    expect(readFileSync(join(root, "state/annotations.json"), "utf8")).not.toContain(server.token);
  });
});
