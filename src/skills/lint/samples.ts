function absolute(name: string): string {
  return process.platform === "win32" ? `C:/work/${name}` : `/work/${name}`;
}

/** A value of the right type for each placeholder a command line may hold, so that the line can be parsed. */
export const SAMPLES: Readonly<Record<string, string>> = {
  "abs-path": absolute("a.md"),
  action: "push",
  arg: "one",
  assignment: "review.passes=2",
  "carrier-token": "brainstorm_model:opus",
  "dod-path": absolute("DOD.md"),
  "event-name": "note",
  file: "SKILL.md",
  format: "md",
  "fresh-id": "run-3",
  "fresh-run-id": "run-2",
  "gate-id": "clarification",
  "green-ids": "implementation,validation",
  id: "CRAFT-12",
  iso8601: "2026-01-31T09:30:00Z",
  "job-id": "20260731T101502Z-9f3ac01b",
  label: "peer",
  "lessons-dir": "docs/lessons/",
  "main-repo-dir": absolute("repo"),
  "manifest-path": absolute("workflow.md"),
  model: "opus",
  n: "3",
  name: "night",
  "pack-id": "house",
  path: "plan_mode",
  "phase-id": "design",
  "plan-path": absolute("plan.md"),
  program: "true",
  "prompt-file": absolute("prompt.md"),
  "repo-root": absolute("repo"),
  "result-path": absolute("result.json"),
  role: "code-reviewer",
  "run-id": "run-1",
  "script-path": absolute("setup"),
  secs: "30",
  "session-id": "session-1",
  "skill-token": "ce-brainstorm",
  slug: "mute-alerts",
  "task-relpath": "design-docs/mute-alerts",
  text: "some words",
  tier: "sonnet",
  "tool-name": "create",
  type: "feat",
  url: "http://localhost:8080",
  "workflow-id": "wf-1",
};

/** A line with its placeholders filled, and the names that the table does not know. */
export function fillPlaceholders(line: string): { text: string; unknown: string[] } {
  const unknown: string[] = [];
  const text = line.replaceAll(/<([a-z][a-z0-9-]*)>/g, (_, name: string) => {
    if (!Object.hasOwn(SAMPLES, name)) unknown.push(name);
    const sample = SAMPLES[name] ?? "x";
    return isInsideQuotes(line, `<${name}>`) || !/\s/.test(sample) ? sample : `"${sample}"`;
  });
  return { text, unknown };
}

function isInsideQuotes(line: string, part: string): boolean {
  return (line.slice(0, line.indexOf(part)).match(/"/g)?.length ?? 0) % 2 === 1;
}
