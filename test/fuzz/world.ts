/** A repository and a home full of what a hostile or careless person may have put there. */
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../support/paths.ts";
import { tempDir } from "../support/temp.ts";

const SEQUENCES = "\x1b[31mred\x9b1m\u202ereversed\u2028line\x07";
const plan = readFileSync(`${ROOT}/test/plan/fixtures/good/2026-09-24-0952-feat-mute-alerts-plan.md`, "utf8");

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  "plan.md": plan
    .replace("## Goal Capsule", `## Goal ${SEQUENCES}\n\n## Goal Capsule`)
    .replace("- R1. ", `- R1. ${SEQUENCES} TBD `),
  "plan.html": `<h1>${SEQUENCES}</h1><p>ce-unified-plan/v1</p><p>type: ${SEQUENCES}</p><section><h2>Requirements</h2><li>R1. ${SEQUENCES}`,
  "deep.md": `${"> ".repeat(500)}a`,
  "latin.md": Buffer.from("# caf\xe9\n", "latin1"),
  "empty.md": "",
  "file\x1b[31m.md": plan.replace("type: feat", `type: ${SEQUENCES}`),
  "docs/plans/2026-09-24-0952-feat-a-plan.md": plan.replaceAll("Mute alerts", SEQUENCES),
  ".compound-engineering/config.yaml": `plan_output: "${JSON.stringify(SEQUENCES).slice(1, -1)}"\n"k${SEQUENCES}": 1\npacks:\n  - source: ./pack\n`,
  ".compound-engineering/config.local.yaml": `work_engine_mode: [${"[".repeat(200)}`,
  "pack/rule.md": `---\ntitle: ${SEQUENCES}\napplies_when: always\n---\nx\n`,
  "skills/foreign/SKILL.md": `---\nname: ${SEQUENCES}\ndescription: ${SEQUENCES}\n---\n${SEQUENCES}\n`,
  "sub/x": "",
};

export interface World {
  /** Everything that a call may touch lies below it. */
  root: string;
  /** Where calls are made: three levels below `root`. */
  cwd: string;
  env: Record<string, string>;
}

export function world(): World {
  const root = tempDir("jig-fuzz-");
  const cwd = join(root, "a/b/repository");
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  execFileSync("git", ["init", "-q", cwd]);
  const home = join(root, "home");
  const temp = join(root, "tmp");
  for (const directory of [join(home, ".claude"), temp]) mkdirSync(directory, { recursive: true });
  const env = {
    HOME: home,
    TMPDIR: temp,
    JIG_TMP_ROOT: temp,
    CE_PEER_JOBS_ROOT: join(temp, "jobs"),
    XDG_STATE_HOME: join(home, "state"),
  };
  return { root, cwd, env };
}

/** Every entry below a directory with what a write would change. */
export function stateOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { ino, mtimeMs, size } = lstatSync(path);
      return entry.isDirectory() ? path : `${path} ${ino} ${size} ${mtimeMs}`;
    })
    .sort();
}
