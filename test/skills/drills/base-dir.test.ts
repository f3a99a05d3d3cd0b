import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectAllRun, makeAgent, put, tempDir } from "./agent.ts";

expectAllRun("base-dir");

const resolveTask = "base-dir resolve <task-relpath>";
const probe = "base-dir resolve --json";
const record = "base-dir record";

/** The three steps of a consumer's row, applied as the installed text gives them. */
function canonical(text: string, consumer: string, path: string): string {
  const row = text.split("\n").find((line) => line.startsWith(`| ${consumer} |`))!;
  const [, file, bucket, added] = /trailing `([^`]+)`.*leading `([^`]+)`.*prepend `([^`]+)`/.exec(row)!;
  const withoutFile = path.endsWith(file!) ? path.slice(0, -file!.length) : path;
  if (withoutFile.startsWith("/")) return withoutFile;
  return added + (withoutFile.startsWith(bucket!) ? withoutFile.slice(bucket!.length) : withoutFile);
}

describe("the base-dir skill, played by its own lines", () => {
  test("skills-base-dir-2 skills-base-dir-3 skills-base-dir-4 drill: task folders", async () => {
    const agent = await makeAgent("base-dir");
    expect((await agent.run("skills preflight")).json().status).toBe("ok");
    const steps = (consumer: string, path: string) => canonical(agent.text(), consumer, path);

    const design = steps("design documents", "design-docs/0000060-x/design-doc.md");
    expect(design).toBe("design-docs/0000060-x");
    const first = (await agent.run(resolveTask, { "task-relpath": design })).json();
    expect(first).toMatchObject({
      status: "resolved",
      source: "task-scope",
      base: join(agent.repository, design),
    });
    expect(existsSync(join(agent.repository, design, "design-doc.md"))).toBe(false);
    const again = (await agent.run(resolveTask, { "task-relpath": design })).json();
    expect(again).toMatchObject({ status: "resolved", source: "anchor" });

    const research = steps("research", "my-topic");
    expect(research).toBe("researches/my-topic");
    expect((await agent.run(resolveTask, { "task-relpath": research })).json().task_name).toBe(
      "researches/my-topic",
    );

    const absolute = steps("research", join(agent.repository, "researches/a/report.md"));
    expect((await agent.run(resolveTask, { "task-relpath": absolute })).json().base).toBe(
      join(agent.repository, "researches/a"),
    );
  });

  test("skills-base-dir-5 skills-base-dir-6 skills-base-dir-10 drill: the question, its answer, and an anchor that disagrees", async () => {
    const agent = await makeAgent("base-dir");
    const at = { cwd: agent.home };
    const asked = (await agent.run(probe, {}, at)).json();
    expect(asked).toMatchObject({ status: "needs-user-input", base: null });
    expect(asked.candidates).toEqual([join(agent.home, "tmp/claude-code"), agent.home]);

    const relative = await agent.run(record, { "abs-path": "some/where" }, at);
    expect(relative).toMatchObject({ code: 1, stdout: "" });
    expect(existsSync(join(agent.home, "some"))).toBe(false);

    const [first] = asked.candidates;
    expect((await agent.run(record, { "abs-path": first }, at)).code).toBe(0);
    expect((await agent.run(probe, {}, at)).json()).toMatchObject({
      status: "resolved",
      source: "anchor",
      base: first,
    });

    // A free-text base is found from its own directory alone.
    const own = tempDir();
    expect((await agent.run(record, { "abs-path": own }, at)).code).toBe(0);
    expect((await agent.run(probe, {}, { cwd: own })).json()).toMatchObject({ source: "anchor", base: own });

    const elsewhere = tempDir();
    const anchor = put(
      join(elsewhere, ".cafleet-base-dir.json"),
      readFileSync(join(first, ".cafleet-base-dir.json"), "utf8"),
    );
    const bytes = readFileSync(anchor);
    const refused = await agent.run(record, { "abs-path": elsewhere }, at);
    expect(refused.code).toBe(1);
    expect(readFileSync(anchor)).toEqual(bytes);
  });

  test("skills-base-dir-7 skills-base-dir-8 drill: what cannot be resolved stops, or is unset", async () => {
    const agent = await makeAgent("base-dir");
    put(join(agent.repository, ".cafleet-base-dir.json"), '{"version": 2}');
    const before = readdirSync(agent.repository);
    const bad = await agent.run(probe);
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).not.toBe("");
    expect(readdirSync(agent.repository)).toEqual(before);
    expect(readdirSync(join(agent.home, "tmp"))).toEqual([]);

    const outside = (await agent.run(resolveTask, { "task-relpath": tempDir() })).json();
    expect(outside).toMatchObject({ status: "unset", base: null, source: "absolute-path-arg" });
  });

  test("skills-base-dir-13 drill: outside a repository, then from its root", async () => {
    const agent = await makeAgent("base-dir");
    const values = { "task-relpath": "design-docs/x" };
    const outside = await agent.run(resolveTask, values, { cwd: tempDir() });
    expect(outside).toMatchObject({ code: 1, stdout: "" });
    const quoted = /`(cannot resolve task-scope base-dir: [^`]+)`/.exec(agent.text())![1]!;
    expect(outside.stderr).toContain(quoted);
    expect((await agent.run(resolveTask, values)).json().status).toBe("resolved");
  });

  test("skills-base-dir-15 drill: the first record in a repository gives one tip and edits no ignore file", async () => {
    const agent = await makeAgent("base-dir");
    const run = await agent.run(record, { "abs-path": agent.repository });
    expect(run.code).toBe(0);
    expect(run.stderr.match(/^tip:/gm)).toHaveLength(1);
    expect(readdirSync(agent.repository).sort()).toEqual([".cafleet-base-dir.json", ".git"]);
    expect(
      existsSync(join(agent.repository, ".git/info/exclude")) &&
        readFileSync(join(agent.repository, ".git/info/exclude"), "utf8"),
    ).not.toContain("cafleet");
    expect((await agent.run(record, { "abs-path": agent.repository })).stderr).toBe("");
    // The last line brings the text back after a compaction.
    expect((await agent.run("skills show")).stdout).toContain("# Base directory");
  });

  test("the shared root in a directory of a repository is that directory", async () => {
    const agent = await makeAgent("base-dir");
    expect((await agent.run(probe)).json()).toMatchObject({
      source: "cwd-inference",
      base: agent.repository,
    });
    mkdirSync(join(agent.repository, "sub"));
    const below = await agent.run(probe, {}, { cwd: join(agent.repository, "sub") });
    expect(below.json().base).toBe(join(agent.repository, "sub"));
    expect(below.stderr).toMatch(/^note:/m);
  });
});
