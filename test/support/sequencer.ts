import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files first, so that none of them is left to run alone at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((part) => moduleId.replaceAll("\\", "/").includes(part));
      return at < 0 ? LONG.length : at;
    };
    return files.sort((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

const LONG = [
  "test/browser/session",
  "test/browser/notes",
  "test/plan/limits",
  "test/browser/",
  "test/web/streams",
  "test/web/long", // little work, 20 seconds of waiting
  "test/job/engine/slurm-", // half a minute of waiting each
  "test/job/fault",
  "test/skills/cli",
  "test/cli/build",
  "test/web/agent-loop",
  "test/plan/reserve",
  "test/job/supervise",
  "test/skills/",
  "test/craft/",
  "test/packs/",
  "test/cli/",
];
