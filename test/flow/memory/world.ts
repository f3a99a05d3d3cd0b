import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import flowGroup from "../../../src/flow/command.ts";
import { type Layout, layoutOf } from "../../../src/flow/common/layout.ts";
import { testHost } from "../../support/host.ts";
import { type RoomOutput, runRoom } from "../../support/room.ts";
import { tempDir } from "../../support/temp.ts";
import { writeWorkflow } from "../written.ts";

/** A project below an empty home, without git: state commands need none. */
export interface MemoryWorld {
  base: string;
  home: string;
  root: string;
  layout: Layout;
  /** Run one verb of the room from its words. */
  flow(
    words: readonly string[],
    options?: { stdin?: string; cwd?: string; now?: number },
  ): Promise<RoomOutput>;
  // biome-ignore lint/suspicious/noExplicitAny: what a verb prints, for a test to look into.
  json(...words: string[]): Promise<any>;
  /** A workflow as another tool may have left it; gives its id. */
  workflow(
    id?: string,
    fields?: Record<string, unknown>,
    events?: readonly Record<string, unknown>[],
  ): string;
  /** Write a file below the project; gives its path. */
  write(path: string, text: string): string;
  read(path: string): string;
}

export const WF = "wf-login-20260706-141203-1a2b3c4d";

export function memoryWorld(): MemoryWorld {
  const base = tempDir();
  const [home, root] = [join(base, "H"), join(base, "H", "a", "r")];
  mkdirSync(join(root, ".craftflow/state/workflows"), { recursive: true });
  const flow: MemoryWorld["flow"] = (words, { cwd = root, now, stdin = "" } = {}) => {
    const host = testHost({
      cwd,
      home,
      env: { HOME: home },
      prefix: "jig flow: ",
      stdin: async () => new TextEncoder().encode(stdin),
      ...(now === undefined ? {} : { now: () => now }),
    });
    return runRoom(flowGroup, words, host, undefined, false);
  };
  return {
    base,
    home,
    root,
    layout: layoutOf(root),
    flow,
    async json(...words) {
      const run = await flow([...words, "--json"]);
      if (run.stdout === "") throw new Error(`flow ${words.join(" ")}: exit ${run.code}: ${run.stderr}`);
      return JSON.parse(run.stdout);
    },
    workflow(id = WF, fields = {}, events = []) {
      writeWorkflow(root, id, fields, events);
      mkdirSync(layoutOf(root).memory(id), { recursive: true });
      return id;
    },
    write(path, text) {
      const full = join(root, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
  };
}

export const PROJECT = ".craftflow/state/project";
export const PERMIT = ".craftflow/state/.memory-finalize";
