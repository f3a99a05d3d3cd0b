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
  "test/browser/annotating",
  "test/job/fault",
  "test/browser/",
  "test/web/agent-loop",
  "test/web/streams",
  "test/plan/reserve",
  "test/skills/",
  "test/cli/",
  "test/packs/git",
  "test/web/long",
];
