/** The texts of denials; callers match the quoted parts (docs/spec/flow.md 15.3). */

export type ViolationName =
  | "bash-write-protected-path"
  | "worktree-confinement"
  | "skill-ledger-write"
  | "reliability-gates-write"
  | "skill-promotion-path"
  | "memory-write";

/** What a call would do that it may not. */
export interface Violation {
  name: ViolationName;
  path: string;
}

export type Tool = "edit" | "bash";

const EXPLANATIONS: Readonly<Record<ViolationName, string>> = {
  "bash-write-protected-path":
    "Memory files, the finalize permit and workflow artifacts are not written by a command: `jig flow memory add` and `jig flow memory finalize` write memory, `jig flow set` and `jig flow phase` an artifact.",
  "worktree-confinement":
    "The target is outside the session's working directory, the worktree_path of the live workflow and the files it may write by name. If the user wants this write, let them run it manually outside the agent session.",
  "skill-ledger-write":
    "The skill-candidate ledger and the proposals beside it are written by their own tools alone.",
  "reliability-gates-write": "The reliability gates are written by their own tool alone.",
  "skill-promotion-path":
    "This skill is a proposal that is not decided yet: craftflow_skill_promote.py puts it in place when the user has approved it, craftflow_skill_propose.py changes the proposal.",
  "memory-write":
    "Use `jig flow memory add` between gates; `jig flow memory finalize` writes the rest and sets the permit itself.",
};

const PROMOTION_BY_BASH = "A Bash redirect or copy to it is held back as an edit is.";

/** Most reasons that are listed: a command may have thousands. */
const MOST_LISTED = 50;

const ESCALATED =
  " ESCALATED: this target was denied before in this session. STOP, do not try another way to write it, and ask the user how to go on.";

/** Why a write is denied: the reasons, and what each of them means. */
export function denialText(tool: Tool, violations: readonly Violation[], repeated: boolean): string {
  const memory = tool === "edit" ? violations.filter(({ name }) => name === "memory-write") : [];
  const others = violations.filter((one) => !memory.includes(one));
  const sentences: string[] = [];
  if (others.length > 0) sentences.push(sentence(HEADS[tool], others, tool));
  if (memory.length > 0) sentences.push(sentence(MEMORY_HEAD, memory, tool));
  return sentences.join(" ") + (repeated ? ESCALATED : "");
}

const HEADS: Readonly<Record<Tool, string>> = {
  edit: "CRAFTFLOW plugin hook blocked an Edit/Write target",
  bash: "CRAFTFLOW plugin hook blocked a Bash write to a protected path",
};
const MEMORY_HEAD = "CRAFTFLOW plugin hook blocked a direct state memory markdown write";

function sentence(head: string, violations: readonly Violation[], tool: Tool): string {
  const names = new Set(violations.map(({ name }) => name));
  const explanations = [...names].map((name) => EXPLANATIONS[name]);
  if (tool === "bash" && names.has("skill-promotion-path")) explanations.push(PROMOTION_BY_BASH);
  return `${head} (reason: ${reasonList(violations)}). ${explanations.join(" ")}`;
}

/** `name:path, name:path`, as texts and log have it. */
export function reasonList(violations: readonly Violation[]): string {
  const listed = violations.slice(0, MOST_LISTED).map(({ name, path }) => `${name}:${path}`);
  if (violations.length > MOST_LISTED) listed.push(`and ${violations.length - MOST_LISTED} more`);
  return listed.join(", ");
}

/** What to run instead of reading a large state file whole. */
export function readText(jig: string, path: string): string {
  const command = `"${quotable(jig)}" flow query "${quotable(path)}"`;
  return `CRAFTFLOW plugin hook redirected an oversized Read of a .craftflow/state file (over 50000 bytes). Run this instead: ${command} --mode summary, or for the whole content ${command} --mode full (upstream's craftflow_state_query.py).`;
}

/** A path as it stands between double quotes of a shell. */
function quotable(path: string): string {
  let text = "";
  for (const character of path) text += '"$`\\'.includes(character) ? `\\${character}` : character;
  return text;
}
