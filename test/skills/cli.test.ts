import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { splitFrontMatter } from "../../src/kernel/yaml/frontmatter.ts";
import { parseYaml } from "../../src/kernel/yaml/yaml.ts";
import { BUN, DENO, ROOT } from "../support/paths.ts";
import { hasTerminalProgram, runOnTerminal } from "../support/pty.ts";
import { runJig } from "../support/run.ts";
import { tempDir } from "../support/temp.ts";
import { runUnprivileged } from "../support/unprivileged.ts";
import {
  makeStale,
  mtimes,
  readInstalledManifest,
  remarks,
  SKILLS,
  snapshot,
  timeless,
  VERSION,
  world,
} from "./world.ts";

/** Runs a program as another user. */

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

async function frontMatter(text: string): Promise<Record<string, unknown>> {
  const result = await parseYaml(splitFrontMatter(text)!.yaml);
  if (!result.ok || result.root.kind !== "map") throw new Error("no mapping");
  return Object.fromEntries(
    result.root.entries.map(({ key, value }) => [
      key,
      value.kind === "scalar"
        ? value.value
        : value.kind === "map"
          ? Object.fromEntries(
              value.entries.map((entry) => [entry.key, entry.value.kind === "scalar" && entry.value.value]),
            )
          : value,
    ]),
  );
}

test("a home directory that is unset or relative is named, whatever is asked", async () => {
  const { jig, repository } = world();
  for (const words of [["list", "--installed"], ["install", "--host", "claude"], ["update"], ["uninstall"]]) {
    const relative = await jig(["skills", ...words], { env: { HOME: "some/home" } });
    expect([words, relative.code]).toEqual([words, 1]);
    expect(remarks(relative)).toMatch(
      /^jig skills: HOME must be an absolute path, got 'some\/home'\nhint: set HOME/,
    );
    const unset = await jig(["skills", ...words], { env: { HOME: undefined } });
    expect([words, unset.code, remarks(unset)]).toEqual([words, 1, expect.stringContaining("HOME")]);
  }
  expect(readdirSync(repository)).toEqual([".git"]);
});

