import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Agent, type Any, expectAllRun, git, makeAgent, put, type Run, tempDir } from "./agent.ts";

expectAllRun("flow-router");

const ROUTING = "references/routing.md";
const MEMORY = "references/memory.md";
const ARTIFACT = "references/artifact-and-gates.md";
const DISPATCH = "references/dispatch-and-validation.md";
const FAST = "references/fast-path.md";
const BUILD = "references/build.md";
const REMEDY = "references/remediation-and-research.md";
const TREE = "references/worktree-finalize.md";

const root = "flow root --request-file <abs-path> --json";
const choose = "flow root --request-file <abs-path> --choose";
const route = "flow route";
const fastPath = "flow fast-path --request-file";
const escalate = "flow fast-path escalate";
const addStep = "flow phase <workflow-id> add <phase-id> --project <abs-path>";
const addAfter = "flow phase <workflow-id> add <phase-id> --after";
const addBefore = "flow phase <workflow-id> add <phase-id> --before";
const addBetween = "flow phase <workflow-id> add <phase-id> --after <phase-id> --before";
const next = "flow phase <workflow-id> next";
const begun = "flow phase <workflow-id> set <phase-id> in_progress";
const completed = "flow phase <workflow-id> set <phase-id> completed";
const skipped = "flow phase <workflow-id> set <phase-id> skipped";
const load = "flow memory load --project <abs-path>";
const finalizeMemory = "flow memory finalize";
const close = "flow close";
const create = "flow worktree create <workflow-id> --project";
const recreate = "flow worktree create <workflow-id> --recreate";
const finalize = "flow worktree finalize <workflow-id> --project <abs-path> --json";
const resume = "flow resume --project";
const resumeThis = "flow resume <workflow-id>";
const planTrust = "flow gate <workflow-id> check plan_trust";
const remfix =
  "flow remfix <workflow-id> --origin <role> --phase <phase-id> --scope ALL_ISSUES --reason-file <abs-path> --project";

type Type = "BUILD" | "DEBUG" | "REVIEW" | "PLAN";

/** A session of the router in one project. */
interface Session {
  agent: Agent;
  project: string;
  scratch: string;
  file(name: string, text: string): string;
  /** A line of a file; `<abs-path>` is the project unless a number says otherwise. */
  flow(words: string, file: string, values?: Record<string, string>): Promise<Run>;
}

async function makeSession(project?: string): Promise<Session> {
  const agent = await makeAgent("flow-router");
  const place = project ?? agent.repository;
  if (project === undefined) {
    git(place, "checkout", "-q", "-b", "main");
    put(join(place, "src/login.txt"), "login\n");
    put(join(place, ".gitignore"), ".env\n");
    git(place, "add", ".");
    git(place, "commit", "-q", "-m", "Start");
    git(place, "config", "user.name", "test");
    git(place, "config", "user.email", "test@localhost");
  }
  const scratch = (await agent.run("scratch jig-flow-router", { "run-id": "drill" })).stdout.trim();
  return {
    agent,
    project: place,
    scratch,
    file: (name, text) => put(join(scratch, name), text),
    flow: (words, file, values = {}) =>
      agent.run(words, { "abs-path": place, ...values }, { file, cwd: place }),
  };
}

/** Root, routing and a new workflow, in the order of a session. */
async function begin(session: Session, request: string, type: Type, taskTools = true): Promise<string> {
  const asked = session.file("request.txt", request);
  const found = await session.flow(root, ROUTING, { "abs-path": asked });
  expect(found.code, found.stderr).toBe(0);
  const rootJson = session.file("root.json", found.stdout);
  const words = `flow new --type ${type} --request-file <abs-path> --root-json <abs-path> --task-tools ${taskTools} --json`;
  const made = await session.flow(words, ARTIFACT, { "abs-path 1": asked, "abs-path 2": rootJson });
  expect(made.code, made.stderr).toBe(0);
  const id: string = made.json().workflow_uuid;
  expect(id).toMatch(/^wf-.*-\d{8}-\d{6}-[0-9a-f]{8}$/);
  const marker = { BUILD: "build-start", DEBUG: "debug-reset", PLAN: "plan-start", REVIEW: undefined }[type];
  if (marker !== undefined) {
    const marked = await session.flow(`flow marker <workflow-id> ${marker}`, ARTIFACT, { "workflow-id": id });
    expect(marked.code, marked.stderr).toBe(0);
  }
  return id;
}

const routed = async (session: Session, request: string) =>
  (await session.flow(route, ROUTING, { "abs-path 1": session.file("request.txt", request) })).json();

