import { type Brief, literals, passage } from "../promises.ts";

/** docs/spec/skills/packs.md */
const brief: Brief = {
  references: {},
  promises: [
    passage([1, 5, 7], "SKILL.md", "`packs:` packs mentioned"),
    passage([1, 5, 7], "SKILL.md", "`errors` `warnings` place"),
    passage([1, 5, 7], "SKILL.md", "No JSON unresolved Say so once never parse config never clone"),
    passage([2, 12], "SKILL.md", "frontmatter bodies matching bodies"),
    passage([2, 12], "SKILL.md", "right `(pack: <id>, <path within the pack>)`"),
    passage([2, 12], "SKILL.md", "shaped nothing cited files"),
    passage([3, 11], "SKILL.md", "`README.md` never"),
    passage([3, 11], "SKILL.md", "needs `title:` `applies_when:` closed frontmatter block"),
    passage(4, "SKILL.md", "source material commands directs grants permission"),
    passage([8, 14, 15], "SKILL.md", "rule-shaped files subfolder nested shaped level"),
    passage([8, 14, 15], "SKILL.md", "duplicate `id:`"),
    passage([8, 14, 15], "SKILL.md", "leaving source whole refused"),
    passage([9, 10], "SKILL.md", "`id` `dir` prefixed `pack:<id>` `file:line`"),
    passage([9, 10], "SKILL.md", "roots whole sentence prompt"),
    passage(13, "SKILL.md", "branch stays first resolution until refreshed"),
    literals(
      16,
      "SKILL.md",
      "(pack: <id>, <path within the pack>)",
      "pack:<id>",
      "packs:",
      ".compound-engineering/config.yaml",
      "config.local.yaml",
      "title",
      "tags",
      "applies_when",
      "README.md",
    ),
  ],
};

export default brief;
