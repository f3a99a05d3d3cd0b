import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { allRooms } from "../../src/cli/tree.ts";
import { ROOT } from "../support/paths.ts";
import { runJig, until } from "../support/run.ts";
import { makeWorld, type Outputs, type World } from "../support/world.ts";

/** The outputs that the rooms' own tests make. */
async function outputsOfRooms(world: World): Promise<Outputs> {
  const made: Outputs = {};
  for (const { name } of allRooms()) {
    const path = join(ROOT, "test", name, "outputs.ts");
    if (!existsSync(path)) continue;
    const { outputs } = (await import(path)) as { outputs: (world: World) => Outputs };
    Object.assign(made, outputs(world));
  }
  return made;
}

describe("jig schema", () => {
  test("cli-19 each schema is valid JSON Schema and accepts a real output", {
    timeout: 400_000,
  }, async () => {
    const world = await makeWorld();
    const { base, repo, plan, jig, json, file } = world;
    const listed: { name: string; group: string; title: string }[] = await json("schema", "--json");
    const groups = new Set(listed.map((entry) => entry.group));
    const speaking = allRooms()
      .map(({ name }) => name)
      .filter((name) => !["scratch", "link", "schema", "completions", "version"].includes(name));
    for (const name of speaking) expect(groups).toContain(name);
    for (const entry of listed) expect([entry.name, entry.title]).not.toEqual([entry.name, ""]);

    const start = ["job", "start", "--skill", "s", "--run-id", "r", "--json", "--"];
    const started = await json(...start, "sleep", "30");
    const jobPid = file(started.job_dir, "pid");
    await jig("job", "reap", started.job_id);
    await jig("job", "wait", "--max-secs", "10", started.job_id);
    const prompt = join(base, "prompt");
    writeFileSync(prompt, "think");
    const envelope = join(base, "envelope.json");
    const elevated = await json(
      ...["elevate", "--start", "--skill", "s", "--run-id", "r2", "--json"],
      ...["opus", prompt, envelope],
    );
    await jig("job", "wait", "--max-secs", "20", elevated.job_id);
    const root = join(base, "show");
    const info = await json("web", "start", "--root", root, "--annotate");
    const made: Outputs = {
      ...(await outputsOfRooms(world)),
      "base-dir-resolution": () => json("base-dir", "resolve", "--json"),
      "base-dir-anchor": () => file(repo, ".cafleet-base-dir.json"),
      "base-dir-record": () =>
        json("base-dir", "record", "--base", join(base, "rec"), "--source", "askuserquestion", "--json"),
      "config-value": () => json("config", "get", "plan_output", "--json"),
      "config-list": () => json("config", "list", "--json"),
      "config-docs-root": () => json("config", "docs-root", "--json"),
      "config-check": () => json("config", "check", "--json"),
      scratch: () => json("scratch", "s", "r", "--json"),
      "packs-resolve": () => json("packs", "resolve"),
      "packs-declared": () => json("packs", "resolve", "--declared-only"),
      "packs-list": () => json("packs", "list", "--json"),
      "packs-show": () => json("packs", "show", "web", "--json"),
      "packs-refresh": () => json("packs", "refresh", "--json"),
      "plan-reserve": () =>
        json(
          "plan",
          "reserve",
          "--type",
          "fix",
          "--topic",
          "x",
          "--date",
          "2026-09-25",
          "--time",
          "1000",
          "--json",
        ),
      "plan-release": () => json("plan", "release", "docs/plans/2026-09-25-1000-fix-x-plan.md", "--json"),
      "plan-check": () => json("plan", "check", plan, "--json"),
      "plan-rules": () => json("plan", "check", "--list-rules", "--json"),
      "plan-find": () => json("plan", "find", "--stage", "any", "--source", "any", "--json"),
      "plan-sections": () => json("plan", "sections", plan, "--json"),
      "plan-part": () => json("plan", "sections", plan, "--get", "Product Contract", "--json"),
      "job-meta": () => file(started.job_dir, "meta.json"),
      "job-pid": () => jobPid,
      "job-hand-over": () => ({
        argv: ["/bin/true"],
        result_path: null,
        result_before: null,
        open_files: null,
        conf: file(started.job_dir, "meta.json").supervision,
      }),
      "job-start": () => started,
      "job-status": () => json("job", "status", "--json", started.job_id),
      "job-wait": () => json("job", "wait", "--deadline-secs", "60", "--json", started.job_id),
      "job-list": () => json("job", "list", "--json"),
      "job-root": () => json("job", "root", "--json"),
      "elevate-envelope": () => file(envelope),
      "elevate-resolution": () => json("elevate", "--resolve", "--key", "plan_model"),
      "elevate-verdict": () => json("elevate", "--verdict", elevated.job_id),
      "elevate-start": () => elevated,
      "web-display-info": () => file(root, "state", "display-info.json"),
      "web-waiting": () => json("web", "wait", "--root", root, "--timeout", "0.2"),
      "web-superseded": async () => {
        const parked = async () => {
          const headers = { "X-Session-Token": info.token };
          const list = await fetch(`${info.url}/__ce-annotate/annotations`, { headers });
          return ((await list.json()) as { waiting: boolean }).waiting;
        };
        await until("the wait before to be gone", async () => !(await parked()));
        const older = json("web", "wait", "--root", root, "--timeout", "10");
        await until("the older wait", parked);
        await json("web", "wait", "--root", root, "--timeout", "0.2");
        return older;
      },
      "web-batch": async () => {
        writeFileSync(join(root, "screens", "001.html"), "<p>hello");
        const headers = { "X-Session-Token": info.token };
        const note = JSON.stringify({ comment: "c", selector: "p", page: "/001.html", client_id: "x" });
        await fetch(`${info.url}/annotation`, { method: "POST", headers, body: note });
        await fetch(`${info.url}/session/flush`, { method: "POST", headers });
        return json("web", "wait", "--root", root);
      },
      "web-replied": () => json("web", "reply", "--root", root, "--note", "1", "Half way"),
      "web-annotations": () => json("web", "annotations", "--root", root),
      "web-annotations-file": () => file(root, "state", "annotations.json"),
      "web-session-ended": async () => {
        await fetch(`${info.url}/session/end`, {
          method: "POST",
          headers: { "X-Session-Token": info.token },
        });
        return json("web", "wait", "--root", root);
      },
      "web-stopped": () => json("web", "stop", "--root", root),
      "skills-list": () => json("skills", "list", "--cost", "--json"),
      "skills-report": () => json("skills", "install", "packs", "--host", "claude", "--json"),
      "skills-installed": () => json("skills", "list", "--installed", "--json"),
      "skills-manifest": async () => {
        const [installed] = await json("skills", "list", "--installed", "--json");
        return file(installed.dir, ".jig-skill.json");
      },
      "skills-preflight": () =>
        json("skills", "preflight", "packs", "--api", "1", "--text", "0.1.0", "--json"),
      "skills-check": () => json("skills", "check", "--json"),
      "doctor-report": () => json("doctor", "--json"),
      "demo-report": () => json("demo", "--no-open", "--json"),
      version: () => json("version", "--json"),
      "link-report": () => json("link", join(base, "links"), "--json"),
      "schema-list": () => listed,
    };
    const names = new Set(listed.map((entry) => entry.name));
    try {
      expect([...names].filter((name) => made[name] === undefined)).toEqual([]);
      // In the order of the table: a few outputs stand on the ones before.
      for (const [name, make] of Object.entries(made)) {
        if (!names.has(name)) continue;
        const schema = await json("schema", name);
        expect([name, schema.$schema]).toEqual([name, "https://json-schema.org/draft/2020-12/schema"]);
        const ajv = new Ajv2020({ strict: false, allErrors: true });
        const validate = ajv.compile(schema);
        const output = await make();
        expect([name, validate(output), validate.errors]).toEqual([name, true, null]);
      }
    } finally {
      await jig("web", "stop", "--root", root);
    }
  });

  test("an unknown name is named with its neighbour", async () => {
    const run = await runJig(["schema", "job-mata"]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("did you mean job-meta?");
  });
});
