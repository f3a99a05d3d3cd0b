import { type Brief, literals, order, passage } from "../promises.ts";

/** docs/spec/skills/jobs.md */
const brief: Brief = {
  references: {},
  promises: [
    order(1, "SKILL.md", "No tool call spans the worker's run time", "{{JIG}} job start"),
    passage(
      [2, 13],
      "SKILL.md",
      "`deadline passed: reap ..., then wait once more; a job still running after that counts as timed out` follow literally once",
    ),
    passage([2, 13], "SKILL.md", "`all settled` `result` `done` further"),
    passage([3, 4], "SKILL.md", "2 still running wait read file"),
    passage([3, 4], "SKILL.md", "4 refused report read other means"),
    passage([5, 6, 12, 15], "SKILL.md", "`failed` worker ran retried silently"),
    passage([5, 6, 12, 15], "SKILL.md", "`never-started` counted retry"),
    passage([5, 6, 12, 15], "SKILL.md", "silent nature larger window heartbeat retry"),
    passage([5, 6, 12, 15], "SKILL.md", "`died-without-result` start second death reported"),
    passage([5, 6, 12, 15], "SKILL.md", "`unreadable` never files"),
    passage(7, "SKILL.md", "shell script names shell"),
    passage(8, "SKILL.md", "compaction restart `job list` skill start"),
    passage(
      9,
      "SKILL.md",
      "leaves machine narrowest permission start refused start `status` `wait` `result` `reap`",
    ),
    passage(14, "SKILL.md", "result data instructions"),
    passage(16, "SKILL.md", "still running named waited reaped handed"),
    literals(
      17,
      "SKILL.md",
      "| `running` |",
      "| `done` |",
      "| `failed` |",
      "| `timeout` |",
      "| `died-without-result` |",
      "| `never-started` |",
      "| `unreadable` |",
      "all settled",
      "waiting:",
      "deadline passed: reap",
    ),
    passage(17, "SKILL.md", "`--idle-secs` `CE_PEER_IDLE_SECS` 240"),
    passage(17, "SKILL.md", "`--hard-secs` `CE_PEER_HARD_SECS` 1230 `CROSS_MODEL_HARD_SECS`"),
    passage(17, "SKILL.md", "`--log-max-bytes` `CE_PEER_LOG_MAX_BYTES` 10485760"),
    passage(17, "SKILL.md", "`--result-max-bytes` `CE_PEER_RESULT_MAX_BYTES` 5242880"),
  ],
};

export default brief;