describe("list and show", () => {
  test.runIf(hasTerminalProgram)(
    "on a terminal the cost is a table of figures against their budget, with the sums",
    () => {
      const shown = runOnTerminal("skills list --cost").split("\n");
      expect(stripVTControlCharacters(shown[0]!)).toMatch(/^SKILL +DESCRIPTION +RESIDENT +ACTIVATED +ALL$/);
      const rows = shown.slice(1, 2 + SKILLS.length);
      expect(rows.map((line) => line.split(" ")[0])).toEqual([...SKILLS, "together"]);
      for (const row of rows.slice(0, -1)) expect(row).toMatch(/ of 360 +\d+ of 95 +\d+ of 2000 +\d+/);
      expect(rows.at(-1)).toMatch(/ of 2100 /);
    },
  );

  test("skills-1 list: one line per embedded skill, name and description", async () => {
    const { jig } = world();
    const run = await jig(["skills", "list"]);
    expect(run.code).toBe(0);
    expect(lines(run.stdout).map((line) => line.split("\t")[0])).toEqual(SKILLS);
    for (const line of lines(run.stdout)) expect(line).toMatch(/^jig-[a-z-]+\t\S.+\.$/);
  });

  test("skills-2 skills-49 list --cost: what is resident and what activation loads stay small", async () => {
    const { jig } = world();
    const listed = JSON.parse((await jig(["skills", "list", "--cost", "--json"])).stdout) as Record<
      string,
      number
    >[];
    expect(listed).toHaveLength(SKILLS.length);
    for (const skill of listed) {
      expect(skill["resident_tokens"]).toBeLessThanOrEqual(95);
      expect(skill["activation_tokens"]).toBeLessThanOrEqual(2000);
      expect(skill["total_tokens"]).toBeGreaterThanOrEqual(skill["activation_tokens"]!);
    }
    expect(listed.reduce((sum, skill) => sum + skill["description_chars"]!, 0)).toBeLessThanOrEqual(2100);
    const text = lines((await jig(["skills", "list", "--cost"])).stdout)[0]!.split("\t");
    expect(text.slice(2).map(Number)).toEqual(
      ["resident_tokens", "activation_tokens", "total_tokens"].map((key) => listed[0]![key]),
    );
  });

  test("skills-3 show prints the text rendered for this binary", async () => {
    const { jig, binary } = world();
    const run = await jig(["skills", "show", "brainstorm"]);
    expect(run.stdout.split("\n")[0]).toBe("---");
    expect(run.stdout).toContain('name: "jig-brainstorm"');
    expect(run.stdout).toContain(`${binary} skills preflight jig-brainstorm`);
    expect(run.stdout).not.toContain("{{");
    const raw = await jig(["skills", "show", "brainstorm", "--raw"]);
    expect(raw.stdout).toBe(readFileSync(`${ROOT}/skills/jig-brainstorm/SKILL.md`, "utf8"));
  });

  test("show --compare finds the edits of a copy and nothing that the copy's own choices wrote", async () => {
    const { jig, home } = world();
    await jig(["skills", "install", "--host", "claude", "--portable", "jobs"]);
    await jig(["skills", "install", "--host", "codex", "--allow-readonly", "jobs"]);
    for (const root of [".claude", ".agents"]) {
      const skill = join(home, root, "skills/jig-jobs");
      const words = ["skills", "show", "jobs", "--compare", skill];
      expect(await jig(words)).toMatchObject({ code: 0, stdout: "" });
      const path = join(skill, "SKILL.md");
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace("# Detached jobs", "# Jobs").replaceAll("\n", "\r\n"),
      );
      const { code, stdout } = await jig(words);
      expect([code, stdout.replaceAll(/:\d+:/g, ":")]).toEqual([
        1,
        "SKILL.md: - # Detached jobs\nSKILL.md: + # Jobs\n",
      ]);
      rmSync(path);
      expect((await jig(words)).stdout).toBe("SKILL.md: missing\n");
    }
    expect((await jig(["skills", "show", "jobs", "--compare", home])).code).toBe(1);
    expect(
      (await jig(["skills", "show", "show", "--compare", join(home, ".claude/skills/jig-jobs")])).code,
    ).toBe(2);
  });

  test("skills-4 a reference by short and by full path, of the id and of the name", async () => {
    const { jig } = world();
    const short = await jig(["skills", "show", "jig-brainstorm", "phase-0.md"]);
    const long = await jig(["skills", "show", "brainstorm", "references/phase-0.md"]);
    expect(short.stdout).toBe(long.stdout);
    expect(short.stdout).toContain("# Phase 0");
  });

  test("skills-5 show refuses what is no file of the skill and lists those that are", async () => {
    const { jig } = world();
    for (const file of ["../../etc/passwd", "/etc/passwd", "references\\phase-0.md", "nosuch.md"]) {
      const run = await jig(["skills", "show", "brainstorm", file]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain("references/phase-0.md");
    }
    const unknown = await jig(["skills", "show", "nosuch"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("brainstorm");
  });
});

describe("install", () => {
  test("skills-6 skills-7 a first install, then nothing to do", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    const run = await jig(["skills", "install", "--host", "claude", "brainstorm"]);
    expect(run).toMatchObject({ code: 0, stdout: `installed\tjig-brainstorm\t${skill}\n` });
    expect(run.stderr).toContain("Some hosts read skills only at session start");
    const files = Object.keys(snapshot(skill)).filter((name) => name.endsWith(".md"));
    expect(Object.keys(readInstalledManifest(skill).files).sort()).toEqual(files.sort());
    expect(files).toHaveLength(23);

    const before = mtimes(skill);
    const again = await jig(["skills", "install", "--host", "claude", "brainstorm"]);
    expect(again).toMatchObject({ code: 0, stdout: `unchanged\tjig-brainstorm\t${skill}\n` });
    expect(again.stderr).not.toContain("session start");
    expect(mtimes(skill)).toEqual(before);
  });

  test("skills-8 skills-9 skills-37 skills-45 an edit is kept; --force backs it up, each time in its own place", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    const words = ["skills", "install", "--host", "claude", "brainstorm"];
    await jig(words);
    const fresh = timeless(snapshot(skill));
    const backups: string[] = [];
    for (const edit of ["first edit\n", "second edit\n"]) {
      appendFileSync(join(skill, "SKILL.md"), edit);
      const edited = readFileSync(join(skill, "SKILL.md"), "utf8");
      const kept = await jig(words);
      expect(kept).toMatchObject({ code: 1, stdout: `kept-edited\tjig-brainstorm\t${skill}\n` });
      expect(kept.stderr).toContain("SKILL.md");
      const compare = `jig skills show jig-brainstorm --compare ${skill}`;
      expect(kept.stderr).toContain(`${compare} prints the edits; --force replaces them after a backup`);
      const shown = await jig(compare.split(" ").slice(1));
      expect(shown).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^SKILL\.md:\d+: \+ \w+ edit\n$/),
      });
      expect(readFileSync(join(skill, "SKILL.md"), "utf8")).toBe(edited);
      const [listed] = JSON.parse((await jig(["skills", "list", "--installed", "--json"])).stdout);
      expect(listed).toMatchObject({ state: "modified", files_modified: ["SKILL.md"] });

      const forced = await jig([...words, "--force", "--json"]);
      expect(forced.code).toBe(0);
      const { results } = JSON.parse(forced.stdout);
      expect(results[0]).toMatchObject({ action: "updated", state: "modified", files: ["SKILL.md"] });
      expect(forced.stderr).toContain(results[0].backup);
      expect(readFileSync(join(results[0].backup, "SKILL.md"), "utf8")).toBe(edited);
      backups.push(results[0].backup);
      expect(timeless(snapshot(skill))).toEqual(fresh);
    }
    expect(new Set(backups).size).toBe(2);
  });

  test("skills-10 an update keeps the user's own file beside ours", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    const words = ["skills", "install", "--host", "claude", "brainstorm"];
    await jig(words);
    const fresh = timeless(snapshot(skill));
    writeFileSync(join(skill, "my-notes.md"), "mine\n");
    makeStale(skill);
    expect((await jig(words)).stdout).toBe(`updated\tjig-brainstorm\t${skill}\n`);
    expect(timeless(snapshot(skill))).toEqual({ ...fresh, "my-notes.md": "mine\n" });
  });

  test("skills-11 converted line ends are no edit", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    const words = ["skills", "install", "--host", "claude", "brainstorm"];
    await jig(words);
    for (const file of Object.keys(readInstalledManifest(skill).files)) {
      writeFileSync(join(skill, file), readFileSync(join(skill, file), "utf8").replaceAll("\n", "\r\n"));
    }
    expect((await jig(words)).stdout).toBe(`unchanged\tjig-brainstorm\t${skill}\n`);
  });

  test("skills-12 skills-25 a directory jig did not write is refused, by install and uninstall", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-show");
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, "SKILL.md"), "by hand\n");
    const refused = await jig(["skills", "install", "--host", "claude", "show"]);
    expect(refused).toMatchObject({ code: 1, stdout: `refused-foreign\tjig-show\t${skill}\n` });
    const uninstall = await jig(["skills", "uninstall", "--host", "claude", "show"]);
    expect(uninstall).toMatchObject({ code: 1, stdout: `refused-foreign\tjig-show\t${skill}\n` });
    expect(snapshot(skill)).toEqual({ "SKILL.md": "by hand\n" });
    const forced = await jig(["skills", "install", "--host", "claude", "--force", "--json", "show"]);
    const [result] = JSON.parse(forced.stdout).results;
    expect(result).toMatchObject({ action: "installed", state: "foreign" });
    expect(readFileSync(join(result.backup, "SKILL.md"), "utf8")).toBe("by hand\n");
  });

  test("skills-13 a symlink in a skill's place is never written through", async () => {
    const { jig, home } = world();
    const elsewhere = tempDir();
    mkdirSync(join(home, ".claude/skills"), { recursive: true });
    symlinkSync(elsewhere, join(home, ".claude/skills/jig-show"));
    for (const force of [[], ["--force"]]) {
      const run = await jig(["skills", "install", "--host", "claude", ...force, "show"]);
      expect(run.code).toBe(1);
      expect(run.stdout).toMatch(/^refused-foreign\t/);
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("skills-14 skills-18 without a place to install, and in the project scope without a choice or a repository", async () => {
    const { jig, home, repository } = world();
    const none = await jig(["skills", "install"]);
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(none.stderr).toContain("claude, codex");
    expect(none.stderr).toContain("jig skills install --host agents");
    const choice = await jig(["skills", "install", "--scope", "project"]);
    expect(choice).toMatchObject({ code: 2, stdout: "" });
    const outside = await jig(["skills", "install", "--scope", "project", "--host", "claude"], { cwd: home });
    expect(outside).toMatchObject({ code: 2, stdout: "" });
    expect(outside.stderr).toContain("not inside a repository");
    expect(readdirSync(repository)).toEqual([".git"]);
  });

  test("skills-15 a detected host that reads another destination is skipped; a named one is written, with a note", async () => {
    const { jig, home } = world();
    mkdirSync(join(home, ".claude"));
    mkdirSync(join(home, ".cursor"));
    const run = await jig(["skills", "install", "packs"]);
    expect(run.stdout).toBe(`installed\tjig-packs\t${home}/.claude/skills/jig-packs\n`);
    expect(run.stderr).toContain(
      `cursor already reads ${home}/.claude/skills; --host cursor installs there too`,
    );
    const named = await jig(["skills", "install", "--host", "claude", "--host", "cursor", "packs"]);
    expect(lines(named.stdout)).toEqual([
      `unchanged\tjig-packs\t${home}/.claude/skills/jig-packs`,
      `installed\tjig-packs\t${home}/.cursor/skills/jig-packs`,
    ]);
    expect(named.stderr).toMatch(/note: cursor also reads .*\.claude\/skills/);
  });

  test("skills-16 two hosts that share a directory get one copy", async () => {
    const { jig, home } = world();
    const run = await jig(["skills", "install", "--host", "codex", "--host", "agents", "packs"]);
    expect(run).toMatchObject({
      code: 0,
      stdout: `installed\tjig-packs\t${home}/.agents/skills/jig-packs\n`,
    });
    // Also when two homes are one directory by a link.
    mkdirSync(join(home, ".claude/skills"), { recursive: true });
    symlinkSync(join(home, ".claude"), join(home, ".qwen"));
    const linked = await jig(["skills", "install", "--host", "claude", "--host", "qwen", "packs"]);
    expect(linked.stdout).toBe(`installed\tjig-packs\t${home}/.claude/skills/jig-packs\n`);
    const text = readFileSync(join(home, ".claude/skills/jig-packs/SKILL.md"), "utf8");
    // A key only one of them knows is left out of the shared copy.
    expect(text).not.toMatch(/^argument-hint:/m);
  });

  test("skills-17 the project scope renders a bare jig", async () => {
    const { jig, home, repository } = world();
    mkdirSync(join(repository, "sub"));
    const run = await jig(["skills", "install", "--scope", "project", "--host", "claude", "packs"], {
      cwd: join(repository, "sub"),
    });
    expect(run.stdout).toBe(`installed\tjig-packs\t${repository}/.claude/skills/jig-packs\n`);
    const text = readFileSync(join(repository, ".claude/skills/jig-packs/SKILL.md"), "utf8");
    expect(text).toMatch(/^jig packs resolve$/m);
    expect(text).not.toContain(home);
    const brainstorm = await jig([
      "skills",
      "install",
      "--scope",
      "project",
      "--host",
      "claude",
      "brainstorm",
    ]);
    expect(brainstorm.code).toBe(0);
    const entry = readFileSync(join(repository, ".claude/skills/jig-brainstorm/SKILL.md"), "utf8");
    expect(entry).toContain("relative to the directory that holds this SKILL.md;");
  });

  test("a bare jig that no shell here finds is said once, where it is installed", async () => {
    const { jig, home } = world();
    const words = ["skills", "install", "--scope", "project", "--host", "claude", "packs"];
    const note = /^note: jig is not on PATH here; /m;
    expect((await jig(words)).stderr).not.toMatch(note);
    const without = { env: { PATH: "/usr/bin:/bin" } };
    const run = await jig(words, without);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^unchanged\t/) });
    expect(run.stderr.match(new RegExp(note, "gm"))).toHaveLength(1);
    expect((await jig(["skills", "install", "--host", "claude", "packs"], without)).stderr).not.toMatch(note);
    const exported = await jig(["skills", "export", join(home, "out"), "packs"], without);
    expect(exported.stderr).not.toMatch(note);
  });

  test("skills-19 a bare jig cannot be pre-approved", async () => {
    const { jig, home, repository } = world();
    for (const where of [["--portable"], ["--scope", "project"]]) {
      const run = await jig(["skills", "install", "--allow-readonly", "--host", "claude", ...where]);
      expect(run).toMatchObject({ code: 2, stdout: "" });
    }
    expect(readdirSync(home)).toEqual(["bin"]);
    expect(readdirSync(repository)).toEqual([".git"]);
  });

  test("skills-20 pre-approval names exact read-only commands, where the host takes such a list", async () => {
    const { jig, home, binary } = world();
    await jig(["skills", "install", "--allow-readonly", "--host", "claude", "jobs"]);
    const entry = await frontMatter(readFileSync(join(home, ".claude/skills/jig-jobs/SKILL.md"), "utf8"));
    const allowed = entry["allowed-tools"] as string;
    expect(allowed).toContain(`Bash(${binary} job status *)`);
    const calls = (text: string) => [...text.matchAll(/Bash\((\S+) ([^)]+)\)/g)].map(([, , call]) => call!);
    expect(calls(allowed).sort()).toEqual([
      "job list *",
      "job status *",
      "job wait *",
      "skills preflight *",
      "skills show *",
    ]);
    await jig(["skills", "install", "--allow-readonly", "--host", "claude"]);
    // Only what the text of that skill calls.
    for (const name of SKILLS) {
      const folder = join(home, ".claude/skills", name);
      const text = Object.values(snapshot(folder)).join("\n");
      const front = await frontMatter(readFileSync(join(folder, "SKILL.md"), "utf8"));
      const approved = calls(front["allowed-tools"] as string);
      expect(approved).toContain("skills preflight *");
      for (const call of approved) {
        const line = text.replaceAll(/^allowed-tools: .*$/gm, "");
        expect(line, `${name} ${call}`).toContain(`${binary} ${call.replace(/ \*$/, "")}`);
      }
    }
    const packs = await frontMatter(readFileSync(join(home, ".claude/skills/jig-packs/SKILL.md"), "utf8"));
    expect(calls(packs["allowed-tools"] as string)).toContain("packs resolve --declared-only");
    for (const never of [
      "job start",
      "job reap",
      "elevate --start",
      "base-dir",
      "craft",
      "plan reserve",
      "web start",
      `${binary} *`,
      "packs resolve *",
      "docs-root *",
    ]) {
      expect(allowed).not.toContain(never);
    }
    await jig(["skills", "install", "--allow-readonly", "--host", "codex", "jobs"]);
    expect(readFileSync(join(home, ".agents/skills/jig-jobs/SKILL.md"), "utf8")).not.toContain(
      "allowed-tools",
    );
  });

  test("skills-21 a path with a space is quoted, one with a dollar is refused", async () => {
    const spaced = world("my tools/jig");
    await spaced.jig(["skills", "install", "--host", "claude", "jobs"]);
    const text = readFileSync(join(spaced.home, ".claude/skills/jig-jobs/SKILL.md"), "utf8");
    expect(text).toContain(`\n"${spaced.binary}" skills preflight`);
    const dollar = world("a$b/jig");
    const run = await dollar.jig(["skills", "install", "--host", "claude", "jobs"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("--bin");
    expect(existsSync(join(dollar.home, ".claude"))).toBe(false);
  });

  test("skills-22 a package manager's link on PATH is rendered as it is", async () => {
    const { jig, home, binary } = world();
    const real = join(home, "opt/jig-0.3.1/jig");
    mkdirSync(join(real, ".."), { recursive: true });
    renameSync(binary, real);
    symlinkSync(real, binary);
    const run = await jig(["skills", "install", "--host", "claude", "jobs"]);
    expect(run.code).toBe(0);
    expect(readInstalledManifest(join(home, ".claude/skills/jig-jobs")).render.command).toEqual([binary]);
  });

  test("skills-23 --dry-run says what would be done and writes nothing", async () => {
    const { jig, home } = world();
    const run = await jig(["skills", "install", "--dry-run", "--host", "claude"]);
    expect(run.code).toBe(0);
    expect(lines(run.stdout).map((line) => line.split("\t").slice(0, 2))).toEqual(
      SKILLS.map((name) => ["installed", name]),
    );
    expect(readdirSync(home)).toEqual(["bin"]);
  });

  test("skills-43 a link in the place of references is an edit, and its target is never touched", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    const words = ["skills", "install", "--host", "claude", "brainstorm"];
    await jig(words);
    const fresh = timeless(snapshot(skill));
    const outside = tempDir();
    for (const file of readdirSync(join(skill, "references")))
      writeFileSync(join(outside, file), "outside\n");
    const target = snapshot(outside);
    rmSync(join(skill, "references"), { recursive: true });
    symlinkSync(outside, join(skill, "references"));
    expect((await jig(words)).stdout).toMatch(/^kept-edited\t/);
    expect(snapshot(outside)).toEqual(target);
    expect((await jig([...words, "--force"])).stdout).toMatch(/^updated\t/);
    expect(timeless(snapshot(skill))).toEqual(fresh);
    expect(snapshot(outside)).toEqual(target);
  });

  test("skills-44 every detected host gets what it does not read already", async () => {
    const { jig, home } = world();
    for (const name of [".claude", ".codex", ".cursor"]) mkdirSync(join(home, name));
    const run = await jig(["skills", "install"]);
    expect(run.code).toBe(0);
    expect(lines(run.stdout).map((line) => line.split("\t")[2])).toEqual(
      [".claude", ".agents"].flatMap((root) => SKILLS.map((name) => join(home, root, "skills", name))),
    );
    expect(readdirSync(join(home, ".cursor"))).toEqual([]);
  });

  test("skills-46 two installs at once: one writes, the other finds it done", async () => {
    const { jig } = world();
    const words = ["skills", "install", "--host", "claude"];
    const [a, b] = await Promise.all([jig(words), jig(words)]);
    expect([a.code, b.code]).toEqual([0, 0]);
    const pairs = lines(a.stdout).map((line, index) =>
      [line.split("\t")[0], lines(b.stdout)[index]!.split("\t")[0]].sort(),
    );
    expect(pairs).toEqual(SKILLS.map(() => ["installed", "unchanged"]));
  });

  test("skills-47 a read-only destination: every skill failed, nothing changed", async () => {
    const { home, env, repository } = world();
    const directory = join(home, ".claude/skills");
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o555);
    const run = await asNobody(home, repository, ["skills", "install", "--host", "claude"], env);
    chmodSync(directory, 0o755);
    expect(run.code).toBe(1);
    expect(lines(run.stdout).map((line) => line.split("\t")[0])).toEqual(SKILLS.map(() => "failed"));
    expect(run.stderr).toContain("permission denied");
    expect(readdirSync(directory)).toEqual([]);
  });

  test("a lock that cannot be had is said once for all skills and destinations, with the way round", async () => {
    const { home, env, jig } = world();
    await jig(["skills", "install", "--host", "claude", "--host", "codex"]);
    // What stands where the locks go: a sandbox's read-only home, without a mount.
    rmSync(join(home, ".local/state/jig"), { recursive: true });
    writeFileSync(join(home, ".local/state/jig"), "");
    for (const verb of ["update", "install", "uninstall"]) {
      const run = await jig([
        "skills",
        verb,
        ...(verb === "install" ? ["--host", "claude", "--host", "codex"] : []),
      ]);
      expect([verb, run.code]).toEqual([verb, 1]);
      expect(lines(run.stdout).map((line) => line.split("\t")[0])).toEqual(
        [...SKILLS, ...SKILLS].map(() => "failed"),
      );
      const locks = join(home, ".local/state/jig/skill-locks");
      expect(remarks(run).trimEnd().split("\n")).toEqual([
        expect.stringMatching(`cannot create ${locks}: .*; XDG_STATE_HOME may name another place$`),
        expect.stringContaining(`${2 * SKILLS.length} failed`),
      ]);
    }
    const round = await jig(["skills", "update"], {
      env: { ...env, XDG_STATE_HOME: join(home, "elsewhere") },
    });
    expect(round.code).toBe(0);
  });

  test("skills-50 --strict keeps to the keys of the specification", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    await jig(["skills", "install", "--host", "claude", "brainstorm"]);
    expect(readFileSync(join(skill, "SKILL.md"), "utf8")).toMatch(/^argument-hint: "\[feature idea.*\]"$/m);
    await jig(["skills", "install", "--strict", "--host", "claude", "brainstorm"]);
    const entry = await frontMatter(readFileSync(join(skill, "SKILL.md"), "utf8"));
    expect(entry["argument-hint"]).toBeUndefined();
    expect(entry["metadata"]).toMatchObject({ "argument-hint": expect.stringContaining("feature idea") });
  });

  test("skills-51 a binary that is not there is refused; one that is gone is noticed", async () => {
    const { jig, home, binary } = world();
    const run = await jig(["skills", "install", "--host", "claude", "--bin", "/no/such/jig"]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("/no/such/jig");
    expect(run.stderr).toContain("--bin");
    expect(existsSync(join(home, ".claude"))).toBe(false);
    await jig(["skills", "install", "--host", "claude", "jobs"]);
    renameSync(binary, join(home, "moved-jig"));
    const list = await runJig(["skills", "list", "--installed", "--json"], { env: { HOME: home } });
    expect(JSON.parse(list.stdout)[0]).toMatchObject({
      name: "jig-jobs",
      command: [binary],
      command_found: false,
    });
    const doctor = await runJig(["doctor"], { env: { HOME: home } });
    expect(doctor.stdout + doctor.stderr).toContain("jig-jobs");
    expect(doctor.stdout + doctor.stderr).toContain("jig skills update");
  });

  test("skills-55 a path that may vanish, or that names the version, draws one note", async () => {
    const { jig, home } = world();
    const env = { TMPDIR: join(home, "..") };
    const run = await jig(["skills", "install", "--host", "claude", "jobs"], { env });
    expect(run.code).toBe(0);
    expect(run.stderr.match(/may vanish/g)).toHaveLength(1);
    const versioned = join(home, `managed/${VERSION}/bin/jig`);
    mkdirSync(join(versioned, ".."), { recursive: true });
    symlinkSync(join(home, "bin/jig"), versioned);
    const other = await jig(["skills", "install", "--host", "qwen", "--bin", versioned, "jobs"]);
    expect(other.code).toBe(0);
    expect(other.stderr.match(/gone after the next upgrade/g)).toHaveLength(1);
    expect(readFileSync(join(home, ".qwen/skills/jig-jobs/SKILL.md"), "utf8")).toContain(
      `${versioned} job start`,
    );
  });
});

