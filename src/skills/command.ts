import { command, type Group, type Positional } from "../kernel/call/command.ts";
import { AGENT_NAMES } from "./agents/agents.ts";

const NAMES: Positional = {
  name: "NAME",
  summary: "A skill, by id (show) or full name (jig-show); all of them without",
  repeat: true,
  completes: "skill",
};

const where = {
  host: {
    type: "string",
    value: "HOST",
    summary: "An agent to install for",
    repeat: true,
    choices: AGENT_NAMES,
  },
  scope: {
    type: "string",
    value: "SCOPE",
    summary: "For yourself, or in this repository",
    choices: ["user", "project"],
    default: "user",
  },
  dir: {
    type: "string",
    value: "DIR",
    summary: "The directory that holds NAME/, instead of a host's",
    completes: "directory",
  },
} as const;

const bin = {
  type: "string",
  value: "WORD",
  summary: "The path commands begin with; several times for a prefix of several words",
  repeat: true,
  completes: "file",
} as const;

const portable = { type: "boolean", summary: "Commands begin with a bare jig, found on PATH" } as const;
const dryRun = { type: "boolean", summary: "Say what would be done and write nothing" } as const;

const list = command({
  name: "skills list",
  summary: "List the embedded skills, or the installed ones",
  flags: {
    cost: { type: "boolean", summary: "Add estimated tokens: resident, on activation, in all" },
    installed: { type: "boolean", summary: "List the skill directories found, with their state" },
    ...where,
  },
  details:
    "States: current, stale (text of another version or with something missing; update mends it), modified (edited), newer (of a later jig), foreign (not jig's), orphaned (no longer shipped), unreadable.",
  examples: [
    { command: "jig skills list --cost", explains: "what each skill costs an agent's context" },
    { command: "jig skills list --installed --json", explains: "every installed copy and its state" },
  ],
  run: async (host, { flags }) => {
    const { shipment, shipmentWithApprovals } = await import("./source/shipment.ts");
    const shipped = flags.installed ? await shipmentWithApprovals(host) : shipment();
    return (await import("./list.ts")).list(host, shipped, flags);
  },
});

const show = command({
  name: "skills show",
  summary: "Print a skill's SKILL.md, or another of its files",
  json: false,
  flags: {
    raw: { type: "boolean", summary: "Print the embedded source, placeholders intact" },
    compare: {
      type: "string",
      value: "DIR",
      summary: "Print instead what was edited in an installed copy, line by line",
      completes: "directory",
    },
  },
  positionals: [
    { name: "NAME", summary: "Its id or full name", required: true, completes: "skill" },
    { name: "FILE", summary: "A file of the skill; references/ may be left out" },
  ],
  examples: [
    { command: "jig skills show show", explains: "the text an agent loads" },
    { command: "jig skills show brainstorm phase-0.md", explains: "one reference of it" },
    {
      command: "jig skills show jobs --compare ~/.claude/skills/jig-jobs",
      explains: "the edits of an installed copy: - as it was written, + as it stands",
    },
  ],
  exitCodes: [[1, "with --compare: there are edits, or DIR is no installed skill"]],
  readOnly: ["*"],
  run: async (host, { flags, positionals: [name, file] }) =>
    (await import("./show.ts")).show(host, (await import("./source/shipment.ts")).shipment(), {
      name: name!,
      file,
      ...flags,
    }),
});

const install = command({
  name: "skills install",
  summary: "Install skills where agents look for them",
  flags: {
    ...where,
    bin,
    portable,
    strict: { type: "boolean", summary: "Only front-matter keys of the Agent Skills specification" },
    "allow-readonly": {
      type: "boolean",
      summary: "Pre-approve commands that only read, on hosts that take such a list",
    },
    force: { type: "boolean", summary: "Replace edited, newer or foreign directories, after a backup" },
    "dry-run": dryRun,
  },
  positionals: [NAMES],
  exitCodes: [[1, "a skill was kept, refused or failed; the others were installed"]],
  details:
    "Without --host and --dir, the agents with a configuration directory in your home are served. Edited files are never overwritten without --force. With --dry-run the directory of any host is printed.",
  examples: [
    { command: "jig skills install", explains: "all skills for every agent found here" },
    { command: "jig skills install --host claude brainstorm", explains: "one skill for one agent" },
    {
      command: "jig skills install --scope project --host agents",
      explains: "into this repository, with a bare jig that works for every teammate",
    },
  ],
  run: async (host, { flags, positionals }) => {
    const { shipment, shipmentWithApprovals } = await import("./source/shipment.ts");
    const shipped = flags["allow-readonly"] ? await shipmentWithApprovals(host) : shipment();
    return (await import("./install.ts")).install(host, shipped, {
      ...flags,
      names: positionals,
      allowReadonly: flags["allow-readonly"],
      dryRun: flags["dry-run"],
    });
  },
});

