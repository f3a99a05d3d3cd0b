import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../../support/run.ts";
import { type Agent, type Any, expectAllRun, git, makeAgent, put } from "./agent.ts";
import { htmlPlan, markdownPlan } from "./plans.ts";

expectAllRun("brainstorm");

const PHASE = { file: "references/phase-0.md" };
const DIALOGUE = { file: "references/dialogue.md" };
const VISUAL = { file: "references/visual-probes.md" };
const APPROACHES = { file: "references/approaches.md" };
const ELEVATION = { file: "references/reasoning-elevation.md" };
const PLAN = { file: "references/plan-write.md" };

const output = "config get brainstorm_output";
const override = "config get brainstorm_output --override";
const reserve = "plan reserve --type";
const convert = "plan reserve --convert";
const check = "plan check <abs-path> --stage requirements --producer ce-brainstorm --json";
const checkSplit = "plan check <abs-path> --stage requirements --producer ce-brainstorm --split";

function configure(agent: Agent, text: string): void {
  put(join(agent.repository, ".compound-engineering/config.yaml"), text);
}

async function makeBrainstormAgent(): Promise<Agent> {
  const agent = await makeAgent("brainstorm");
  agent.env["CE_ELEVATION_POLL_SECS"] = "0.2";
  agent.env["CE_PEER_POLL_SECS"] = "0.2";
  return agent;
}

/** A reserved path for a topic. */
async function reserved(agent: Agent, format: "md" | "html", extra: string[] = []): Promise<string> {
  const run = await agent.run(reserve, { type: "feat", slug: "mute-alerts", format }, { ...PLAN, extra });
  expect(run.code, run.stderr).toBe(0);
  return run.stdout.trim();
}

const checkIt = (agent: Agent, path: string, words = check) => agent.run(words, { "abs-path": path }, PLAN);

describe("configuration and names", () => {
  test("skills-brainstorm-4 drill: a Lightweight run touches nothing", async () => {
    const agent = await makeBrainstormAgent();
    expect((await agent.run("skills preflight")).json().status).toBe("ok");
    expect((await agent.run("packs list", {}, DIALOGUE)).code).toBe(0);
    expect((await agent.run(output)).stdout).toBe("md\n");
    expect((await agent.run("config get brainstorm_model")).code).toBe(3);
    expect(git(agent.repository, "status", "--porcelain")).toBe("");
    expect(existsSync(join(agent.repository, "docs"))).toBe(false);
    expect((await agent.run("skills show", { file: "references/phase-0.md" })).stdout).toBe(
      agent.text("references/phase-0.md"),
    );
  });

  test("skills-brainstorm-11 skills-brainstorm-12 drill: the format of a document", async () => {
    const agent = await makeBrainstormAgent();
    configure(agent, "brainstorm_output: html\n");
    const run = await agent.run(override, { format: "pdf" });
    expect(run.stdout).toBe("html\n");
    expect(run.stderr).toContain("pdf");
    expect(run.stderr).toContain("html");
    expect((await agent.run(override, { format: "md" })).stdout).toBe("md\n");
    configure(agent, "# brainstorm_output: html\n");
    expect((await agent.run(output)).stdout).toBe("md\n");
  });

  test("skills-brainstorm-13 drill: an invalid root stops what needs it and nothing else", async () => {
    const agent = await makeBrainstormAgent();
    expect((await agent.run("config docs-root")).stdout).toBe("docs\n");
    configure(agent, "docs_root: ../out\n");
    const root = await agent.run("config docs-root");
    expect(root).toMatchObject({ code: 1, stdout: "" });
    expect(root.stderr).toContain("docs_root");
    expect(root.stderr).toContain("../out");
    const find = await agent.run("plan find --topic", { slug: "mute-alerts" }, PHASE);
    expect(find.code).toBe(0);
    expect(find.json().skipped).toContain("docs_root");
    const refused = await agent.run(reserve, { type: "feat", slug: "mute-alerts", format: "md" }, PLAN);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(readdirSync(agent.repository).sort()).toEqual([".compound-engineering", ".git"]);
  });

  test("skills-brainstorm-14 skills-brainstorm-34 drill: names never collide, an unused one is given back", async () => {
    const agent = await makeBrainstormAgent();
    const moment = ["--date", "2026-09-24", "--time", "0952"];
    const first = await reserved(agent, "md", moment);
    const second = await reserved(agent, "md", moment);
    expect(second).toMatch(/-plan-2\.md$/);
    expect([first, second].map((path) => existsSync(path))).toEqual([true, true]);
    put(second, "written\n");
    const release = (path: string) => agent.run("plan release", { "abs-path": path }, PLAN);
    expect((await release(first)).code).toBe(0);
    expect(existsSync(first)).toBe(false);
    expect((await release(second)).code).toBe(1);
    expect(readFileSync(second, "utf8")).toBe("written\n");
  });
});