/** The binary as a user who may not write what root made read-only. */
async function asNobody(home: string, cwd: string, words: string[], env: Record<string, string>) {
  const state = join(home, "state");
  mkdirSync(state);
  chmodSync(state, 0o777);
  for (const path of [home, cwd]) chmodSync(path, 0o755);
  return runUnprivileged(words, {
    program: join(home, "bin/jig"),
    cwd,
    env: { ...env, XDG_STATE_HOME: state },
  });
}

describe("uninstall, update, export", () => {
  test("skills-24 uninstall removes ours, keeps the user's", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    const install = ["skills", "install", "--host", "claude", "brainstorm"];
    const uninstall = ["skills", "uninstall", "--host", "claude", "brainstorm"];
    expect(await jig(uninstall)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    await jig(install);
    expect(await jig(uninstall)).toMatchObject({ code: 0, stdout: `removed\tjig-brainstorm\t${skill}\n` });
    expect(readdirSync(join(home, ".claude/skills"))).toEqual([]);

    await jig(install);
    writeFileSync(join(skill, "my-notes.md"), "mine\n");
    expect(await jig(uninstall)).toMatchObject({ code: 0, stdout: `removed\tjig-brainstorm\t${skill}\n` });
    expect(snapshot(skill)).toEqual({ "my-notes.md": "mine\n" });
    rmSync(skill, { recursive: true });

    await jig(install);
    appendFileSync(join(skill, "SKILL.md"), "edit\n");
    const kept = await jig(uninstall);
    expect(kept).toMatchObject({ code: 1, stdout: `kept-edited\tjig-brainstorm\t${skill}\n` });
    expect(Object.keys(snapshot(skill)).sort()).toEqual([".jig-skill.json", "SKILL.md"]);
    const forced = JSON.parse((await jig([...uninstall, "--force", "--json"])).stdout).results[0];
    expect(forced.action).toBe("removed");
    expect(readFileSync(join(forced.backup, "SKILL.md"), "utf8")).toMatch(/edit\n$/);
    expect(existsSync(skill)).toBe(false);
  });

  test("skills-39 update refreshes what is installed, with the choices it was installed with", async () => {
    const { jig, home } = world();
    await jig(["skills", "install", "--host", "claude", "brainstorm"]);
    await jig(["skills", "install", "--host", "codex", "--portable", "packs"]);
    const brainstorm = join(home, ".claude/skills/jig-brainstorm");
    const packs = join(home, ".agents/skills/jig-packs");
    makeStale(brainstorm);
    makeStale(packs);
    const run = await jig(["skills", "update"]);
    expect(run.code).toBe(0);
    expect(lines(run.stdout).sort()).toEqual(
      [`updated\tjig-brainstorm\t${brainstorm}`, `updated\tjig-packs\t${packs}`].sort(),
    );
    expect(readFileSync(join(packs, "SKILL.md"), "utf8")).toMatch(/^jig packs resolve$/m);
    expect(readdirSync(home).sort()).toEqual([".agents", ".claude", ".local", "bin"]);
    expect(lines((await jig(["skills", "update"])).stdout).map((line) => line.split("\t")[0])).toEqual([
      "unchanged",
      "unchanged",
    ]);
    const empty = world();
    expect(await empty.jig(["skills", "update"])).toMatchObject({ code: 0, stdout: "" });
  });

  test("skills-40 update keeps approvals that install without the flag takes away", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-jobs");
    const entry = () => readFileSync(join(skill, "SKILL.md"), "utf8");
    await jig(["skills", "install", "--allow-readonly", "--host", "claude", "jobs"]);
    makeStale(skill);
    expect((await jig(["skills", "update"])).stdout).toMatch(/^updated\t/);
    expect(entry()).toContain("allowed-tools");
    expect((await jig(["skills", "install", "--host", "claude", "jobs"])).stdout).toMatch(/^updated\t/);
    expect(entry()).not.toContain("allowed-tools");
  });

  test("skills-41 a missing file is stale and comes back", async () => {
    const { jig, home } = world();
    const skill = join(home, ".claude/skills/jig-brainstorm");
    await jig(["skills", "install", "--host", "claude", "brainstorm"]);
    rmSync(join(skill, "references/handoff.md"));
    expect((await jig(["skills", "list", "--installed"])).stdout).toBe(
      `stale\tjig-brainstorm\t${VERSION}\t${skill}\n`,
    );
    const [listed] = JSON.parse((await jig(["skills", "list", "--installed", "--json"])).stdout);
    expect(listed).toMatchObject({
      files_missing: ["references/handoff.md"],
      hosts: expect.arrayContaining(["claude", "cursor"]),
    });
    expect(await jig(["skills", "install", "--host", "claude", "brainstorm"])).toMatchObject({
      code: 0,
      stdout: `updated\tjig-brainstorm\t${skill}\n`,
    });
    expect(existsSync(join(skill, "references/handoff.md"))).toBe(true);
  });

  test("skills-42 a skill this jig no longer ships is orphaned: left by install, reported by update, removed by name", async () => {
    const { jig, home } = world();
    await jig(["skills", "install", "--host", "claude", "packs"]);
    const gone = join(home, ".claude/skills/jig-gone");
    renameSync(join(home, ".claude/skills/jig-packs"), gone);
    const manifest = readFileSync(join(gone, ".jig-skill.json"), "utf8").replace(
      '"skill": "jig-packs"',
      '"skill": "jig-gone"',
    );
    writeFileSync(join(gone, ".jig-skill.json"), manifest);
    const before = snapshot(gone);
    expect((await jig(["skills", "list", "--installed"])).stdout).toBe(
      `orphaned\tjig-gone\t${VERSION}\t${gone}\n`,
    );
    await jig(["skills", "install", "--host", "claude"]);
    const update = await jig(["skills", "update"]);
    expect(update.stdout).toContain(`orphaned\tjig-gone\t${gone}`);
    expect(snapshot(gone)).toEqual(before);
    expect(await jig(["skills", "uninstall", "jig-gone"])).toMatchObject({
      code: 0,
      stdout: `removed\tjig-gone\t${gone}\n`,
    });
    expect(existsSync(gone)).toBe(false);
    expect((await jig(["skills", "uninstall", "jig-gone"])).code).toBe(2);
  });

  test("skills-33 a strict export holds only keys of the specification", async () => {
    const { jig, repository } = world();
    const run = await jig(["skills", "export", "out", "--strict"]);
    expect(run.code).toBe(0);
    expect(readdirSync(join(repository, "out")).sort()).toEqual(SKILLS);
    for (const name of SKILLS) {
      const entry = await frontMatter(readFileSync(join(repository, "out", name, "SKILL.md"), "utf8"));
      const keys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
      expect(Object.keys(entry).filter((key) => !keys.includes(key))).toEqual([]);
      expect(entry["name"]).toBe(name);
      expect(Object.values(entry["metadata"] as object).every((value) => typeof value === "string")).toBe(
        true,
      );
    }
    expect(await jig(["skills", "check", "--dir", "out"])).toMatchObject({
      code: 0,
      stdout: "pass: 0 errors, 0 warnings\n",
    });
  });

  test("skills-52 a second export is refused, --force replaces, --raw keeps placeholders", async () => {
    const { jig, repository } = world();
    const out = join(repository, "out/jig-packs");
    expect((await jig(["skills", "export", "out", "packs"])).stdout).toBe(`exported\tjig-packs\t${out}\n`);
    const again = await jig(["skills", "export", "out", "packs"]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(out);
    writeFileSync(join(out, "SKILL.md"), "edited\n");
    const forced = await jig(["skills", "export", "out", "packs", "--force", "--json"]);
    const [result] = JSON.parse(forced.stdout).results;
    expect(readFileSync(join(result.backup, "SKILL.md"), "utf8")).toBe("edited\n");
    expect(readFileSync(join(out, "SKILL.md"), "utf8")).toMatch(/^jig packs resolve$/m);
    await jig(["skills", "export", "raw", "packs", "--raw"]);
    expect(snapshot(join(repository, "raw/jig-packs"))).toEqual({
      "SKILL.md": readFileSync(`${ROOT}/skills/jig-packs/SKILL.md`, "utf8"),
    });
  });
});

