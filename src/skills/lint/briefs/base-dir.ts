import { type Brief, literals, passage } from "../promises.ts";

/** docs/spec/skills/base-dir.md */
const brief: Brief = {
  references: {},
  promises: [
    passage(
      [2, 3, 4],
      "SKILL.md",
      "design documents trailing `/design-doc.md` leading `design-docs/` prepend `design-docs/`",
    ),
    passage([2, 3, 4], "SKILL.md", "research `/report.md` leading `researches/` prepend `researches/`"),
    passage([2, 3, 4], "SKILL.md", "absolute trailing stripped"),
    passage(
      [5, 6],
      "SKILL.md",
      "select directory output files first entry `candidates` recommended exactly stands `candidates` free text",
    ),
    literals([5, 6], "SKILL.md", "only on `needs-user-input`"),
    passage([5, 6], "SKILL.md", "relative answer joined working directory `record`"),
    passage([7, 13], "SKILL.md", "non-zero stderr never `/tmp`"),
    passage([7, 13], "SKILL.md", "ancestor found change repository retry"),
    passage([8, 12], "SKILL.md", "guard derived write visible source"),
    passage([8, 12], "SKILL.md", "leave `BASE:` never write `BASE: <unset>`"),
    passage([8, 12], "SKILL.md", "`unset` comes shared-root question substitute sentinel protocol"),
    passage(9, "SKILL.md", "`BASE:` once writes nowhere"),
    passage(9, "SKILL.md", "members never `base-dir resolve` `base-dir record`"),
    passage([10, 14, 15], "SKILL.md", "another directory report never delete unasked"),
    passage([10, 14, 15], "SKILL.md", "headless `needs-user-input` choose `record` `<unset>` report"),
    passage([10, 14, 15], "SKILL.md", "`tip:` ignore"),
    literals(
      11,
      "SKILL.md",
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
      "/prompts/<role>-<UTC-compact>.md",
    ),
  ],
};

export default brief;
