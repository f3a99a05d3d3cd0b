import type { Command, Group } from "../kernel/call/command.ts";

/** A top-level word of the command line. Its room is loaded only when it is called. */
export interface Entry {
  summary: string;
  /** The heading it stands under in the overview. */
  theme: Theme;
  /** Its calls work long enough for compiled code to pay off. */
  works?: true;
  load(): Promise<Command | Group>;
}

export const THEMES = [
  "Decide where files go and what applies",
  "Run work outside the conversation",
  "Show a page, bring the comments back",
  "Equip an agent",
  "About jig",
] as const;

export type Theme = (typeof THEMES)[number];

/** The command tree (docs/spec/cli.md section 1), in the order the overview shows it. */
export const TREE: Record<string, Entry> = {
  "base-dir": {
    summary: "Resolve and record the directory a skill writes under",
    theme: "Decide where files go and what applies",
    load: async () => (await import("../base-dir/command.ts")).default,
  },
  scratch: {
    summary: "Make a private scratch directory for one run of a skill",
    theme: "Decide where files go and what applies",
    load: async () => (await import("../scratch/command.ts")).default,
  },
  config: {
    summary: "Read what the repository configured, and say which file decided",
    theme: "Decide where files go and what applies",
    works: true,
    load: async () => (await import("../config/command.ts")).default,
  },
  packs: {
    summary: "Resolve the rule packs a repository declares",
    theme: "Decide where files go and what applies",
    works: true,
    load: async () => (await import("../packs/command.ts")).default,
  },
  plan: {
    summary: "Reserve, check and find plan documents",
    theme: "Decide where files go and what applies",
    works: true,
    load: async () => (await import("../plan/command.ts")).default,
  },
  job: {
    summary: "Run, watch and reap supervised jobs that outlive a tool call",
    theme: "Run work outside the conversation",
    load: async () => (await import("../job/command.ts")).default,
  },
  elevate: {
    summary: "Run one step on another model, with a receipt",
    theme: "Run work outside the conversation",
    works: true,
    load: async () => (await import("../elevate/command.ts")).default,
  },
  web: {
    summary: "Serve screens to a person and collect their pinned comments",
    theme: "Show a page, bring the comments back",
    works: true,
    load: async () => (await import("../web/command.ts")).default,
  },
  skills: {
    summary: "List, install, update and check the embedded skills",
    theme: "Equip an agent",
    works: true,
    load: async () => (await import("../skills/command.ts")).default,
  },
  link: {
    summary: "Write the upstream tools' names so that their callers reach jig",
    theme: "Equip an agent",
    load: async () => (await import("./link/command.ts")).default,
  },
  demo: {
    summary: "Run the main job end to end on an embedded example",
    theme: "About jig",
    works: true,
    load: async () => (await import("../demo/command.ts")).default,
  },
  doctor: {
    summary: "Check this machine and explain what is wrong and how to mend it",
    theme: "About jig",
    works: true,
    load: async () => (await import("../doctor/command.ts")).default,
  },
  schema: {
    summary: "Print the JSON Schema of a file format or a --json result",
    theme: "About jig",
    works: true,
    load: async () => (await import("./schema/command.ts")).default,
  },
  completions: {
    summary: "Print a completion script for a shell",
    theme: "About jig",
    works: true,
    load: async () => (await import("./completions/command.ts")).default,
  },
  version: {
    summary: "Print the version, platform and commit",
    theme: "About jig",
    load: async () => (await import("./version/command.ts")).default,
  },
};
