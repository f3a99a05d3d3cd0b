import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { carrierModel } from "../../src/elevate/resolve.ts";
import { tempDir } from "../support/temp.ts";
import { world } from "./fixture.ts";

/** A repository whose team config is this text. */
function repository(config: string): string {
  const root = tempDir();
  execFileSync("git", ["init", "-q", root]);
  mkdirSync(join(root, ".compound-engineering"));
  writeFileSync(join(root, ".compound-engineering/config.yaml"), config);
  return root;
}

async function resolve(cwd: string, ...words: string[]) {
  const w = world();
  const run = await w.run(["elevate", "--resolve", "--key", "brainstorm_model", ...words], { cwd });
  expect([run.code, run.stdout.split("\n").length]).toEqual([0, 2]);
  for (const line of run.stderr.split("\n").slice(0, -1)) expect(line).toMatch(/^\[elevation\] /);
  return JSON.parse(run.stdout);
}

test("elevate-24 the first source that decides", async () => {
  const repo = repository("brainstorm_model: fable\n");
  const config = { model: "fable", source: "config", dispatch: true, announce: true };
  expect(await resolve(repo)).toEqual(config);
  const carrier = "brainstorm_model:opus";
  expect(await resolve(repo, "--carrier", carrier)).toMatchObject({ model: "opus", source: "carrier" });
  expect(await resolve(repo, "--carrier", "opus")).toMatchObject({ model: "opus", source: "carrier" });
  const both = ["--carrier", carrier, "--intent", "haiku"];
  expect(await resolve(repo, ...both)).toMatchObject({ model: "haiku", source: "intent", dispatch: true });
  expect(await resolve(repo, ...both, "--headless")).toMatchObject({ model: "opus", source: "carrier" });
  expect(await resolve(repo, "--intent", "none")).toEqual({
    model: null,
    source: "intent",
    dispatch: false,
    announce: false,
  });
  expect(await resolve(repo, "--carrier", "plan_model:opus")).toEqual(config);
  expect(await resolve(repo, "--carrier", "a b")).toEqual(config);
  expect(await resolve(repo, "--session-model", "fable")).toMatchObject({ dispatch: false, announce: false });
  const same = ["--intent", "fable", "--session-model", "fable"];
  expect(await resolve(repo, ...same)).toMatchObject({ source: "intent", dispatch: false, announce: true });
  const nothing = { model: null, source: "none", dispatch: false, announce: false };
  expect(await resolve(repository("plan_model: fable\n"))).toEqual(nothing);
  expect(await resolve(tempDir())).toEqual(nothing);
  expect(await resolve(repository("brainstorm_model: bad model\n"))).toEqual(nothing);
});

test("elevate-30 an id of the family the session runs is not dispatched", async () => {
  const repo = repository("brainstorm_model: fable\n");
  expect(await resolve(repo, "--session-model", "claude-fable-5")).toMatchObject({
    model: "fable",
    dispatch: false,
    announce: false,
  });
  expect(await resolve(repo, "--session-model", "claude-opus-4")).toMatchObject({ dispatch: true });
});

test("a broken config file is none, with a line; bad words are exit 2", async () => {
  const repo = repository("x");
  mkdirSync(join(repo, ".compound-engineering/config.local.yaml"));
  expect(await resolve(repo)).toMatchObject({ model: null, source: "none" });
  const w = world();
  for (const words of [
    ["--key", "other"],
    [],
    ["--key", "plan_model", "--intent", "-x"],
    ["--key", "plan_model", "word"],
    ["--key=plan_model", "--intent=a b"],
  ]) {
    const run = await w.run(["elevate", "--resolve", ...words]);
    expect([words, run.code, run.stdout]).toEqual([words, 2, ""]);
    expect(run.stderr).toMatch(/^\[elevation\] /);
  }
});

test("a carrier is never guessed at", () => {
  const cases: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ["plan_model:opus", "opus"],
    ["opus", "opus"],
    ["brainstorm_model:opus", undefined],
    ["plan_model:", undefined],
    [":opus", undefined],
    ["plan_model:a:b", undefined],
    ["plan_model: opus", undefined],
    ["x".repeat(65), undefined],
    ["claude-opus-4.8_x", "claude-opus-4.8_x"],
  ];
  for (const [carrier, expected] of cases)
    expect([carrier, carrierModel("plan_model", carrier)]).toEqual([carrier, expected]);
});
