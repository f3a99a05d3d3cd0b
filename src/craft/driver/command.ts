import { command, type Group } from "../../kernel/call/command.ts";

const PREFIX = "driver-state: ";

const exitCodes = [
  [0, "the status is written"],
  [1, "not driven: CRAFT_DRIVER_STATE is unset"],
  [2, "the directory cannot be used, an input cannot be read, or wrong usage; nothing was written"],
  [4, "a status exists already; it is left as it is"],
] as const;

/** The hand-over to an outside program that starts runs and waits for them (docs/spec/craft-run.md 4). */
const driver: Group = {
  name: "craft driver",
  summary: "Hand a run's result to the program that started it",
  prefix: PREFIX,
  usageError: (problem, synopsis) => ({
    stderr: `${PREFIX}${problem.message}\nusage: ${synopsis}\n`,
    exitCode: 2,
  }),
  verbs: {
    active: command({
      name: "craft driver active",
      summary: "Say whether this run is driven",
      flags: {},
      exitCodes: [
        [0, "driven; the state directory is printed"],
        [1, "not driven"],
        [2, "CRAFT_DRIVER_STATE is set and cannot be used, or wrong usage"],
      ],
      examples: [
        { command: "jig craft driver active", explains: "the directory the driver waits in, or nothing" },
        { command: "jig craft driver active --json", explains: "the same as JSON" },
      ],
      run: async (host) => (await import("./active.ts")).active(host),
    }),
    blocked: command({
      name: "craft driver blocked",
      summary: "Tell the driver that the run stopped, and why",
      flags: {
        from: { type: "string", value: "FILE", summary: "The reason; instead of -", completes: "file" },
      },
      positionals: [
        { name: "PHASE", summary: "The phase that stopped; resolve before the walk", required: true },
        { name: "-", summary: "The reason comes on standard input" },
      ],
      exitCodes: [...exitCodes],
      examples: [
        {
          command: "jig craft driver blocked review - < reason.txt",
          explains: "untrusted text meets no shell",
        },
        { command: "jig craft driver blocked review --from reason.txt", explains: "the same from a file" },
      ],
      run: async (host, args) => {
        const [phase, dash] = args.positionals;
        return (await import("./blocked.ts")).blocked(host, { phase: phase!, dash, from: args.flags.from });
      },
    }),
    finished: command({
      name: "craft driver finished",
      summary: "Tell the driver that the pull request is merged, and what to run next",
      flags: {
        election: {
          type: "string",
          value: "FILE",
          summary: "Why the next run was elected",
          completes: "file",
        },
        prompt: { type: "string", value: "FILE", summary: "The next run's prompt", completes: "file" },
      },
      positionals: [{ name: "PR_URL", summary: "The merged pull request", required: true }],
      exitCodes: [...exitCodes, [3, "the prompt still holds what reads as --policy; nothing was written"]],
      details:
        "--policy flags are taken out of the prompt: approval of outward actions is the driver's to give. What only looks\n" +
        "like one is refused; finish without the election then, and say so.",
      examples: [
        { command: "jig craft driver finished https://git.example/pr/1", explains: "without a next run" },
        {
          command: "jig craft driver finished https://git.example/pr/1 --election why.md --prompt next.txt",
          explains: "with one",
        },
      ],
      run: async (host, args) => {
        const { election, prompt } = args.flags;
        return (await import("./finished.ts")).finished(host, {
          url: args.positionals[0]!,
          election,
          prompt,
        });
      },
    }),
  },
};

export default driver;
