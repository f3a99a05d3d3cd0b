import { mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Agent, type Any, expectAllRun, git, makeAgent, put, tempDir } from "./agent.ts";

expectAllRun("packs");

const resolve = "packs resolve";
const declared = "packs resolve --declared-only";
const list = "packs list";

const rule = (title: string, when: string, body = "Body.\n") =>
  `---\ntitle: ${title}\ntags: [style]\napplies_when:\n  - ${when}\n---\n${body}`;

function declare(agent: Agent, lines: string, file = "config.yaml"): void {
  put(join(agent.repository, ".compound-engineering", file), `packs:\n${lines}`);
}

function pack(agent: Agent, name: string): string {
  const folder = join(agent.repository, "rules", name);
  put(join(folder, "names.md"), rule("Names", "something is named"));
  put(join(folder, "pages.md"), rule("Pages", "a list is paged", "Page size is 50.\n"));
  return folder;
}

async function makePacksAgent(): Promise<Agent> {
  const agent = await makeAgent("packs");
  agent.env["CE_PACKS_CACHE_ROOT"] = join(agent.home, "cache");
  return agent;
}

describe("the packs skill, played by its own lines", () => {
  test("skills-packs-1 drill: nothing declared", async () => {
    const agent = await makePacksAgent();
    expect((await agent.run("skills preflight")).json().status).toBe("ok");
    const run = await agent.run(resolve);
    expect(run.code).toBe(0);
    expect(run.json()).toEqual({ roots: [], warnings: [], errors: [], entries: 0 });
    expect((await agent.run(declared)).json()).toMatchObject({ declared: false });
    expect((await agent.run("skills show")).stdout).toContain("# Compound Packs");
  });

  test("skills-packs-2 skills-packs-3 skills-packs-11 drill: rules are judged without opening a file", async () => {
    const agent = await makePacksAgent();
    const folder = pack(agent, "house");
    put(join(folder, "README.md"), rule("Not a rule", "never"));
    put(join(folder, "half.md"), "---\ntitle: Half\n---\nNo condition.\n");
    declare(agent, "  - source: rules/house\n");
    const [root] = (await agent.run(list)).json().roots as Any[];
    expect(root.id).toBe("house");
    expect(root.rules.map((one: Any) => [one.path, one.title, one.applies_when, one.tags])).toEqual([
      ["names.md", "Names", ["something is named"], ["style"]],
      ["pages.md", "Pages", ["a list is paged"], ["style"]],
    ]);
    const shown = (await agent.run("packs show", { "pack-id": "house" })).stdout;
    for (const text of ["names.md", "something is named", "pages.md", "a list is paged"])
      expect(shown).toContain(text);
    const { warnings, roots } = (await agent.run(resolve)).json();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("half.md");
    expect(roots[0]).toMatchObject({ id: "house", dir: folder });
  });

  test("skills-packs-5 drill: an unreachable source is one warning beside the other packs", async () => {
    const agent = await makePacksAgent();
    pack(agent, "house");
    const port = await deadPort();
    declare(agent, `  - source: http://127.0.0.1:${port}/rules\n    ref: main\n  - source: rules/house\n`);
    const run = await agent.run(resolve);
    expect(run.code).toBe(0);
    expect(run.json()).toMatchObject({
      errors: [],
      entries: 2,
      warnings: [expect.stringContaining("cannot fetch")],
    });
    expect(run.json().roots.map(({ id }: Any) => id)).toEqual(["house"]);
  });

  test("skills-packs-6 drill: a malformed block is declared, with its line", async () => {
    const agent = await makePacksAgent();
    put(join(agent.repository, ".compound-engineering/config.yaml"), "packs: [a, b]\n");
    const run = await agent.run(resolve);
    expect(run.code).toBe(0);
    expect(run.json().errors).toEqual([expect.stringMatching(/^config\.yaml:1: /)]);
    expect((await agent.run(declared)).json().declared).toBe(true);
  });

  test("skills-packs-8 drill: rules one level too deep", async () => {
    const agent = await makePacksAgent();
    put(join(agent.repository, "rules/house/deep/names.md"), rule("Names", "something is named"));
    declare(agent, "  - source: rules\n");
    const { warnings, roots } = (await agent.run(resolve)).json();
    expect(roots).toEqual([]);
    expect(warnings.join("\n")).toContain("`deep/`");
  });

  test("skills-packs-13 drill: a branch stays until it is refreshed", async () => {
    const agent = await makePacksAgent();
    const source = tempDir();
    git(source, "init", "-q");
    const commit = (text: string) => {
      put(join(source, "web/names.md"), rule("Names", text));
      git(source, "add", ".");
      git(source, "commit", "-q", "-m", text);
      return git(source, "rev-parse", "HEAD").trim();
    };
    const first = commit("at first");
    declare(agent, `  - source: file://${source}\n    ref: main\n    path: web\n`);
    const commitNow = async () => ((await agent.run(list)).json().roots as Any[])[0].commit;
    expect(await commitNow()).toBe(first);
    const second = commit("moved on");
    expect(await commitNow()).toBe(first);
    expect((await agent.run("packs refresh", { "pack-id": "web" })).code).toBe(0);
    expect(await commitNow()).toBe(second);
  });

  test("skills-packs-14 drill: a personal entry never displaces the team's", async () => {
    const agent = await makePacksAgent();
    const team = pack(agent, "house");
    put(join(agent.repository, "mine/house/names.md"), rule("Mine", "always"));
    declare(agent, "  - source: rules/house\n");
    declare(agent, "  - source: mine/house\n", "config.local.yaml");
    const { roots, errors } = (await agent.run(resolve)).json();
    expect(roots.map(({ dir }: Any) => dir)).toEqual([team]);
    expect(errors).toEqual([expect.stringContaining("duplicate pack id `house`")]);
    expect(errors[0]).toContain("`id:`");
  });

  test("skills-packs-15 drill: a link out of the source refuses the whole pack", async () => {
    const agent = await makePacksAgent();
    const folder = pack(agent, "house");
    mkdirSync(join(folder, "notes"));
    symlinkSync("/etc/hostname", join(folder, "notes/leak.md"));
    declare(agent, `  - source: ${folder}\n`);
    const { roots, errors } = (await agent.run(resolve)).json();
    expect(roots).toEqual([]);
    expect(errors).toEqual([expect.stringContaining("notes/leak.md")]);
  });
});

/** A loopback port that nothing listens on. */
function deadPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
