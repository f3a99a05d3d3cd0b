import { expect, test } from "vitest";
import { source } from "./reading.ts";

const skill = source("base-dir");

/** The variable as the text writes it. */
const BASE = "$" + "{BASE}";

test("skills-base-dir-1 text: the command lines in their order", () => {
  expect(skill.fenced()).toEqual([
    "{{JIG}} skills preflight jig-base-dir --api 1 --text {{JIG_VERSION}}",
    "{{JIG}} base-dir resolve <task-relpath> --json",
    "{{JIG}} base-dir resolve --json",
    "{{JIG}} base-dir record --base <abs-path> --source askuserquestion",
  ]);
});

test("skills-base-dir-2 skills-base-dir-3 skills-base-dir-4 text: how each consumer makes its path canonical", () => {
  skill.says(
    "design documents",
    "drop a trailing `/design-doc.md`; drop a leading `design-docs/`; prepend `design-docs/`",
  );
  skill.says("research", "`/report.md`", "drop a leading `researches/`; prepend `researches/`");
  skill.says("absolute path only the trailing file is stripped");
});

test("skills-base-dir-5 skills-base-dir-6 text: the question and its three choices", () => {
  const question = skill.says(
    "Select the base directory for output files:",
    "first entry of `candidates` (recommended",
    "exactly as it stands in `candidates`",
    "free text",
  );
  expect(question.indexOf("recommended")).toBeLessThan(question.indexOf("exactly as it stands"));
  expect(question.indexOf("exactly as it stands")).toBeLessThan(question.lastIndexOf("free text"));
  skill.has("only on `needs-user-input`");
  skill.says("relative answer is joined to the working directory before `record`");
});

test("skills-base-dir-7 skills-base-dir-13 text: a failure is shown and stops; one is tried again", () => {
  skill.says("non-zero exit", "show stderr and stop", "never fall back to `/tmp`");
  skill.says("no .git ancestor found", "change to the repository root, retry once, then stop");
});

test("skills-base-dir-8 skills-base-dir-12 text: the sentinel", () => {
  skill.says("Guard each derived write", "visible in the source");
  skill.says("Leave the `BASE:` line out", "never write `BASE: <unset>`");
  skill.says(
    "`unset`",
    "Comes only from the task form",
    "the shared-root question is no substitute for it",
    "sentinel protocol",
  );
});

test("skills-base-dir-9 text: a member without a BASE line", () => {
  const line = skill.text.split("\n").find((candidate) => candidate.includes("audit-disabled"))!;
  expect(line).toContain("exactly `audit-disabled no BASE in spawn prompt`");
  expect(line).not.toMatch(/[()]/);
  skill.says("no `BASE:` line", "once", "writes nowhere else");
  skill.says("members", "never run `base-dir resolve` or `base-dir record`");
});

test("skills-base-dir-10 skills-base-dir-14 skills-base-dir-15 text: what is reported and left alone", () => {
  skill.says("another directory", "Report it", "never delete it unasked");
  skill.says(
    "Headless run with `needs-user-input`",
    "do not ask, choose or `record`",
    `\`${BASE}\` is \`<unset>\``,
    "one line of the report",
  );
  skill.says("`tip:`", "pass it on once", "edit no ignore file");
});

test("skills-base-dir-11 text: every literal token", () => {
  skill.has(
    "<unset>",
    "Error: BASE is <unset>; refusing to fall back to /tmp",
    "audit-disabled no BASE in spawn prompt",
    "BASE:",
    ".cafleet-base-dir.json",
    "`resolved`",
    "`needs-user-input`",
    "`unset`",
    "`cwd-inference`",
    "`anchor`",
    "`task-scope`",
    "`askuserquestion`",
    "`absolute-path-arg`",
    `${BASE}/prompts/<role>-<UTC-compact>.md`,
  );
});