describe("preflight", () => {
  test("skills-26 the text and the binary fit, or the note says what to do", async () => {
    const { jig } = world();
    const call = (api: string, text: string) =>
      jig(["skills", "preflight", "jig-jobs", "--api", api, "--text", text]);
    const same = await call("1", VERSION);
    expect(same.code).toBe(0);
    expect(lines(same.stdout)).toHaveLength(1);
    expect(JSON.parse(same.stdout)).toEqual({
      status: "ok",
      skill: "jig-jobs",
      jig: VERSION,
      text: VERSION,
      api: 1,
      note: "",
    });
    const older = await call("1", "0.0.1");
    expect([older.code, JSON.parse(older.stdout).status]).toEqual([0, "text-older"]);
    const newer = await call("1", "99.0.0");
    expect([newer.code, JSON.parse(newer.stdout).status]).toEqual([0, "text-newer"]);
    const incompatible = await call("99", VERSION);
    expect(incompatible.code).toBe(3);
    expect(JSON.parse(incompatible.stdout)).toMatchObject({
      status: "incompatible",
      note: expect.stringContaining("jig skills update"),
    });
    for (const [api, text] of [
      ["0", VERSION],
      ["x", VERSION],
      ["1", "1.0"],
      ["1", "v1.0.0"],
    ] as const) {
      expect(await call(api, text)).toMatchObject({ code: 2, stdout: "" });
    }
  });

  test("skills-27 a skill this jig does not ship", async () => {
    const { jig } = world();
    const run = await jig(["skills", "preflight", "no-such", "--api", "1", "--text", VERSION]);
    expect(run.code).toBe(3);
    expect(JSON.parse(run.stdout).status).toBe("unknown-skill");
  });
});