const state = (session: Session, ...names: string[]) => join(session.project, ".craftflow/state", ...names);
const artifact = (session: Session, id: string): Any =>
  JSON.parse(readFileSync(state(session, "workflows", `${id}.json`), "utf8"));
const events = (session: Session, id: string): Any[] =>
  readFileSync(state(session, "workflows", `${id}.events.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Assignments of one `set` line, each value from a file of its own. */
async function setField(session: Session, id: string, words: string, file: string, values: unknown[]) {
  const paths = values.map((value, index) => session.file(`value-${index}.json`, JSON.stringify(value)));
  const numbered = Object.fromEntries(paths.map((path, index) => [`abs-path ${index + 1}`, path]));
  const run = await session.flow(words, file, { "workflow-id": id, ...numbered });
  expect(run.code, run.stderr).toBe(0);
}

const autoProceed = (session: Session) =>
  put(
    state(session, "project/activeContext.md"),
    readFileSync(state(session, "project/activeContext.md"), "utf8").replace(
      "# AUTO_PROCEED: false",
      "AUTO_PROCEED: true",
    ),
  );

const NOTES = JSON.stringify({
  learnings: [{ text: "Logins are rebuilt on start", confidence: 0.9 }],
  patterns: [],
  verification: ["npm test: exit 0"],
  deferred: ["mobile"],
  retractions: [],
  summary: "Logins work",
  tasks: [],
});

const finish = async (session: Session, id: string) => {
  const values = { "workflow-id": id, "abs-path 1": session.file("notes.json", NOTES) };
  return session.flow(finalizeMemory, MEMORY, values);
};

describe("routing, played by the installed lines", () => {
  test("skills-flow-router-2 a crash is debugged under its reset marker", async () => {
    const session = await makeSession();
    expect((await session.agent.run("skills preflight")).json().status).toBe("ok");
    const answer = await routed(session, "fix the login crash");
    expect(answer.announce).toMatch(/^-> DEBUG workflow \(signals: /);
    const id = await begin(session, "fix the login crash", "DEBUG");
    const context = () => readFileSync(state(session, "workflows", id, "activeContext.md"), "utf8");
    expect(context()).toContain(`[DEBUG-RESET: wf:${id}]`);
    const tried = session.file("tried.txt", "[DEBUG-1]: cleared the cache → still broken");
    const add = "flow memory add recent-changes";
    expect((await session.flow(add, MEMORY, { "workflow-id": id, "abs-path 1": tried })).code).toBe(0);
    expect(context()).toContain("[DEBUG-1]: cleared the cache → still broken");
    expect((await session.flow("flow fix-verify", DISPATCH, { "workflow-id": id })).code).toBe(0);
  });

  test("skills-flow-router-3 skills-flow-router-16 the fast path, escalated once", async () => {
    const session = await makeSession();
    const id = await begin(session, "add a dark mode toggle", "BUILD");
    const asked = session.file("request.txt", "add a dark mode toggle");
    const values = { "workflow-id": id, "abs-path 1": asked };
    const fast = await session.flow(fastPath, FAST, values);
    expect(fast.stdout.trim()).toBe("-> FAST-PATH BUILD (no risk signals)");
    expect(artifact(session, id).build_mode).toBe("fast_path");
    const up = await session.flow(escalate, FAST, { "workflow-id": id });
    const line = /`(-> FAST-PATH BUILD \[ESCALATED\][^`]+)`/.exec(session.agent.text(FAST))![1]!;
    expect(up.stdout.trim()).toBe(line);
    expect(artifact(session, id)).toMatchObject({
      build_mode: "fast_path_escalated",
      fast_path_escalated: true,
    });
    expect((await session.flow(escalate, FAST, { "workflow-id": id })).code).toBe(1);
  });

  test("skills-flow-router-4 a risk signal makes it a full build", async () => {
    const session = await makeSession();
    const id = await begin(session, "add oauth login", "BUILD");
    const values = { "workflow-id": id, "abs-path 1": session.file("request.txt", "add oauth login") };
    expect((await session.flow(fastPath, FAST, values)).stdout.trim()).toBe(
      "-> FULL BUILD (risk signals: auth, oauth)",
    );
    expect(artifact(session, id).build_mode).toBe("standard");
    const parallel = await session.flow("flow event <workflow-id> parallel_fallback", DISPATCH, {
      "workflow-id": id,
    });
    expect(parallel.code).toBe(0);
    expect(events(session, id).at(-1)).toMatchObject({ event: "parallel_fallback" });
  });

  test("skills-flow-router-5 several repositories: a person chooses, also under JUST_GO", async () => {
    const workspace = tempDir();
    for (const name of ["alpha", "beta"]) {
      git(workspace, "init", "-q", "-b", "main", name);
      git(join(workspace, name), "commit", "-q", "--allow-empty", "-m", `Start ${name}`);
    }
    const session = await makeSession(workspace);
    const chosen = join(workspace, "beta");
    expect((await session.flow(load, MEMORY, { "abs-path": chosen })).code).toBe(0);
    autoProceed({ ...session, project: chosen });
    const asked = session.file("request.txt", "add a toggle");
    const found = await session.flow(root, ROUTING, { "abs-path": asked });
    expect(found.code).toBe(3);
    expect(Object.keys(found.json().candidate_labels)).toEqual([join(workspace, "alpha"), chosen]);
    const policy = await session.flow("flow just-go", MEMORY, {
      "gate-id": "root_ambiguous",
      "abs-path": chosen,
    });
    expect([policy.code, policy.stdout.trim()]).toEqual([3, "ask"]);
    const answered = await session.flow(choose, ROUTING, { "abs-path 1": asked, "abs-path 2": chosen });
    expect(answered.json().project_root).toBe(chosen);
    const rootJson = session.file("root.json", answered.stdout);
    const words =
      "flow new --type BUILD --request-file <abs-path> --root-json <abs-path> --task-tools true --json";
    const made = await session.flow(words, ARTIFACT, { "abs-path 1": asked, "abs-path 2": rootJson });
    expect(made.json().project_root).toBe(chosen);
    expect(existsSync(join(chosen, ".craftflow/state/workflows", `${made.json().workflow_uuid}.json`))).toBe(
      true,
    );
  });

  test("skills-flow-router-6 no repository: an event, not a gate", async () => {
    const session = await makeSession(tempDir());
    const id = await begin(session, "add a toggle", "BUILD");
    expect(JSON.stringify(artifact(session, id).status_history)).toContain(
      "project_root_resolution_fallback",
    );
    expect(events(session, id).map(({ event }) => event)).toContain("project_root_resolution_fallback");
    const tree = (await session.flow(create, TREE, { "workflow-id": id })).json();
    expect(tree).toMatchObject({ outcome: "fallback", prompt_section: null });
  });

  test("skills-flow-router-8 a failed task call flips the flag for the session", async () => {
    const session = await makeSession();
    const id = await begin(session, "add a toggle", "BUILD");
    const error = session.file("error.txt", "tool not available");
    const values = { "workflow-id": id, "tool-name": "create", "abs-path 1": error };
    const failed = "flow capability <workflow-id> task_tools_available false --failed-call";
    expect((await session.flow(failed, ROUTING, values)).code).toBe(0);
    const flag = () => artifact(session, id).capabilities.task_tools_available;
    expect(flag()).toBe(false);
    expect(JSON.stringify(artifact(session, id).status_history)).toContain("task_tools_flipped");
    expect(events(session, id).map(({ event }) => event)).toContain("task_tools_flipped");
    const line = (value: boolean) =>
      `flow capability <workflow-id> task_tools_available ${value} --new-session`;
    expect((await session.flow(line(true), ROUTING, { "workflow-id": id })).code).toBe(0);
    expect(flag()).toBe(true);
    expect((await session.flow(line(false), ROUTING, { "workflow-id": id })).code).toBe(0);
    expect(flag()).toBe(false);
  });
});