describe("plans", () => {
  test("skills-brainstorm-15 drill: resuming in another format writes beside the old file", async () => {
    const agent = await makeBrainstormAgent();
    const path = await reserved(agent, "html");
    put(path, htmlPlan({ path }));
    const bytes = readFileSync(path);
    for (const words of [
      ["plan find --topic", { slug: "mute-alerts" }],
      ["plan find --match", { text: "mute" }],
    ] as const) {
      const { plans } = (await agent.run(words[0], words[1], PHASE)).json();
      expect(plans).toMatchObject([{ format: "html", stage: "requirements-only", topic: "mute-alerts" }]);
    }
    const converted = await agent.run(convert, { "abs-path": path, format: "md" }, PLAN);
    expect(converted.stdout.trim()).toBe(path.replace(/\.html$/, ".md"));
    expect(existsSync(converted.stdout.trim())).toBe(true);
    expect(readFileSync(path)).toEqual(bytes);
  });

  test("skills-brainstorm-21 skills-brainstorm-22 drill: a split needs its section, open questions are listed", async () => {
    const agent = await makeBrainstormAgent();
    const path = await reserved(agent, "md");
    const sections = agent.text("references/brainstorm-sections.md");
    put(path, markdownPlan(sections, { path }));
    const split = await checkIt(agent, path, checkSplit);
    expect(split.code).toBe(1);
    expect(split.json().findings).toMatchObject([{ rule: "PLAN-S11" }]);
    const marker = /`(<!-- ce-section: [^`]+ -->)`/.exec(sections)![1]!;
    put(path, markdownPlan(sections, { path, fits: marker }));
    expect((await checkIt(agent, path, checkSplit)).code).toBe(0);
    put(path, markdownPlan(sections, { path, blocking: "Who may mute someone else's alert?" }));
    const json = (await checkIt(agent, path)).json();
    expect(json.open_questions.resolve_before_planning).toMatchObject([
      { text: expect.stringContaining("Who may mute") },
    ]);
  });

  for (const format of ["md", "html"] as const) {
    test(`skills-brainstorm-33 drill: a Standard software run, ${format}`, async () => {
      const agent = await makeBrainstormAgent();
      put(
        join(agent.repository, "rules/house/mutes.md"),
        "---\ntitle: Mutes\napplies_when: [something can be silenced]\n---\nEvery silence ends by itself.\n",
      );
      configure(agent, `packs:\n  - source: rules/house\nbrainstorm_output: ${format}\n`);
      git(agent.repository, "add", ".");
      git(agent.repository, "commit", "-q", "-m", "Start");

      expect((await agent.run("skills preflight")).json().status).toBe("ok");
      const resolved = (await agent.run(output)).stdout.trim() as "md" | "html";
      expect(resolved).toBe(format);
      expect((await agent.run("plan find --topic", { slug: "mute-alerts" }, PHASE)).json().plans).toEqual([]);
      const { roots } = (await agent.run("packs list", {}, DIALOGUE)).json();
      expect(roots).toMatchObject([{ id: "house", dir: join(agent.repository, "rules/house") }]);
      const scratch = (
        await agent.run("scratch ce-brainstorm", { "run-id": "run-1" }, DIALOGUE)
      ).stdout.trim();
      expect(statSync(scratch).mode & 0o777).toBe(0o700);
      put(join(scratch, "grounding.md"), "pack:house mutes.md:5 Every silence ends by itself.\n");
      const model = "elevate --resolve --key brainstorm_model --session-model";
      expect((await agent.run(model, { model: "opus" }, APPROACHES)).json()).toMatchObject({
        model: null,
        dispatch: false,
      });

      const path = await reserved(agent, resolved);
      const citation = "(pack: house, mutes.md)";
      const text =
        format === "md"
          ? markdownPlan(agent.text("references/brainstorm-sections.md"), { path, citation })
          : htmlPlan({ path, citation });
      expect(text).toContain("(session-settled: user-directed — chosen over ");
      put(path, text);
      const checked = await checkIt(agent, path);
      expect(checked.code, checked.stdout).toBe(0);
      const json = checked.json();
      expect(json).toMatchObject({
        status: "pass",
        errors: 0,
        warnings: 0,
        stage: "requirements-only",
        open_questions: { resolve_before_planning: [] },
      });
      expect(json.judgement.length).toBeGreaterThan(0);
      expect(git(agent.repository, "status", "--porcelain", "-uall").trim()).toBe(
        `?? ${relative(agent.repository, path)}`,
      );
    });
  }
});

describe("a sketch", () => {
  test("skills-brainstorm-17 drill: shown, looked at, stopped", async () => {
    const agent = await makeBrainstormAgent();
    const root = (
      await agent.run("scratch ce-brainstorm-visual", { "run-id": "run-1" }, VISUAL)
    ).stdout.trim();
    const named = /`(screens\/001-<decision>\.html)`/.exec(agent.text(VISUAL.file))![1]!;
    put(join(root, named.replace("<decision>", "layout")), "<h1>A, B or C</h1><p>Directional.</p>");
    const values = { "abs-path": root };
    const { status, url, pid } = (await agent.run("web start --root <abs-path>", values, VISUAL)).json();
    expect(status).toBe("started");
    try {
      const page = await (await fetch(url)).text();
      expect(page).toContain("A, B or C");
      expect(page).not.toContain("<form");
      expect((await agent.run("web status", values, VISUAL)).json().status).toBe("running");
    } finally {
      await agent.run("web stop", values, VISUAL);
    }
    await until("the server to be gone", () => isGone(pid));

    for (const words of ["--owner-pid none", "--host 0.0.0.0"]) {
      const run = await agent.run(`web start --root <abs-path> ${words}`, values, VISUAL);
      expect(run.json().status, run.stderr).toBe("started");
      await agent.run("web stop", values, VISUAL);
    }

    expect((await agent.run("web start --root <abs-path> --annotate", values, VISUAL)).json().annotate).toBe(
      true,
    );
    const asking = agent.start(
      "web wait --root <abs-path> --ask",
      { ...values, text: "Which layout?", label: "A,B" },
      VISUAL,
    );
    const { url: address, token } = JSON.parse(
      readFileSync(join(root, "state/display-info.json"), "utf8"),
    ) as { url: string; token: string };
    const listed = async () =>
      (
        await fetch(`${address}/__ce-annotate/annotations`, { headers: { "x-session-token": token } })
      ).json() as Promise<{
        ask: { question: string; choices: string[] } | null;
      }>;
    await until("the question", async () => (await listed()).ask !== null);
    expect((await listed()).ask).toMatchObject({ question: "Which layout?", choices: ["A", "B"] });
    asking.kill("SIGINT");
    const about = { ...values, n: "7", "n 2": "8", "n 3": "9", text: "why", "text 2": "what?" };
    const unknown = await agent.run("web wait --root <abs-path> --done", about, VISUAL);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("note 7: unknown")]);
    const early = await agent.run("web reply", about, VISUAL);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("note 7: unknown")]);
    await agent.run("web stop", values, VISUAL);

    const child = agent.start("web start --root <abs-path> --foreground", values, VISUAL);
    const [line] = await firstLine(child.stdout!);
    expect(JSON.parse(line!)).toMatchObject({ status: "running", root });
    await agent.run("web stop", values, VISUAL);
    await until("the foreground server to end", () => child.exitCode !== null);
    expect(child.exitCode).toBe(0);
  });
});

describe("elevation", () => {
  const stub = (model: string, script = "") =>
    `#!/bin/sh\ncat > /dev/null\n${script}\nprintf '%s\\n' '{"type":"result","subtype":"success","result":"THREE APPROACHES","modelUsage":{"${model}":{}}}'\n`;

  let handOffs = 0;

  async function handOff(agent: Agent): Promise<Record<string, string>> {
    const fresh = { "fresh-run-id": `elevation-${++handOffs}` };
    const directory = (await agent.run("scratch ce-elevation", fresh, ELEVATION)).stdout.trim();
    put(join(directory, "grounding.md"), "a.ts:1 quoted\n");
    return {
      "run-id": "run-1",
      model: "opus",
      "prompt-file": put(
        join(directory, "prompt.md"),
        `Generate approaches. Evidence: ${directory}/grounding.md\n`,
      ),
      "result-path": join(directory, "result.json"),
    };
  }

  /** Start, wait until settled, ask for the verdict: the dispatch of the skill. */
  async function dispatch(
    agent: Agent,
  ): Promise<{ job: Record<string, string>; verdict: Any; values: Record<string, string> }> {
    const values = await handOff(agent);
    const start = await agent.run("elevate --start", values, ELEVATION);
    expect(start.code, start.stderr).toBe(0);
    const job = { "job-id": start.stdout.trim() };
    await agent.runUntil(/^(?!running)/, "job wait", job, ELEVATION);
    return { job, values, verdict: (await agent.run("elevate --verdict <job-id>", job, ELEVATION)).json() };
  }

  test("skills-brainstorm-18 drill: who chooses the model, and what happens without the program", async () => {
    const agent = await makeBrainstormAgent();
    configure(agent, "brainstorm_model: opus\n");
    const key = "elevate --resolve --key brainstorm_model";
    const resolve = async (words: string, values: Record<string, string> = {}) =>
      (await agent.run(`${key} ${words}`, values, APPROACHES)).json();
    expect(await resolve("--session-model", { model: "sonnet" })).toEqual({
      model: "opus",
      source: "config",
      dispatch: true,
      announce: true,
    });
    expect(await resolve("--intent <model>", { "model 1": "haiku", "model 2": "sonnet" })).toMatchObject({
      model: "haiku",
      source: "intent",
      dispatch: true,
    });
    expect(await resolve("--intent none")).toMatchObject({ model: null, source: "intent", dispatch: false });
    expect(await resolve("--carrier", { "carrier-token": "brainstorm_model:fable" })).toMatchObject({
      model: "fable",
      source: "carrier",
    });

    const values = await handOff(agent);
    const start = await agent.run("elevate --start", values, {
      ...ELEVATION,
      env: { PATH: "/usr/bin:/bin" },
    });
    expect(start).toMatchObject({ code: 3, stdout: "" });
    const quoted = /`(claude not found on PATH)`/.exec(agent.text(ELEVATION.file))![1]!;
    expect(start.stderr).toContain(quoted);
    const [root] = readdirSync(join(agent.home, "tmp"));
    expect(readdirSync(join(agent.home, "tmp", root!))).toEqual(["ce-elevation"]);
  });

  test("skills-brainstorm-19 drill: the verdict on every outcome", async () => {
    const agent = await makeBrainstormAgent();
    agent.stub("claude", stub("claude-opus-4-8"));
    const good = await dispatch(agent);
    expect(good.verdict).toMatchObject({ verdict: "use", model_label: "claude-opus-4-8" });
    expect((await agent.run("job result <job-id>", good.job, ELEVATION)).json()).toMatchObject({
      status: "ok",
      output: "THREE APPROACHES",
    });
    const byPath = await agent.run("job result <job-id> --path", { ...good.job, ...good.values }, ELEVATION);
    expect(byPath.json()).toMatchObject({ receipt: "matched" });

    agent.stub("claude", stub("claude-haiku-4-5"));
    expect((await dispatch(agent)).verdict).toMatchObject({ verdict: "degrade", receipt: "mismatch" });
    agent.stub("claude", "#!/bin/sh\nexit 3\n");
    expect((await dispatch(agent)).verdict).toMatchObject({ verdict: "degrade", envelope_status: "failed" });

    // The worker itself killed from outside: tried once more, then no more.
    agent.stub("claude", "#!/bin/sh\nkill -9 $PPID\n");
    const killed = await dispatch(agent);
    expect(killed.verdict).toMatchObject({ verdict: "retry", job_state: "died-without-result" });
    const retried = await agent.run("elevate --verdict <job-id> --retried", killed.job, ELEVATION);
    expect(retried.json().verdict).toBe("degrade");
  });
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string[]> {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n");
}