const uninstall = command({
  name: "skills uninstall",
  summary: "Remove installed skills that nobody edited",
  flags: {
    ...where,
    force: { type: "boolean", summary: "Remove edited files too, after a backup" },
    "dry-run": dryRun,
  },
  positionals: [NAMES],
  exitCodes: [[1, "a skill was kept, refused or failed; the others were removed"]],
  details: "Files you added stay, and so does the directory that holds them.",
  examples: [
    { command: "jig skills uninstall", explains: "from every agent of this user" },
    { command: "jig skills uninstall --host cursor show", explains: "one skill from one agent" },
  ],
  run: async (host, { flags, positionals }) =>
    (await import("./uninstall.ts")).uninstall(
      host,
      await (await import("./source/shipment.ts")).shipmentWithApprovals(host),
      {
        ...flags,
        names: positionals,
        dryRun: flags["dry-run"],
      },
    ),
});

const update = command({
  name: "skills update",
  summary: "Refresh what is installed after an upgrade of jig",
  flags: {
    ...where,
    force: { type: "boolean", summary: "Replace edited or newer directories, after a backup" },
    "dry-run": dryRun,
  },
  positionals: [NAMES],
  exitCodes: [[1, "a skill was kept, refused or failed; the others were updated"]],
  details: "Every skill is rendered again with the choices it was installed with. Nothing is added.",
  examples: [
    { command: "jig skills update", explains: "every skill installed for this user" },
    {
      command: "jig skills update --scope project --dry-run",
      explains: "what would change in this repository",
    },
  ],
  run: async (host, { flags, positionals }) =>
    (await import("./update.ts")).update(
      host,
      await (await import("./source/shipment.ts")).shipmentWithApprovals(host),
      {
        ...flags,
        names: positionals,
        dryRun: flags["dry-run"],
      },
    ),
});

const check = command({
  name: "skills check",
  summary: "Lint skill texts: form, references, command lines, sizes",
  flags: {
    dir: {
      type: "string",
      value: "DIR",
      summary: "An installed or exported tree instead of the embedded skills",
      completes: "directory",
    },
    strict: { type: "boolean", summary: "Warnings count as errors" },
  },
  positionals: [NAMES],
  exitCodes: [[1, "there are errors (with --strict, warnings)"]],
  examples: [
    { command: "jig skills check", explains: "the embedded skills; silent when all is well" },
    { command: "jig skills check --dir ~/.claude/skills", explains: "what is installed there" },
  ],
  run: async (host, { flags, positionals }) =>
    (await import("./check.ts")).check(host, (await import("./source/shipment.ts")).shipment(), {
      ...flags,
      names: positionals,
    }),
});

const exportVerb = command({
  name: "skills export",
  summary: "Write skills into a directory for packaging",
  flags: {
    bin,
    portable,
    raw: { type: "boolean", summary: "The source with its placeholders, and no manifest" },
    strict: { type: "boolean", summary: "Only front-matter keys of the Agent Skills specification" },
    force: { type: "boolean", summary: "Replace what is there, after a backup" },
  },
  positionals: [
    {
      name: "DIR",
      summary: "Directory to write into; made when missing",
      required: true,
      completes: "directory",
    },
    NAMES,
  ],
  exitCodes: [[1, "a skill's directory is not empty, or cannot be written"]],
  examples: [
    { command: "jig skills export dist/skills --strict", explains: "for an upload that refuses other keys" },
    { command: "jig skills export plugin/skills show packs", explains: "two skills for a plugin" },
  ],
  run: async (host, { flags, positionals: [directory, ...names] }) =>
    (await import("./export.ts")).exportSkills(host, (await import("./source/shipment.ts")).shipment(), {
      ...flags,
      directory: directory!,
      names,
    }),
});

const preflight = command({
  name: "skills preflight",
  summary: "Say whether a skill's text and this jig fit together",
  flags: {
    api: {
      type: "number",
      value: "N",
      summary: "The API number the text was written for",
      required: true,
      integer: true,
      min: 1,
    },
    text: { type: "string", value: "VERSION", summary: "The jig version of the text", required: true },
  },
  positionals: [{ name: "NAME", summary: "Its id or full name", required: true, completes: "skill" }],
  exitCodes: [[3, "they do not fit; note names the remedy"]],
  details: "The first line of every skill. Prints one JSON line and does nothing else.",
  examples: [
    { command: "jig skills preflight jig-jobs --api 1 --text 0.1.0", explains: "as a skill's text calls it" },
    { command: "jig skills preflight show --api 2 --text 9.0.0", explains: "a text that is too new: exit 3" },
  ],
  readOnly: ["*"],
  run: async (_host, { flags, positionals: [name] }) => {
    const { embeddedEntry, shippedVersion } = await import("./source/shipment.ts");
    return (await import("./preflight.ts")).preflight({
      name: name!,
      ...flags,
      embedded: embeddedEntry(name!),
      version: shippedVersion(),
    });
  },
});

const group: Group = {
  name: "skills",
  summary: "List, install, update and check the embedded skills",
  verbs: { list, show, install, uninstall, update, check, export: exportVerb, preflight },
};

export default group;
