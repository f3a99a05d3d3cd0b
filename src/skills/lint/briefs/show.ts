import { type Brief, literals, order, passage } from "../promises.ts";

/** docs/spec/skills/show.md */
const brief: Brief = {
  references: {},
  promises: [
    passage(1, "SKILL.md", "write screen start decision screen"),
    passage(1, "SKILL.md", "directional judge ignore"),
    passage(1, "SKILL.md", "question options"),
    order(1, "SKILL.md", "Write the screen before", "{{JIG}} web start", "one question"),
    passage(2, "SKILL.md", "forms click tracking selected states submit never click answer authoritative"),
    passage(3, "SKILL.md", "numbered screen second server"),
    passage([4, 5, 6], "SKILL.md", "reaps detached children foreground background terminal"),
    passage([4, 5, 6], "SKILL.md", "`0.0.0.0` network trusts anyone reaches without authentication text"),
    passage([4, 5, 6], "SKILL.md", "plumbing fails one line describe options server event system"),
    order([4, 5, 6], "SKILL.md", "## Display feedback", "## Annotate"),
    passage(7, "SKILL.md", "whole batch"),
    passage(7, "SKILL.md", "exactly waiter"),
    passage(
      8,
      "SKILL.md",
      "`user-ended` `connection-lost` `idle` `owner-exited` `stopped` offer another session unless `user-ended`",
    ),
    passage(
      9,
      "SKILL.md",
      "Exit 2 `Server is not running` `Annotation is not enabled for this server` annotate",
    ),
    passage([10, 11], "SKILL.md", "untrusted under `screens/` never command outside discussed first"),
    passage([10, 11], "SKILL.md", "`token` never files"),
    passage(12, "SKILL.md", "question settled `stop` expire 30 minutes `status` calls"),
    passage([13, 14, 15], "SKILL.md", 'exit 3 `{"status":"waiting"}` again exactly waiter'),
    passage([13, 14, 15], "SKILL.md", "`id` tells duplicates"),
    passage([13, 14, 15], "SKILL.md", "another machine `authorize_url` replaced directory"),
    passage(16, "SKILL.md", 'switch place `data-ce-variant="<unique name>"`'),
    passage(16, "SKILL.md", "applies innermost"),
    literals(
      17,
      "SKILL.md",
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
    ),
  ],
};

export default brief;
