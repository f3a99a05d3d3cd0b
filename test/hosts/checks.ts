import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as wire from "../../src/kernel/shared/annotate-wire.ts";
import { JIG } from "../support/paths.ts";
import { sleep, until } from "../support/run.ts";
import type { Recipe } from "./recipes.ts";
import { type Session, type SessionOptions, startSession, type Turn } from "./session.ts";

/** Milliseconds a host may take to come to a call: on a busy machine they start slowly. */
const PATIENCE_MS = 180_000;

/** What was looked at, and what was seen of it. */
export interface Check {
  id: CheckId;
  ok: boolean;
  seen: string;
}

/** Every check, with its line in docs/hosts.md. */
export const CHECKS = {
  offered: "every skill is offered, with its whole description",
  loaded: "a skill's text arrives whole",
  doctor: "`jig doctor` names the host",
  "job-call": "a job outlives the call that started it, and the host's own end",
  "job-limit": "a job outlives a call that ran over its time",
  "job-sigterm": "a job outlives the host's SIGTERM",
  "job-sigkill": "a job outlives the host's SIGKILL",
  owner: "the owner of `web start` is the host",
  "server-lives": "the server is up after 70 s, while the host is",
  "server-ends": "the server is gone 65 s after the host",
  notes: "notes sent after a `web wait` ran over its time reach the next one",
  "sandbox-refuses": "in a sandbox nothing outlives, `job start` and `web start` refuse with the remedy",
  "sandbox-reads": "in a read-only sandbox jobs are still looked after",
} as const;

export type CheckId = keyof typeof CHECKS;

/** A host at hand, and a directory for its sessions. */
export interface Bench {
  recipe: Recipe;
  bin: string;
  base: string;
}

type Scenario = (bench: Bench) => Promise<Check[]>;

const START = `${JIG} job start --skill t --run-id r --`;
const SHOW = `${JIG} web start --root show --annotate`;

const shell = (command: string, more: { seconds?: number; after?: number } = {}): Turn => ({
  tool: "shell",
  command,
  ...more,
});

