/** What a workflow is called after (docs/spec/flow.md 3): its branch when that says something, else the request. */

const LONGEST = 32;
const MOST_WORDS = 6;

/** Words that say nothing of what is wanted. */
const STOP_WORDS = new Set(
  (
    "the a an to for of in on and or with please can you i my we it that this its add let make create implement build " +
    "update fix change do"
  ).split(" "),
);

/** Branches that everybody has. */
const COMMON_BRANCHES = new Set(["head", "main", "master", "develop", "dev", "trunk"]);

/** Branches that a workflow made for itself. */
const OWN_BRANCHES = ["wf-", "worktree-wf-", "worktree-"];

const BRANCH_KINDS = [
  "feature/",
  "feat/",
  "bugfix/",
  "fix/",
  "hotfix/",
  "release/",
  "chore/",
  "refactor/",
  "task/",
  "issue/",
  "story/",
];

/** A text as `a-z0-9` words joined by hyphens, at most 32 characters; `task` when nothing is left. */
export function slugOf(text: string): string {
  const words = text
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .split(/[\s_/-]+/)
    .filter((word) => word !== "" && !STOP_WORDS.has(word))
    .slice(0, MOST_WORDS);
  const hyphenated = words.map((word) => word.replaceAll(/[^a-z0-9]+/g, "-")).join("-");
  const trimmed = hyphenated.replaceAll(/-{2,}/g, "-").replace(/^-/, "").slice(0, LONGEST).replace(/-$/, "");
  return trimmed === "" ? "task" : trimmed;
}

/** The text a workflow's slug is made of. */
export function slugSource(branch: string | undefined, request: string): string {
  if (branch === undefined || branch === "") return request;
  const lower = branch.toLowerCase();
  if (COMMON_BRANCHES.has(lower) || OWN_BRANCHES.some((own) => lower.startsWith(own))) return request;
  const kind = BRANCH_KINDS.find((one) => lower.startsWith(one));
  return kind === undefined ? branch : branch.slice(kind.length);
}
