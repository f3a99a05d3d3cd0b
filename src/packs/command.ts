import { command, type Group } from "../kernel/call/command.ts";

const group: Group = {
  name: "packs",
  summary: "Resolve the rule packs a repository declares",
  verbs: {
    resolve: command({
      name: "packs resolve",
      summary: "Print the pack directories as JSON, fetching git sources that are not cached",
      flags: {
        "declared-only": {
          type: "boolean",
          summary: "Only say whether packs are declared; no source is looked at",
        },
      },
      exitCodes: [[0, "resolution ran; what is wrong is in errors and warnings"]],
      examples: [
        { command: "jig packs resolve", explains: "the directories to read rules from" },
        { command: "jig packs resolve --declared-only", explains: "is there anything to resolve at all" },
      ],
      details:
        "Packs are declared under packs: in .compound-engineering/config.yaml, or config.local.yaml beside it: a list whose entries have a source (a path or a git URL; the latter needs ref) and may have path, pack and id. A pack is a directory with at least one rule directly in it: a .md file whose front matter has title and applies_when lines. A source directory that holds rules is one pack; otherwise each of its subdirectories that does is one. CE_PACKS_CACHE_ROOT names another cache, CE_PACKS_GIT_TIMEOUT the seconds each git process may take (60).",
      readOnly: ["--declared-only"],
      run: async (host, args) => (await import("./report.ts")).reportPacks(host, args.flags),
    }),
    list: command({
      name: "packs list",
      summary: "List the packs that apply here, with their rules in --json",
      flags: {},
      examples: [
        { command: "jig packs list", explains: "a table; problems go to stderr" },
        { command: "jig packs list --json", explains: "with title, applies_when and tags of every rule" },
      ],
      run: async (host) => (await import("./list.ts")).listPacks(host),
    }),
    show: command({
      name: "packs show",
      summary: "Show one pack: where it comes from, its README's first paragraph, its rules",
      flags: {},
      positionals: [{ name: "ID", summary: "A published pack's id", required: true }],
      exitCodes: [[1, "no published pack has that id"]],
      examples: [
        { command: "jig packs show house", explains: "description and rules" },
        { command: "jig packs show house --json", explains: "the same as one object" },
      ],
      run: async (host, args) => (await import("./show.ts")).showPack(host, args.positionals[0]!),
    }),
    refresh: command({
      name: "packs refresh",
      summary: "Fetch git sources anew; a branch otherwise stays at its first resolution",
      flags: {},
      positionals: [{ name: "ID", summary: "Only sources that publish these packs", repeat: true }],
      exitCodes: [[1, "a source could not be fetched, or no git source publishes an id"]],
      examples: [
        { command: "jig packs refresh", explains: "every git source" },
        { command: "jig packs refresh rails", explains: "the source that publishes rails" },
      ],
      run: async (host, args) => (await import("./refresh.ts")).refreshPacks(host, args.positionals),
    }),
  },
};

export default group;