describe("memory and gates", () => {
  test("skills-flow-router-9 skills-flow-router-24 missing files are made, large ones are summed up", async () => {
    const session = await makeSession();
    expect((await session.flow(load, MEMORY)).code).toBe(0);
    const patterns = state(session, "project/patterns.md");
    rmSync(patterns);
    expect((await session.flow(load, MEMORY)).code).toBe(0);
    const text = readFileSync(patterns, "utf8");
    for (const name of ["User Standards", "Common Gotchas", "Project SKILL_HINTS", "Last Updated"])
      expect(text).toContain(`\n## ${name}\n`);
    const gotchas = Array.from({ length: 1200 }, (_, index) => `- gotcha ${index} ${"x".repeat(40)}`).join(
      "\n",
    );
    writeFileSync(patterns, text.replace("## Common Gotchas\n", `## Common Gotchas\n\n${gotchas}\n`));
    const short = await session.flow("flow query", MEMORY, { "abs-path": patterns });
    expect(short.stdout.length).toBeLessThan(10_000);
    expect(short.stdout).toContain("1200 total bullets");
  });

  test("skills-flow-router-10 skills-flow-router-21 a plan is trusted only when nothing is open", async () => {
    const session = await makeSession();
    await session.flow(load, MEMORY);
    autoProceed(session);
    const id = await begin(session, "build the saved plan", "BUILD");
    const plan = put(
      join(session.project, "docs/plans/x-plan.md"),
      "# Plan\n\n## Differences from agreement\n\nNone.\n",
    );
    const values = { "workflow-id": id };
    const one = {
      ...values,
      path: "plan_file",
      "abs-path 1": session.file("plan.json", JSON.stringify(plan)),
    };
    expect((await session.flow("flow set <workflow-id> <path>=@<abs-path>", ARTIFACT, one)).code).toBe(0);
    const noMode = await session.flow(planTrust, ARTIFACT, values);
    expect(noMode.code).toBe(1);
    expect(noMode.stdout).toContain("plan_mode");
    await setField(session, id, "flow set <workflow-id> plan_file=@<abs-path> plan_mode=@<abs-path>", BUILD, [
      plan,
      "direct",
    ]);
    const intent = (open: string[]) =>
      session.file(
        "intent.json",
        JSON.stringify({
          goal: "log in",
          non_goals: [],
          constraints: [],
          acceptance_criteria: ["login exits with 0"],
          open_decisions: open,
        }),
      );
    const store = "flow intent <workflow-id> --from";
    expect(
      (await session.flow(store, ARTIFACT, { ...values, "abs-path 1": intent(["which provider?"]) })).code,
    ).toBe(0);
    expect((await session.flow(planTrust, ARTIFACT, values)).code).toBe(1);
    expect((await session.flow(store, ARTIFACT, { ...values, "abs-path 1": intent([]) })).code).toBe(0);
    const trusted = await session.flow(planTrust, ARTIFACT, values);
    expect(trusted.code, trusted.stdout).toBe(0);
    const ready = await session.flow("flow intent <workflow-id> --check", ARTIFACT, values);
    expect([ready.code, ready.stdout]).toEqual([0, expect.stringContaining("READY")]);
  });

  test("skills-flow-router-14 skills-flow-router-15 the scope question, and a circuit breaker", async () => {
    const session = await makeSession();
    await session.flow(load, MEMORY);
    const id = await begin(session, "add oauth login", "BUILD");
    const values = { "workflow-id": id, role: "code-reviewer", "phase-id": "build-review" };
    const reason = { ...values, "abs-path 1": session.file("reason.txt", "one CRITICAL, one HIGH") };
    expect((await session.flow("flow scope request", ARTIFACT, reason)).code).toBe(0);
    expect((await session.flow("flow scope list", ARTIFACT)).stdout).toContain(id);
    expect((await routed(session, "critical only")).live_scope_marker).toBe(id);
    const answer = (text: string) =>
      session.flow("flow scope answer", ARTIFACT, {
        ...values,
        "abs-path 1": session.file("answer.txt", text),
      });
    expect((await answer("whatever")).code).toBe(3);
    expect((await answer("critical only")).stdout.trim()).toBe("CRITICAL_ONLY");
    const critical = "flow remfix <workflow-id> --origin <role> --phase <phase-id> --scope CRITICAL_ONLY";
    expect((await session.flow(critical, ARTIFACT, reason)).code).toBe(0);
    expect(artifact(session, id).remediation_history).toHaveLength(1);
    expect((await session.flow(remfix, ARTIFACT, reason)).code).toBe(0);
    expect((await session.flow(remfix, ARTIFACT, reason)).code).toBe(0);
    expect((await session.flow(remfix, ARTIFACT, reason)).code).toBe(3);
    expect(artifact(session, id).circuit_breaker).toMatchObject({ remfix_count: 3, broken: true });
    const check = await session.flow("flow gate <workflow-id> check failure_stop", ARTIFACT, values);
    expect(check.code).toBe(1);
    const override =
      "flow remfix <workflow-id> --origin <role> --phase <phase-id> --scope ALL_ISSUES --reason-file <abs-path> --override";
    expect((await session.flow(override, REMEDY, reason)).code).toBe(0);
    await setField(
      session,
      id,
      "flow set <workflow-id> telemetry.loop_counts.re_verify=@<abs-path>",
      REMEDY,
      [1],
    );
    const shown = await session.flow("flow show", DISPATCH, values);
    expect(shown.json()).toHaveLength(4);
  });

  test("skills-flow-router-28 a fix and its check go ahead of what has yet to run", async () => {
    const session = await makeSession();
    const id = await begin(session, "fix the login crash", "DEBUG");
    const values = { "workflow-id": id };
    const add = async (words: string, file: string, ...keys: string[]) => {
      const named = Object.fromEntries(keys.map((key, index) => [`phase-id ${index + 1}`, key]));
      const added = await session.flow(words, file, { ...values, ...named });
      expect(added.code, added.stderr).toBe(0);
      return added.stdout.trim();
    };
    const run = async (key: string) => {
      expect((await session.flow(next, ROUTING, values)).stdout.trim()).toBe(key);
      for (const line of [begun, completed])
        expect((await session.flow(line, ROUTING, { ...values, "phase-id": key })).code).toBe(0);
    };
    for (const step of ["debug-investigate", "debug-review", "debug-verify"])
      await add(addStep, ROUTING, step);
    await run("debug-investigate");
    await run("debug-review");
    const fix = await add(addBefore, REMEDY, "build-implement", "debug-verify");
    await add(addBetween, REMEDY, "re-review", fix, "debug-verify");
    for (const key of ["build-implement", "re-review", "debug-verify"]) await run(key);
  });

  test("skills-flow-router-20 skills-flow-router-23 two open workflows: nobody guesses", async () => {
    const session = await makeSession();
    const first = await begin(session, "add a toggle", "BUILD");
    expect((await session.flow(resume, ARTIFACT)).json()).toMatchObject({
      answer: "RESUME",
      workflow_uuid: first,
    });
    const second = await begin(session, "review the login", "REVIEW");
    const plan = await begin(session, "plan the login", "PLAN");
    const both = await session.flow(resume, ARTIFACT);
    expect([both.code, both.json().answer]).toEqual([3, "AMBIGUOUS"]);
    const one = await session.flow(resumeThis, ARTIFACT, { "workflow-id": second });
    expect(one.json()).toMatchObject({ answer: "RESUME", next: "inspect" });
    const gate = {
      "workflow-id": plan,
      "gate-id": "clarification",
      "abs-path 1": session.file("why.txt", "which provider?"),
    };
    expect((await session.flow("flow gate <workflow-id> set", ARTIFACT, gate)).code).toBe(0);
    expect((await session.flow(resumeThis, ARTIFACT, { "workflow-id": plan })).json().next).toBe(
      "answer_gate",
    );
    expect(
      (
        await session.flow("flow gate <workflow-id> clear", ARTIFACT, {
          "workflow-id": plan,
          "gate-id": "clarification",
        })
      ).code,
    ).toBe(0);
    const decision = session.file("decision.txt", "Use the house provider, says the owner");
    expect((await session.flow("flow memory add decisions", MEMORY, { "abs-path 1": decision })).code).toBe(
      0,
    );
    expect(readFileSync(state(session, "project/activeContext.md"), "utf8")).toContain(
      "- Use the house provider, says the owner",
    );
    expect((await session.agent.run("skills show", { file: TREE })).stdout).toBe(session.agent.text(TREE));
  });

  test("task metadata is checked before a hook would", async () => {
    const session = await makeSession();
    const id = await begin(session, "add a toggle", "BUILD");
    const lines = /^> (wf:[\s\S]*?reason:[^\n]*)$/m.exec(session.agent.text(ARTIFACT))![1]!;
    const keys = lines.split("\n").map((line) => /^(?:> )?(\w+):/.exec(line)![1]);
    expect(keys).toEqual(["wf", "kind", "origin", "phase", "plan", "scope", "reason"]);
    const description = (wf: string) =>
      session.file(
        "task.txt",
        `wf:${wf}\nkind:agent\norigin:router\nphase:build-implement\nplan:N/A\nscope:N/A\nreason:User request\n\nUser request: add a toggle\n`,
      );
    const words = "flow task-check";
    const good = { text: '"CRAFTFLOW BUILD: toggle"', "abs-path": description(id) };
    expect((await session.flow(words, ARTIFACT, good)).code).toBe(0);
    const bad = { text: '"CRAFTFLOW BUILD: toggle"', "abs-path": description("PENDING_SELF") };
    expect((await session.flow(words, ARTIFACT, bad)).code).toBe(1);
  });
});

