/** A value of the right type for each placeholder a command line may hold, so that the line can be parsed. */
export const SAMPLES: Readonly<Record<string, string>> = {
  "abs-path": process.platform === "win32" ? "C:/work/a.md" : "/work/a.md",
  arg: "one",
  "carrier-token": "brainstorm_model:opus",
  file: "SKILL.md",
  format: "md",
  "fresh-run-id": "run-2",
  "job-id": "20260731T101502Z-9f3ac01b",
  label: "peer",
  model: "opus",
  n: "3",
  "pack-id": "house",
  "phase-id": "design",
  program: "true",
  "prompt-file": process.platform === "win32" ? "C:/work/prompt.md" : "/work/prompt.md",
  "result-path": process.platform === "win32" ? "C:/work/result.json" : "/work/result.json",
  "run-id": "run-1",
  secs: "30",
  "skill-token": "ce-brainstorm",
  slug: "mute-alerts",
  "task-relpath": "design-docs/mute-alerts",
  text: "some words",
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
