import { expect, test } from "vitest";
import job from "../../src/job/command.ts";
import { USAGE } from "../../src/job/usage.ts";
import type { Command, Flag } from "../../src/kernel/call/command.ts";

test("the usage line of each verb names each of its flags, and no other", () => {
  expect(Object.keys(USAGE)).toEqual(Object.keys(job.verbs));
  for (const [verb, line] of Object.entries(USAGE)) {
    const command = job.verbs[verb] as Command;
    const shown = Object.entries(command.flags).filter(([, flag]) => !(flag as Flag).hidden);
    const declared = [...shown.map(([name]) => name), ...(command.json === false ? [] : ["json"])];
    const named = [...line.matchAll(/--([a-z-]+)/g)].map((match) => match[1]);
    expect([verb, [...new Set(named)].sort()]).toEqual([verb, [...new Set(declared)].sort()]);
  }
});
