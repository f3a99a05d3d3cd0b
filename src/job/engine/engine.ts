import type { Host } from "../../kernel/call/host.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import type { TerminalRecord } from "../record/classify.ts";
import type { MetaFacts } from "../record/files.ts";
import type { JobEngine, JobHandOver, JobMeta, SupervisorState } from "../schema.ts";
import type { Budget } from "./budget.ts";

/** A job that an engine may have, whose words may reach a program. */
export interface OpenJob {
  /** As the caller named it. */
  ref: string;
  directory: string;
  id: string;
  skill: string;
  run: string;
  file: JobEngine;
  engine: Engine;
  meta: MetaFacts | undefined;
}

/** What `start --on` was asked for (docs/spec/engines.md 2.1). */
export interface EngineRequest {
  /** What stands behind the colon of `--on KIND:TARGET`; undefined without a colon. */
  target: string | undefined;
  /** The values of `--engine-arg`. */
  args: readonly string[];
  remoteCwd: string | undefined;
  remoteJig: string | undefined;
}

/** A job about to be handed over: its directory is claimed, its `meta.json` written. */
export interface Submission {
  id: string;
  directory: string;
  meta: JobMeta;
  /** As `--result-path` was given, and from the caller's directory; null without. */
  resultPath: { given: string; absolute: string } | null;
  /** The caller's working directory. */
  cwd: string;
  /** The caller's environment, each limit flag as the variable it stands for. */
  env: Readonly<Record<string, string | undefined>>;
  /** What a supervisor of this program will read, if the engine starts one on a shared file system. */
  handOver: JobHandOver;
}

/** What became of a submission that did not fail: the job runs, or may run. */
export interface Submitted {
  /** The engine's number for the job; null while it is not known. */
  id: string | null;
  note?: string;
}

/** A request that was judged: `submit` is called once the job's directory is there. */
export interface Placed {
  /** What `meta.json` says of the engine. */
  meta: NonNullable<JobMeta["engine"]>;
  /** Where the local `meta.json` says the result will be. */
  resultPathOf(submission: { directory: string; resultPath: Submission["resultPath"] }): string | null;
  /**
   * Hand the job over. Throws `JigError` when it is certain that nothing runs and nothing will; the job is then
   * `never-started`.
   */
  submit(host: Host, submission: Submission): Promise<Submitted>;
}

/** What an engine says of one open job. */
export type Sighting =
  | {
      phase: "queued" | "running";
      id?: string;
      node: string | null;
      reason?: string;
      supervisor?: SupervisorState;
    }
  /** It ended, or is not known any more, and no record was seen. */
  | { phase: "ended"; id?: string; node: string | null; said?: JsonObject }
  /** Its record is elsewhere and can be brought. */
  | { phase: "arrived"; node: string | null; remote: unknown }
  /** It never started, and never will. */
  | { phase: "withdrawn" }
  | { phase: "unknown"; note?: string };

/** One look of an engine at jobs of its kind. */
export interface EngineLook {
  sightings: ReadonlyMap<OpenJob, Sighting>;
  /** Who gave no answer, a line each. */
  notes: readonly string[];
}

/** What a program that watches over jobs elsewhere has to offer. A third one is one more file beside the two. */
export interface Engine {
  /**
   * Judge what was asked for, before anything is made. A text is a usage error. Throws `JigError` when this machine
   * lacks what it takes.
   */
  place(host: Host, request: EngineRequest): Promise<Placed | string>;
  /** What is wrong with the words of an `engine.json`: nothing of it reaches a program then. */
  problemOf(file: JobEngine, jobId: string): string | undefined;
  /** What the notes call the one who is asked. */
  nameOf(file: JobEngine): string;
  /**
   * Ask about all jobs at once. `use` gets the answer while a connection still stands, so that `bring` can go over it.
   * Never throws for silence: a job without an answer is `unknown`.
   */
  look(
    host: Host,
    jobs: readonly OpenJob[],
    budget: Budget,
    use: (look: EngineLook, bring: Bring) => Promise<void>,
  ): Promise<void>;
  /** What is known of a job that ended without a record; `kept` is what was said before. Undefined without an answer. */
  explain(
    host: Host,
    job: OpenJob,
    kept: JsonObject | undefined,
    budget: Budget,
  ): Promise<JsonObject | undefined>;
  /** The record of such a job (a table, docs/spec/engines.md 3.4). */
  settle(job: OpenJob, said: JsonObject, seen: EndedFacts): TerminalRecord;
  /** End a job. Lines for stderr. Throws `JigError` when nobody heard it. */
  stop(host: Host, job: OpenJob): Promise<string[]>;
  /** Its output where that is not in this machine's files; the exit code. */
  logs?(host: Host, job: OpenJob, flags: RemoteLogFlags, out: (piece: Uint8Array) => void): Promise<number>;
}

/** Bring a settled job's files here, its record last. A note when something stayed away. */
export type Bring = (job: OpenJob, remote: unknown) => Promise<string | undefined>;

/** What the files of a job say when its record is to be made. */
export interface EndedFacts {
  hasPid: boolean;
  reapRequested: boolean;
  node: string | null;
  /** Size of the result in bytes; undefined without one that counts. */
  evidence: number | undefined;
  resultMax: number;
}

/** What is wanted of a log. */
export interface RemoteLogFlags {
  tail: number | "all";
  /** Seconds to follow, which may be Infinity; undefined when not following. */
  followSeconds: number | undefined;
  /** Aborts when the caller is interrupted. */
  signal: AbortSignal;
}
