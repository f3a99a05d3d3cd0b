import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StoredNote } from "../../src/web/schema.ts";
import { writeNotes } from "../../src/web/state/notes-file.ts";
import { JIG } from "../support/paths.ts";
import { startJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import {
  authed,
  flush,
  infoOf,
  killServer,
  type Server,
  screen,
  serversOf,
  sleep,
  startServer,
  until,
  web,
  webRoot,
} from "../web/support.ts";
import { faults } from "./harness.ts";

const stored = (id: string): StoredNote => ({
  id,
  screen: "a.html",
  comment: id,
  selector: "h1",
  textSnippet: null,
  variant: null,
  rect: null,
  point: null,
  state: "queued",
  created_at: "2026-01-01T00:00:00.000Z",
  delivered_at: null,
});

const idsIn = (stdout: string): string[] => {
  if (!stdout.endsWith("\n") || !stdout.startsWith("[")) return [];
  return (JSON.parse(stdout) as { id: string }[]).map((note) => note.id);
};

/** Repeatable choices, so that a failure can be run again. */
function chooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("kill -9", () => {
  test("of server, agent or both, at any moment, loses no note", async () => {
    const choose = chooser(20_260_731);
    const root = webRoot();
    screen(root, "a.html", "<h1>A</h1>");
    const accepted: string[] = [];
    const delivered: string[] = [];
    let server = await startServer(root, ["--annotate"]);

    async function post(comment: string) {
      try {
        const body = JSON.stringify({ comment, selector: "h1" });
        const reply = await authed(server, "/annotation", { method: "POST", body });
        if (reply.status === 200) accepted.push(JSON.parse(reply.body).id);
      } catch {
        // Nobody was told that it was taken.
      }
    }

    function agent() {
      const child = startJig(["web", "wait", "--root", root, "--timeout", "2"]);
      let stdout = "";
      child.stdout!.on("data", (chunk) => {
        stdout += chunk;
      });
      const done = new Promise<void>((resolve) =>
        child.once("close", () => {
          delivered.push(...idsIn(stdout));
          resolve();
        }),
      );
      return { child, done };
    }

    for (let round = 0; round < 25; round++) {
      const waiting = agent();
      const posts = Promise.all([post(`${round} a`), post(`${round} b`)]);
      await sleep(choose(60));
      const flushed = flush(server).catch(() => undefined);
      await sleep(choose(80));
      const victim = choose(4);
      const killed = victim === 1 || victim === 3 ? killServer(server) : undefined;
      if (victim >= 2) waiting.child.kill("SIGKILL");
      await Promise.all([posts, flushed, waiting.done, killed]);
      if (victim === 1 || victim === 3) server = await startServer(root, ["--annotate"]);
    }
    await web(["stop", "--root", root]);
    for (let left = 0; left < 20; left++) {
      const run = await web(["wait", "--root", root]);
      if (run.code !== 0) {
        expect(run.stdout).toBe('{"status":"session-ended","reason":"stopped"}\n');
        break;
      }
      delivered.push(...idsIn(run.stdout));
    }
    expect(accepted.length).toBeGreaterThan(5);
    expect(accepted.filter((id) => !delivered.includes(id))).toEqual([]);
  });

  test("of the server right after a note was taken: it is on disk", async () => {
    const root = webRoot();
    screen(root, "a.html", "<h1>A</h1>");
    for (let round = 0; round < 3; round++) {
      const server: Server = await startServer(root, ["--annotate"]);
      const body = JSON.stringify({ comment: `c${round}`, selector: "h1" });
      const reply = await authed(server, "/annotation", { method: "POST", body });
      await killServer(server);
      const { id } = JSON.parse(reply.body) as { id: string };
      const file = JSON.parse(readFileSync(join(root, "state/annotations.json"), "utf8"));
      expect((file.records as StoredNote[]).map((note) => note.id)).toContain(id);
    }
    const run = await web(["wait", "--root", root]);
    expect(idsIn(run.stdout)).toHaveLength(3);
  });

  test("of a start: the next one works, with one server", async () => {
    const root = webRoot();
    for (const after of [0, 30, 80, 150, 250]) {
      const child = startJig(["web", "start", "--root", root, "--owner-pid", "none"]);
      // Asked for before the wait: on a quick machine the start is over by then.
      const closed = new Promise((resolve) => child.once("close", resolve));
      await sleep(after);
      child.kill("SIGKILL");
      await closed;
    }
    const server = await startServer(root);
    expect(infoOf(root).pid).toBe(server.pid);
    expect((await web(["stop", "--root", root])).code).toBe(0);
    // What a killed start had begun may come up only now: the next stop finds it.
    await until("no server left", async () => {
      await web(["stop", "--root", root]);
      return serversOf(root).length === 0;
    });
  });
});

faults({
  what: "web wait without a server",
  least: 3,
  prepare() {
    const root = join(tempDir(), "r");
    mkdirSync(join(root, "state"), { recursive: true, mode: 0o700 });
    const records = [stored("a"), stored("b")];
    writeNotes(join(root, "state"), { format: 1, session: "s", last_number: 0, records });
    return { command: [JIG, "web", "wait", "--root", root], directory: root, root };
  },
  // Printed now or the next time; when they cannot be marked they come again.
  async holds({ root }, { killed, stdout, code }) {
    const first = idsIn(stdout);
    const again = idsIn((await web(["wait", "--root", root])).stdout);
    expect([...new Set([...first, ...again])].toSorted()).toEqual(["a", "b"]);
    if (!killed && code === 0) expect(first.length).toBeGreaterThan(0);
  },
});