describe("from source", () => {
  test("skills-38 there is no stable binary: --bin names one, of several words when needed", async () => {
    const { home, repository } = world();
    const main = `${ROOT}/src/main.ts`;
    const deno = (words: string[]) =>
      runJig(["run", "-A", "--quiet", main, ...words], {
        program: DENO,
        cwd: repository,
        env: {
          HOME: home,
          PATH: `${join(DENO, "..")}:${process.env["PATH"]}`,
          DENO_DIR: join(home, "deno"),
          DENO_NO_UPDATE_CHECK: "1",
        },
        timeout: 60_000,
      });
    const refused = await deno(["skills", "install", "--host", "claude"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("running from source: pass --bin PATH or --portable");
    const bin = ["deno", "run", "-A", main].flatMap((word) => ["--bin", word]);
    const run = await deno(["skills", "install", "--host", "claude", ...bin, "jobs"]);
    expect(run.code).toBe(0);
    const text = readFileSync(join(home, ".claude/skills/jig-jobs/SKILL.md"), "utf8");
    expect(text).toContain(`\ndeno run -A ${main} job start `);
    const shown = await runJig([main, "skills", "show", "jobs"], { program: BUN, env: { HOME: home } });
    expect(shown.stdout).toMatch(/^jig job start /m);
  });
});

describe("remarks", () => {
  test("a call with nothing to say says nothing", async () => {
    const { jig } = world();
    for (const words of [["list"], ["show", "jobs"], ["list", "--installed"], ["update"], ["uninstall"]]) {
      expect(remarks(await jig(["skills", ...words]))).toBe("");
    }
  });

  test("wrong combinations are usage errors that write nothing", async () => {
    const { jig, home } = world();
    const wrong = [
      ["install", "--dir", "d", "--host", "claude"],
      ["install", "--dir", "d", "--scope", "user"],
      ["install", "--host", "claude", "--portable", "--bin", "/bin/sh"],
      ["install", "--host", "all"],
      ["install", "--host", "claude", "nosuch"],
      ["install", "--host", "claude", "--scope", "system"],
      ["list", "--host", "claude"],
      ["list", "--installed", "--cost"],
      ["export", "out", "--raw", "--strict"],
      ["update", "nosuch"],
    ];
    for (const words of wrong) expect(await jig(["skills", ...words])).toMatchObject({ code: 2, stdout: "" });
    expect(readdirSync(home)).toEqual(["bin"]);
  });
});
