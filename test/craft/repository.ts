import { execFileSync } from "node:child_process";
import craftGroup from "../../src/craft/command.ts";
import type { Host } from "../../src/kernel/call/host.ts";
import { runRoom } from "../support/room.ts";
import { testEnv } from "../support/run.ts";
import { type World, world } from "./world.ts";

/** A world whose repository is one of git's, with one commit on `main`, and whose host runs craft's own verbs. */
export interface RepositoryWorld extends World {
  git(...words: string[]): string;
  /** Commit all there is. */
  commit(message?: string): void;
}

export function repositoryWorld(overrides: Partial<Host> = {}): RepositoryWorld {
  const at = world(overrides);
  const { PATH } = process.env;
  const env = { HOME: at.home, PATH, ...overrides.env };
  const git = (...words: string[]) =>
    execFileSync("git", words, {
      cwd: at.root,
      encoding: "utf8",
      env: testEnv({ HOME: at.home, GIT_CONFIG_NOSYSTEM: "1" }),
    });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.invalid");
  const commit = (message = "work") => {
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", message);
  };
  commit("first");
  const host: Host = {
    ...at.host,
    env,
    async run(argv) {
      if (argv[0] !== "craft") throw new Error(`this world runs craft only: ${argv.join(" ")}`);
      const { code, stdout, stderr } = await runRoom(craftGroup, argv.slice(1), host, undefined, false);
      return { exitCode: code, stdout: new TextEncoder().encode(stdout), stderr };
    },
  };
  return { ...at, host, git, commit };
}