describe("the worktree", () => {
  /** An isolated BUILD whose steps are finished and proven, with work in the worktree. */
  async function built(
    work: (tree: string, session: Session) => void,
  ): Promise<{ session: Session; id: string; tree: string }> {
    const session = await makeSession();
    await session.flow(load, MEMORY);
    const id = await begin(session, "add a toggle", "BUILD");
    const made = (await session.flow(create, TREE, { "workflow-id": id })).json();
    expect(made).toMatchObject({
      outcome: "created",
      prompt_section: expect.stringContaining("WORKTREE_PATH: "),
    });
    const tree: string = made.worktree_path;
    expect((await session.flow(create, TREE, { "workflow-id": id })).json().outcome).toBe("reused");
    work(tree, session);
    await setField(session, id, "flow set <workflow-id> proof_status=@<abs-path>", DISPATCH, ["passed"]);
    return { session, id, tree };
  }

  const commitIn = (tree: string) => {
    put(join(tree, "src/toggle.txt"), "on\n");
    git(tree, "add", ".");
    git(tree, "commit", "-q", "-m", "Add the toggle");
  };

  test("skills-flow-router-17 a dirty main tree stops finalize and memory until it is clean", async () => {
    const { session, id } = await built(commitIn);
    put(join(session.project, "src/login.txt"), "changed by hand\n");
    const dirty = await session.flow(finalize, TREE, { "workflow-id": id });
    expect([dirty.code, dirty.json().gate]).toEqual([3, "worktree_dirty_main_tree"]);
    expect((await finish(session, id)).code).toBe(3);
    git(session.project, "commit", "-qam", "By hand");
    const clean = await session.flow(finalize, TREE, { "workflow-id": id });
    expect([clean.code, clean.json().outcome]).toEqual([0, "merged_and_removed"]);
    const notes = await finish(session, id);
    expect(notes.code, notes.stderr).toBe(0);
    expect(
      (await session.flow("flow gate <workflow-id> check memory_sync", ARTIFACT, { "workflow-id": id })).code,
    ).toBe(0);
  });

  test("skills-flow-router-29 a plan that git does not have waits for its line in info/exclude", async () => {
    const { session, id } = await built(commitIn);
    const plan = put(join(session.project, "docs/plans/x-plan.md"), "# Plan\n");
    const values = { "workflow-id": id };
    const dirty = await session.flow(finalize, TREE, values);
    expect([dirty.code, dirty.json().gate]).toEqual([3, "worktree_dirty_main_tree"]);
    expect(dirty.json().message).toContain("docs/plans/x-plan.md");
    const exclude = join(session.project, ".git/info/exclude");
    writeFileSync(exclude, `${readFileSync(exclude, "utf8")}/docs/plans/x-plan.md\n`);
    const clean = await session.flow(finalize, TREE, values);
    expect([clean.code, clean.json().outcome]).toEqual([0, "merged_and_removed"]);
    expect(readFileSync(plan, "utf8")).toBe("# Plan\n");
    expect(git(session.project, "ls-files", "docs")).toBe("");
  });

  test("skills-flow-router-30 giving up leaves the worktree where it is", async () => {
    const { session, id, tree } = await built(commitIn);
    const values = { "workflow-id": id, "abs-path 1": session.file("reason.txt", "not wanted any more") };
    const line = "flow close <workflow-id> --outcome abandoned --reason-file <abs-path>";
    expect((await session.flow(`${line} --project <abs-path>`, ARTIFACT, values)).code).toBe(3);
    expect((await session.flow(`${line} --force --project <abs-path>`, ARTIFACT, values)).code).toBe(0);
    expect((await session.flow(resume, ARTIFACT)).code).toBe(1);
    expect(existsSync(join(tree, "src/toggle.txt"))).toBe(true);
  });

  test("skills-flow-router-18 skills-flow-router-25 uncommitted work is copied, ignored files are put aside", async () => {
    const { session, id } = await built((tree) => {
      commitIn(tree);
      put(join(tree, "src/draft.txt"), "draft\n");
      put(join(tree, ".env"), "KEY=value\n");
    });
    const done = (await session.flow(finalize, TREE, { "workflow-id": id })).json();
    expect(done.outcome).toBe("merged_and_removed");
    expect(done.copy.applied.map(({ path }: Any) => path)).toContain("src/draft.txt");
    expect(JSON.stringify(done.cleanup.kept)).toContain(".env");
    expect(readFileSync(join(done.cleanup.kept_dir, ".env"), "utf8")).toBe("KEY=value\n");
    expect(existsSync(join(session.project, "src/draft.txt"))).toBe(true);
  });

  test("skills-flow-router-27 what only the user may say: recreate, accept what is missing, another branch, an unlock", async () => {
    const { session, id, tree } = await built(() => {});
    const values = { "workflow-id": id };
    const unlock = "flow worktree unlock --project";
    expect((await session.flow(unlock, TREE)).code).toBe(0);
    mkdirSync(join(session.project, ".claude/worktrees/.merge.lock"));
    expect((await session.flow("flow worktree unlock --yes", TREE)).code).toBe(0);
    rmSync(tree, { recursive: true });
    expect((await session.flow(create, TREE, values)).code).toBe(1);
    const again = await session.flow(recreate, TREE, values);
    expect(again.json().outcome).toBe("recreated");
    commitIn(tree);
    git(session.project, "checkout", "-q", "-b", "other");
    const moved = await session.flow(finalize, TREE, values);
    expect(moved.json().gate).toBe("worktree_base_branch_changed");
    const onto = await session.flow("flow worktree finalize <workflow-id> --onto-current", TREE, values);
    expect(onto.json().outcome).toBe("merged_and_removed");

    const second = await built(commitIn);
    rmSync(second.tree, { recursive: true });
    const gone = await second.session.flow(finalize, TREE, { "workflow-id": second.id });
    expect(gone.json().gate).toBe("worktree_copy_fallback_failed");
    const accepted = await second.session.flow(
      "flow worktree finalize <workflow-id> --accept-missing",
      TREE,
      { "workflow-id": second.id },
    );
    expect(accepted.json().outcome).toBe("merged_and_removed");
  });
});

