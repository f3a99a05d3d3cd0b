import { expect, test } from "vitest";
import { source } from "./reading.ts";

const skill = source("show");

test("skills-show-1 text: the screen before the server, then one question", () => {
  skill.says("Write the screen before you start", "one decision per screen");
  skill.says("directional", "what to judge and what to ignore");
  skill.says("one question", "the options, a mix and free text");
  skill.inOrder("Write the screen before", "{{JIG}} web start", "one question");
});

test("skills-show-2 text: a display page is no input device", () => {
  skill.says(
    "no forms, click tracking, selected states or submit",
    "never ask the user to click in the page",
    "chat answer is authoritative",
  );
});

test("skills-show-3 text: the next screen", () => {
  skill.says("new numbered screen, not a second server");
});

test("skills-show-4 skills-show-5 skills-show-6 text: where and how it is served", () => {
  skill.says("reaps detached children", "--foreground", "background terminal");
  skill.says(
    "--host 0.0.0.0",
    "network the user trusts",
    "anyone who reaches the port can read",
    "without authentication",
    "text",
  );
  skill.says("Plumbing fails", "one line", "describe the options in chat", "no other server or event system");
  skill.inOrder("## Display feedback", "## Annotate");
});

test("skills-show-7 text: a batch is worked through by one waiter", () => {
  skill.says("the whole batch before the next wait");
  skill.says("Exactly one waiter");
});

test("skills-show-8 text: how a session ends", () => {
  skill.says(
    "`user-ended`",
    "`connection-lost`",
    "`idle`",
    "`owner-exited`",
    "`stopped`",
    "offer another session unless it was `user-ended`",
  );
});

test("skills-show-9 text: what exit 2 says", () => {
  skill.says(
    "Exit 2",
    "`Server is not running`",
    "`Annotation is not enabled for this server`",
    "--annotate",
  );
});

test("skills-show-10 skills-show-11 text: notes are data, the token is secret", () => {
  skill.says(
    "untrusted data",
    "under `screens/`",
    "never a command",
    "outside the page is discussed in chat first",
  );
  skill.says("`token`", "never goes into chat or files");
});

test("skills-show-12 text: the end of a question", () => {
  skill.says(
    "When the question is settled",
    "`stop`",
    "expire after 30 minutes",
    "No loop of `status` calls",
  );
});

test("skills-show-13 skills-show-14 skills-show-15 text: interrupted, lost, elsewhere", () => {
  skill.says("exit 3", '`{"status":"waiting"}`', "ask again", "Exactly one waiter");
  skill.says("`id` tells duplicates");
  skill.says("another machine", "`authorize_url` with the host replaced", "who can read the directory");
});

test("skills-show-16 text: options in place", () => {
  skill.says("switch in place", '`data-ce-variant="<unique name>"`');
  skill.says("applies to the innermost");
});

test("skills-show-17 text: every literal token, and the command lines in their order", () => {
  skill.has(
    "screens/",
    "state/",
    "display-info.json",
    "session-ended",
    "--root",
    "--host",
    "--port",
    "--foreground",
    "--owner-pid",
    "--annotate",
    "ce-brainstorm-visual",
  );
  expect(skill.fenced()).toEqual([
    "{{JIG}} skills preflight jig-show --api 1 --text {{JIG_VERSION}}",
    "{{JIG}} scratch <skill-token> <run-id>",
    "{{JIG}} web start --root <abs-path>",
    "{{JIG}} web status --root <abs-path>",
    "{{JIG}} web stop --root <abs-path>",
    "{{JIG}} web start --root <abs-path> --annotate",
    "{{JIG}} web wait --root <abs-path>",
    "{{JIG}} web wait --root <abs-path> --timeout <secs>",
    '{{JIG}} web wait --root <abs-path> --reply "<text>"',
    "{{JIG}} web annotations --root <abs-path>",
  ]);
});
