/** Random edits of a working tree, as a person or an agent makes them: by files, not through git. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "../random.ts";
import { FILES, put } from "./template.ts";

const NEW_NAMES = [
  "added.txt",
  "src/added.txt",
  "src/deep/er/added.txt",
  "dir/z",
  "a b/c d.txt",
  "tab\there.txt",
  "line\nfeed/x.txt",
  "-dash.txt",
  '"quoted".txt',
  "ünï/côde.txt",
  "readme.md",
  "DIR2/x",
] as const;

const IGNORED = [
  ".env",
  "run.log",
  "ignored/result.txt",
  "data.sqlite",
  "node_modules/pkg/index.js",
] as const;

let counter = 0;

/** A content that stands nowhere else. */
function fresh(random: Random): string {
  counter += 1;
  return `content ${counter} ${random.below(1 << 30)}\n`;
}

/** Where a file of the template or of an earlier edit is, if it still is one. */
function existing(random: Random, top: string): string | undefined {
  const name = random.pick([...FILES, ...NEW_NAMES]);
  const stat = lstatSync(join(top, name), { throwIfNoEntry: false });
  return stat?.isFile() ? name : undefined;
}

/** One edit; what it did, for the report of a failure. */
export function edit(random: Random, top: string): string {
  const [what, act] = random.pick(EDITS);
  try {
    const done = act(random, top);
    return done === undefined ? `${what}: nothing` : `${what}: ${JSON.stringify(done)}`;
  } catch (error) {
    // A name whose directory is a file by now, and the like.
    return `${what}: not possible (${(error as { code?: string }).code})`;
  }
}

type Edit = readonly [what: string, act: (random: Random, top: string) => string | undefined];

const EDITS: readonly Edit[] = [
  ["add", (random, top) => write(random, top, random.pick(NEW_NAMES))],
  ["add", (random, top) => write(random, top, random.pick(NEW_NAMES))],
  ["change", (random, top) => onExisting(random, top, (name) => write(random, top, name))],
  [
    "append",
    (random, top) =>
      onExisting(random, top, (name) => writeFileSync(join(top, name), fresh(random), { flag: "a" })),
  ],
  [
    "change the first line",
    (random, top) =>
      onExisting(random, top, (name) => {
        const lines = readFileSync(join(top, name), "latin1").split("\n");
        lines[0] = fresh(random).trim();
        writeFileSync(join(top, name), lines.join("\n"), "latin1");
      }),
  ],
  ["delete", (random, top) => onExisting(random, top, (name) => rmSync(join(top, name)))],
  [
    "rename",
    (random, top) =>
      onExisting(random, top, (name) => {
        const to = random.pick(NEW_NAMES);
        if (existsSync(join(top, to))) return;
        mkdirSync(dirname(join(top, to)), { recursive: true });
        renameSync(join(top, name), join(top, to));
      }),
  ],
  [
    "change the mode",
    (random, top) =>
      onExisting(random, top, (name) => {
        const executable = (lstatSync(join(top, name)).mode & 0o100) !== 0;
        chmodSync(join(top, name), executable ? 0o644 : 0o755);
      }),
  ],
  [
    "file to directory",
    (random, top) =>
      onExisting(random, top, (name) => {
        rmSync(join(top, name));
        put(top, `${name}/inside.txt`, fresh(random));
      }),
  ],
  [
    "directory to file",
    (random, top) => {
      const name = random.pick(["dir", "src/deep", "src"]);
      if (!lstatSync(join(top, name), { throwIfNoEntry: false })?.isDirectory()) return undefined;
      rmSync(join(top, name), { recursive: true });
      writeFileSync(join(top, name), fresh(random));
      return name;
    },
  ],
  [
    "link",
    (random, top) => {
      const name = random.pick(["link", "link2", "src/link3", "README.md"]);
      rmSync(join(top, name), { force: true, recursive: true });
      mkdirSync(dirname(join(top, name)), { recursive: true });
      const target = random.pick(["README.md", "nowhere", "../outside", "src", join(top, "src/a.txt")]);
      symlinkSync(target, join(top, name));
      return `${name} to ${target}`;
    },
  ],
  [
    "binary",
    (random, top) => {
      const bytes = Uint8Array.from({ length: 300 }, () => random.below(256));
      put(top, "more.bin", bytes);
      return "more.bin";
    },
  ],
  [
    "large",
    (random, top) => {
      put(top, "large.dat", fresh(random).repeat(10_000));
      return "large.dat";
    },
  ],
  [
    "ignored",
    (random, top) => {
      const name = random.pick(IGNORED);
      put(top, name, fresh(random));
      return name;
    },
  ],
  [
    "line ends",
    (random, top) => {
      put(top, "crlf.txt", `${fresh(random).trim()}\r\nend\r\n`);
      return "crlf.txt";
    },
  ],
  [
    "empty directory",
    (_random, top) => {
      mkdirSync(join(top, "empty"), { recursive: true });
      return `empty of ${readdirSync(top).length}`;
    },
  ],
];

function write(random: Random, top: string, name: string): string {
  const place = join(top, name);
  if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(place);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, fresh(random));
  return name;
}

function onExisting(random: Random, top: string, act: (name: string) => unknown): string | undefined {
  const name = existing(random, top);
  if (name !== undefined) act(name);
  return name;
}