describe("a whole BUILD without task tools", () => {
  const CONTRACT = `Done.

### Router Contract (MACHINE-READABLE)

\`\`\`yaml
STATUS: PASS
SUMMARY: The toggle is stored
CONFIDENCE: 90
PHASE_ID: P
PHASE_STATUS: completed
PHASE_EXIT_READY: true
PROOF_STATUS: passed
TDD_RED_EXIT: 1
TDD_GREEN_EXIT: 0
SCENARIOS:
  - toggle | npm test | expected: 0 | actual: 0 | exit: 0
BLOCKING: false
REMEDIATION_NEEDED: false
\`\`\`
`;

  test("skills-flow-router-7 skills-flow-router-26 from root to close, two plan phases, isolated, resumed on the way", {
    timeout: 240_000,
  }, async () => {
    const session = await makeSession();
    const ok = async (run: Promise<Run>) => {
      const done = await run;
      expect(done.code, done.stderr + done.stdout).toBe(0);
      return done;
    };
    const asked = "add oauth login";
    await ok(session.flow(load, MEMORY));
    expect((await session.flow(resume, ARTIFACT)).code).toBe(1);
    await ok(session.flow("flow scope list", ARTIFACT));
    expect((await routed(session, asked)).workflow).toBe("BUILD");
    const id = await begin(session, asked, "BUILD", false);
    const values = { "workflow-id": id };
    await ok(session.flow("flow memory load --project <abs-path> --wf", MEMORY, values));

    // Preparation: plan, intent, trust, phases, risk, isolation.
    const plan = put(
      join(session.scratch, "x-plan.md"),
      "# Plan\n\n## Differences from agreement\n\nNone.\n",
    );
    await setField(session, id, "flow set <workflow-id> plan_file=@<abs-path> plan_mode=@<abs-path>", BUILD, [
      plan,
      "execution_plan",
    ]);
    const intent = {
      goal: "log in",
      non_goals: [],
      constraints: [],
      acceptance_criteria: ["login exits with 0"],
      open_decisions: [],
    };
    await ok(
      session.flow("flow intent <workflow-id> --from", ARTIFACT, {
        ...values,
        "abs-path 1": session.file("intent.json", JSON.stringify(intent)),
      }),
    );
    const planned = ["P1", "P2"].map((phase) => ({
      phase_id: phase,
      title: phase,
      objective: `store ${phase}`,
      inputs: [],
      files: [`src/${phase}.txt`],
      expected_artifacts: [],
      checks: ["npm test"],
      checkpoint_type: "none",
      exit_criteria: [`src/${phase}.txt exists`],
    }));
    await ok(
      session.flow("flow phase <workflow-id> load", ARTIFACT, {
        ...values,
        "abs-path 1": session.file("phases.json", JSON.stringify(planned)),
      }),
    );
    await ok(session.flow(planTrust, ARTIFACT, values));
    await ok(session.flow(fastPath, FAST, { ...values, "abs-path 1": session.file("request.txt", asked) }));
    const { worktree_path: tree, worktree_branch: branch } = (
      await ok(session.flow(create, TREE, values))
    ).json();

    const waiting = async () => (await ok(session.flow(next, ROUTING, values))).stdout.trim().split("\n");
    const add = async (step: string, ...after: string[]) => {
      const named = { ...values, "phase-id 1": step, "phase-id": step, "phase-id 2": after[0] ?? "" };
      return (await ok(session.flow(after.length === 0 ? addStep : addAfter, ROUTING, named))).stdout.trim();
    };
    /** One step: dispatched, returned, recorded. */
    const step = async (key: string, role: string, work: () => void = () => {}) => {
      const named = { ...values, "phase-id": key, role };
      await ok(session.flow(begun, ROUTING, named));
      const phase = { ...named, "phase-id": key.replace(/#.*/, "") };
      await ok(session.flow("flow event <workflow-id> agent_started", ARTIFACT, phase));
      work();
      await ok(session.flow("flow event <workflow-id> agent_completed", ARTIFACT, phase));
      await ok(session.flow(completed, ROUTING, named));
    };

    for (const [index, phase] of ["P1", "P2"].entries()) {
      const mark = index === 0 ? "" : "#2";
      expect(await add("build-implement")).toBe(`build-implement${mark}`);
      if (index === 0) {
        for (const line of [
          "build-review --after build-implement",
          "build-hunt --after build-implement",
          "build-verify --after build-review --after build-hunt",
        ])
          await ok(session.flow(`flow phase <workflow-id> add ${line}`, BUILD, values));
      } else {
        await add("build-review", `build-implement${mark}`);
        await add("build-hunt", `build-implement${mark}`);
        await add("build-verify");
      }
      expect(await waiting()).toEqual([`build-implement${mark}`]);
      await step(`build-implement${mark}`, "component-builder", () => {
        put(join(tree, `src/${phase}.txt`), `${phase}\n`);
        git(tree, "add", ".");
        git(tree, "commit", "-q", "-m", `Store ${phase}`);
      });
      const answer = session.file("answer.md", CONTRACT.replace("PHASE_ID: P", `PHASE_ID: ${phase}`));
      await ok(
        session.flow("flow contract-check", DISPATCH, { role: "component-builder", "abs-path": answer }),
      );
      await setField(session, id, "flow set <workflow-id> results.builder=@<abs-path>", DISPATCH, [
        { status: "PASS", summary: "The toggle is stored" },
      ]);
      await setField(session, id, "flow set <workflow-id> memory_notes+=@<abs-path>", ARTIFACT, [
        { learnings: ["Logins are rebuilt on start"] },
      ]);
      expect((await waiting()).sort()).toEqual([`build-hunt${mark}`, `build-review${mark}`]);
      await step(`build-review${mark}`, "code-reviewer");
      await step(`build-hunt${mark}`, "silent-failure-hunter");

      // The conversation is gone: the artifact says what may run.
      const resumed = (await ok(session.flow(resume, ARTIFACT))).json();
      expect(resumed).toMatchObject({
        workflow_uuid: id,
        next: "run_phase",
        runnable: [`build-verify${mark}`],
        phase_cursor: phase,
      });
      await step(`build-verify${mark}`, "integration-verifier");
      const early = await session.flow("flow phase <workflow-id> advance", ARTIFACT, values);
      expect(early.code).toBe(1);
      await setField(session, id, "flow set <workflow-id> proof_status=@<abs-path>", DISPATCH, ["passed"]);
      await ok(session.flow(completed, ROUTING, { ...values, "phase-id": phase }));
      await ok(session.flow("flow gate <workflow-id> check phase_exit", ARTIFACT, values));
      const moved = await ok(session.flow("flow phase <workflow-id> advance", ARTIFACT, values));
      expect(moved.stdout.trim()).toBe(index === 0 ? "P2" : "");
    }
    expect(artifact(session, id).phase_status).toMatchObject({
      "build-implement#2": "completed",
      P1: "completed",
      P2: "completed",
    });
    // P2 is proven too; advancing past the last phase leaves that proof.
    expect(artifact(session, id).proof_status).toBe("passed");

    await add("build-doc-sync");
    await add("memory-finalize");
    expect((await ok(session.flow(resumeThis, ARTIFACT, values))).json().next).toBe("finalize_worktree");
    const merged = (await ok(session.flow(finalize, TREE, values))).json();
    expect(merged.outcome).toBe("merged_and_removed");
    for (const phase of ["P1", "P2"])
      expect(existsSync(join(session.project, `src/${phase}.txt`))).toBe(true);
    expect(existsSync(tree)).toBe(false);
    expect(git(session.project, "branch", "--list", branch)).toBe("");
    await ok(session.flow(skipped, ARTIFACT, { ...values, "phase-id": "build-doc-sync" }));
    expect(await waiting()).toEqual(["memory-finalize"]);
    await ok(
      session.flow("flow history <workflow-id> <event-name>", ARTIFACT, {
        ...values,
        "event-name": "docs_skipped",
        "phase-id": "build-doc-sync",
      }),
    );
    await ok(session.flow(begun, ROUTING, { ...values, "phase-id": "memory-finalize" }));
    await ok(session.flow(completed, ROUTING, { ...values, "phase-id": "memory-finalize" }));
    await ok(finish(session, id));
    await ok(session.flow(close, MEMORY, values));
    expect(
      events(session, id)
        .slice(-2)
        .map(({ event }) => event),
    ).toEqual(["memory_finalized", "workflow_completed"]);
    expect(readFileSync(state(session, "project/progress.md"), "utf8")).toContain("Logins work");
    expect((await session.flow(resume, ARTIFACT)).code).toBe(1);
    expect(readdirSync(state(session, "workflows")).filter((name) => name.endsWith(".json"))).toEqual([
      `${id}.json`,
    ]);
  });
});
