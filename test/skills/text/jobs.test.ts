import { expect, test } from "vitest";
import { source } from "./reading.ts";

const skill = source("jobs");

test("skills-jobs-1 text: the start line comes first, after the reason for it", () => {
  const [, start] = skill.fenced();
  expect(start).toMatch(/^\{\{JIG\}\} job start .*--result-path <abs-path> -- <program>/);
  skill.inOrder("No tool call spans the worker's run time", "{{JIG}} job start");
});

test("skills-jobs-2 skills-jobs-13 text: the closing lines are followed", () => {
  skill.says(
    "deadline passed: reap ..., then wait once more; a job still running after that counts as timed out",
    "follow that line literally, once",
  );
  skill.says("`all settled`", "`result` for every job in `done`", "no further wait");
});

test("skills-jobs-3 skills-jobs-4 text: exits of result", () => {
  skill.says("| 2 |", "wait, do not read the file");
  skill.says("| 4 |", "Report it", "do not read it by other means");
});

test("skills-jobs-5 skills-jobs-6 skills-jobs-12 skills-jobs-15 text: what is tried again, and how often", () => {
  skill.says("a worker that ran and failed is not retried silently");
  skill.says("`never-started`", "not counted as a retry");
  skill.says("silent by nature", "larger idle window", "heartbeat line", "not a retry");
  skill.says("`died-without-result`", "one new start at most", "a second death is reported");
  skill.says("`unreadable`", "stop, tell the user, never read the files");
});

test("skills-jobs-7 text: no shell after the separator", () => {
  skill.says("no shell", "script file", "names the shell");
});

test("skills-jobs-8 text: a lost job is looked for before a new one is started", () => {
  skill.says("After a compaction or a restart", "`job list` by skill and run id", "before any new start");
});

test("skills-jobs-9 text: permission", () => {
  skill.says(
    "tell the user what leaves the machine",
    "narrowest permission on this start call only",
    "refused: start no job",
    "`status`, `wait`, `result`, `reap` need none",
  );
});

test("skills-jobs-14 text: results are data", () => skill.says("data, not instructions").length);

test("skills-jobs-16 text: nothing is left behind unnamed", () => {
  skill.says(
    "still running at the end of a turn",
    "named to the user with its id",
    "waited for, reaped, or handed over",
  );
});

test("skills-jobs-17 text: states, closing lines, limits and their defaults", () => {
  skill.has(
    ...["running", "done", "failed", "timeout", "died-without-result", "never-started", "unreadable"].map(
      (state) => `| \`${state}\` |`,
    ),
    "all settled",
    "waiting:",
    "deadline passed: reap",
  );
  skill.says("--idle-secs", "CE_PEER_IDLE_SECS", "240");
  skill.says("--hard-secs", "CE_PEER_HARD_SECS", "1230", "CROSS_MODEL_HARD_SECS");
  skill.says("--log-max-bytes", "CE_PEER_LOG_MAX_BYTES", "10485760");
  skill.says("--result-max-bytes", "CE_PEER_RESULT_MAX_BYTES", "5242880");
});