/** Run a session to the end of `use`, whatever happens. */
async function inSession<T>(
  { recipe, bin, base }: Bench,
  name: string,
  turns: readonly Turn[],
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await startSession(join(base, name), recipe, bin, turns, options);
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

/** The ids of the jobs that the session's calls started. */
function jobsOf({ work }: Session): string[] {
  const jobs = join(work, "jobs/t/r/jobs");
  return existsSync(jobs) ? readdirSync(jobs).filter((id) => existsSync(join(jobs, id, "pid"))) : [];
}

const startedJob = (session: Session) => until("a job", () => jobsOf(session)[0], PATIENCE_MS);

async function outcomeOf(session: Session, id: string): Promise<string> {
  const wait = await session.jig(["job", "wait", "--max-secs", "45", id]);
  const log = await session.jig(["job", "logs", id]);
  return `${wait.stdout.trim()}, wrote ${JSON.stringify(log.stdout.trim())}`;
}

const FINISHED = 'done, wrote "finished"';

const life: Scenario = (bench) =>
  inSession(
    bench,
    "life",
    [
      { tool: "skill", name: "jig-jobs" },
      shell(`${START} sh -c 'sleep 15; echo finished'`),
      shell(`${JIG} job list --json`),
      shell(`${JIG} doctor`),
      { say: "done" },
    ],
    {},
    async (session) => {
      await session.ended;
      const { offered, loaded, results } = session.last();
      const skills = readdirSync(join(bench.base, "life/home", bench.recipe.skillsDirectory));
      const outcome = jobsOf(session).length === 0 ? "no job" : await outcomeOf(session, jobsOf(session)[0]!);
      const agent = /around this call: (.*)/.exec(results.at(-1) ?? "")?.[1] ?? "nothing";
      return [
        check("offered", offered.length === skills.length, `${offered.length} of ${skills.length}`),
        check("loaded", loaded.includes("jig-jobs"), loaded.includes("jig-jobs") ? "whole" : "not whole"),
        check("job-call", /"state": ?"running"/.test(results[2] ?? "") && outcome === FINISHED, outcome),
        check("doctor", agent.startsWith(bench.recipe.title), agent),
      ];
    },
  );

/** Seconds a call is given here; Gemini CLI counts them from the last output. */
const CALL_SECONDS = 5;

const overTime: Scenario = (bench) =>
  inSession(
    bench,
    "over-time",
    [shell(`${START} sh -c 'sleep 15; echo finished'; sleep 60`, { seconds: CALL_SECONDS }), { say: "done" }],
    { limit: CALL_SECONDS },
    async (session) => {
      const id = await startedJob(session);
      await session.ended;
      const outcome = await outcomeOf(session, id);
      return [check("job-limit", outcome === FINISHED, outcome)];
    },
  );

const killed =
  (id: "job-sigterm" | "job-sigkill", signal: NodeJS.Signals): Scenario =>
  (bench) =>
    inSession(
      bench,
      id,
      [shell(`${START} sh -c 'sleep 8; echo finished'`), { say: "done", after: 50 }],
      {},
      async (session) => {
        const job = await startedJob(session);
        // The call has returned: the model has been asked for the next turn.
        await until("the next turn", () => session.log().some(({ step }) => step === 1), PATIENCE_MS);
        session.kill(signal);
        await until("the host to end", () => session.processes().length === 0, 20_000);
        const outcome = await outcomeOf(session, job);
        return [check(id, outcome === FINISHED, outcome)];
      },
    );

interface Shown {
  pid: number;
  owner_pid: number | null;
  url: string;
  token: string;
}

/** The server that a session's call started, as its own file says. */
const shownBy = (session: Session) =>
  until(
    "a server",
    () => {
      const path = join(session.work, "show/state/display-info.json");
      return existsSync(path) && (JSON.parse(readFileSync(path, "utf8")) as Shown);
    },
    PATIENCE_MS,
  );

const ALIVE_SECONDS = 70;
const GONE_SECONDS = 65;

const server: Scenario = (bench) =>
  inSession(
    bench,
    "server",
    // A request without an answer is repeated by Gemini CLI after 60 s.
    [shell(SHOW), { ...shell("true"), after: 40 } as Turn, { say: "done", after: 40 }],
    {},
    async (session) => {
      const shown = await shownBy(session);
      const started = Date.now();
      const owner = shown.owner_pid;
      const isHost = owner !== null && session.processes().includes(owner);
      await until("70 s", () => Date.now() - started > ALIVE_SECONDS * 1000, 2 * ALIVE_SECONDS * 1000);
      const hostLives = session.processes().length > 0;
      const lives = isAlive(shown.pid);
      await session.ended;
      const ended = Date.now();
      const gone = await until("the server to end", () => !isAlive(shown.pid), GONE_SECONDS * 1000).catch(
        () => false,
      );
      const after = Math.round((Date.now() - ended) / 1000);
      return [
        check("owner", isHost, isHost ? "the host" : `${owner}, not one of ${session.processes()}`),
        check(
          "server-lives",
          lives && hostLives,
          hostLives ? (lives ? "up" : "gone") : "the host ended first",
        ),
        check("server-ends", gone, gone ? `${after} s` : `up after ${GONE_SECONDS} s`),
      ];
    },
  );

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const SCREEN = "001.html";
const COMMENT = "Make this one smaller";

const notes: Scenario = (bench) =>
  inSession(
    bench,
    "notes",
    [
      shell(SHOW),
      shell(`${JIG} web wait --root show`, { seconds: CALL_SECONDS }),
      shell(`${JIG} web wait --root show --timeout 25`, { seconds: 30 }),
      { say: "done" },
    ],
    // Silence is what ends a call in Gemini CLI, and the second wait is silent until the note comes.
    { limit: 12 },
    async (session) => {
      const shown = await shownBy(session);
      writeFileSync(join(session.work, "show/screens", SCREEN), "<h1>Hello</h1>");
      await until("the second wait", () => session.log().some(({ step }) => step === 2), PATIENCE_MS);
      await sleep(2000);
      await sendNote(shown);
      await session.ended;
      const got = (session.last().results[2] ?? "").includes(COMMENT);
      const kept = (await session.jig(["web", "annotations", "--root", "show"])).stdout.includes(COMMENT);
      const seen = got ? "the next wait" : kept ? "kept on disk" : "lost";
      return [check("notes", got, seen)];
    },
  );

/** One note as the overlay sends it (docs/spec/web.md 15.7). */
async function sendNote({ url, token }: Shown): Promise<void> {
  const note = {
    page: `/${SCREEN}`,
    comment: COMMENT,
    selector: "h1",
    textSnippet: "Hello",
    context: { kind: "element", label: "h1" },
    client_id: crypto.randomUUID(),
  };
  for (const [path, body] of [
    [wire.NOTE_PATH, JSON.stringify(note)],
    [wire.SEND_PATH, undefined],
  ] as const) {
    const response = await fetch(`${url.replace("localhost", "127.0.0.1")}${path}`, {
      method: "POST",
      headers: { "X-Session-Token": token, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body }),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  }
}

const sandboxed: Scenario = (bench) =>
  inSession(
    bench,
    "sandboxed",
    [shell(`${START} sleep 60`), shell(SHOW), shell(`${JIG} doctor`), { say: "done" }],
    { sandbox: "workspace-write" },
    async (session) => {
      await session.ended;
      const [job = "", show = "", doctor = ""] = session.last().results;
      const refused = [job, show].every((said) => /process namespace of its own[\s\S]*hint: /.test(said));
      const named = /sandbox +this call has a process namespace of its own/.test(doctor);
      const seen = `${refused ? "refused" : firstLine(job)}, ${named ? "named by doctor" : "not named by doctor"}`;
      return [check("sandbox-refuses", refused && named && jobsOf(session).length === 0, seen)];
    },
  );

const readOnly: Scenario = (bench) =>
  inSession(
    bench,
    "read-only",
    [shell("true"), shell(`${JIG} job list --json`), { say: "done" }],
    { sandbox: "read-only" },
    async (session) => {
      const job = await session.jig(["job", "start", "--skill", "t", "--run-id", "r", "--", "sleep", "30"]);
      await session.ended;
      const list = session.last().results[1] ?? "";
      const found = list.includes(job.stdout.trim()) && /"state": ?"running"/.test(list);
      await session.jig(["job", "reap", job.stdout.trim()]);
      return [check("sandbox-reads", found, found ? "running, as outside" : firstLine(list))];
    },
  );

function check(id: CheckId, ok: boolean, seen: string): Check {
  return { id, ok, seen };
}

const firstLine = (text: string) => text.trim().split("\n", 1)[0] ?? "";

/** The scenarios of a host; those with long clocks come first. */
export function scenariosOf(recipe: Recipe): Record<string, Scenario> {
  return {
    server,
    notes,
    life,
    "over-time": overTime,
    "job-sigterm": killed("job-sigterm", "SIGTERM"),
    "job-sigkill": killed("job-sigkill", "SIGKILL"),
    ...(recipe.title === "Codex" ? { sandboxed, "read-only": readOnly } : {}),
  };
}
