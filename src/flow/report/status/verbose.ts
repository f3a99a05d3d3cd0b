/** The longer half of a status: phases, agents, quality, events, memory (docs/spec/flow.md 14). */
import { join } from "node:path";
import { JigError } from "../../../kernel/call/errors.ts";
import { isRegularFile } from "../../../kernel/files/look.ts";
import { printable } from "../../../kernel/text/printable.ts";
import { readEvents } from "../../artifact/events.ts";
import { type Artifact, mapAt, textAt } from "../../artifact/read.ts";
import type { Layout } from "../../common/layout.ts";
import { type JsonMap, type JsonValue, LosslessNumber, writeLossless } from "../../common/lossless-json.ts";
import { sectionBody } from "../../common/sections.ts";
import { MAX_MEMORY_BYTES, readStateText } from "../../common/state-file.ts";
import { type Looked, oneLine } from "./look.ts";
import { type Phase, plannedPhases, recordedPhases } from "./phases.ts";
import { eventText } from "./report.ts";

const SHOWN_CRITERIA = 2;
const CRITERION_CHARACTERS = 90;
const TIMELINE_EVENTS = 12;
const NARRATIVE_BULLETS = 8;
const LINE_CHARACTERS = 120;

/** The agents of each type of workflow, in their order. */
const CHAINS: Readonly<Record<string, string>> = {
  BUILD: "builder reviewer hunter verifier doc_syncer memory_finalize",
  DEBUG: "investigator reviewer verifier memory_finalize",
  REVIEW: "reviewer memory_finalize",
  PLAN: "planner planning_reviewer memory_finalize",
};

/** What events call the agents beside their own keys. */
const AGENT_NAMES: Readonly<Record<string, readonly string[]>> = {
  builder: ["component-builder"],
  investigator: ["bug-investigator"],
  reviewer: ["code-reviewer"],
  hunter: ["silent-failure-hunter"],
  verifier: ["integration-verifier"],
  doc_syncer: ["doc-syncer"],
  planning_reviewer: ["planning-reviewer", "plan-gap-reviewer"],
};

const TASKS: Readonly<Record<string, readonly string[]>> = {
  planner: ["planner_replan", "planner_create"],
  planning_reviewer: ["planning_review_pass2", "planning_review_pass1"],
};

const NARRATIVE: readonly (readonly [file: string, sections: readonly string[]])[] = [
  ["activeContext.md", ["Current Focus", "Learnings"]],
  ["progress.md", ["Current Workflow", "Tasks", "Completed", "Verification"]],
];

/** The sections below the short report. */
export function verboseLines(layout: Layout, { artifact, id }: Looked): string[] {
  const { events, malformed } = readEvents(layout, id);
  const sections: [string, string[]][] = [
    ["Phases", phaseLines(artifact)],
    ["Agent Chain", chainLines(artifact, events)],
    ["Quality", [...mapAt(artifact, "quality")].map(([key, value]) => `${key}: ${valueText(value)}`)],
    ["Event Timeline", timeline(events, malformed)],
    ["Narrative", narrative(layout, id)],
  ];
  return sections
    .flatMap(([title, lines]) => [
      "",
      title,
      ...(lines.length === 0 ? ["—"] : lines).map((line) => `  ${line}`),
    ])
    .map(printable);
}

function phaseLines(artifact: Artifact): string[] {
  const planned = plannedPhases(artifact);
  return (planned.length > 0 ? planned : recordedPhases(artifact)).flatMap((phase) => {
    const { planned: entry, symbol, id, status } = phase;
    const title = entry?.get("title");
    const name = typeof title === "string" ? `${id}  ${oneLine(title, LINE_CHARACTERS)}` : id;
    return [`${symbol} ${name}  (${status})`, ...criteria(phase).map((text) => `    - ${text}`)];
  });
}

function criteria({ planned }: Phase): string[] {
  const all = planned?.get("exit_criteria");
  if (!Array.isArray(all)) return [];
  return all.slice(0, SHOWN_CRITERIA).map((one) => oneLine(valueText(one), CRITERION_CHARACTERS));
}

function chainLines(artifact: Artifact, events: readonly JsonMap[]): string[] {
  const chain = CHAINS[textAt(artifact, "workflow_type") ?? ""];
  return (chain?.split(" ") ?? []).map((agent) => `${agent}: ${agentState(artifact, events, agent)}`);
}

/** From what the agent returned, else its last event, else its task. */
function agentState(artifact: Artifact, events: readonly JsonMap[], agent: string): string {
  const result = mapAt(artifact, "results").get(agent);
  if (result instanceof Map) return resultText(result);
  if (typeof result === "string" && result !== "") return oneLine(result, LINE_CHARACTERS);
  const names = [agent, ...(AGENT_NAMES[agent] ?? [])];
  const ended = events.findLast((event) => {
    if (agent === "memory_finalize") return event.get("event") === "memory_finalized";
    return (
      event.get("event") === "agent_completed" &&
      names.includes(String(event.get("agent")).replace(/^\w+:/, ""))
    );
  });
  if (ended !== undefined) return eventText(ended);
  const tasks = mapAt(artifact, "task_ids");
  const task = [agent, ...(TASKS[agent] ?? [])]
    .map((key) => tasks.get(key))
    .find((one) => typeof one === "string");
  return typeof task === "string" && task !== "" ? `task ${oneLine(task, LINE_CHARACTERS)}` : "pending";
}

function resultText(result: JsonMap): string {
  const first = (...keys: string[]) => {
    const found = keys.map((key) => result.get(key)).find((value) => value !== undefined && value !== null);
    return found === undefined ? "" : oneLine(valueText(found), LINE_CHARACTERS);
  };
  const confidence = first("confidence", "CONFIDENCE");
  const parts = [first("status", "STATUS") || "returned", confidence === "" ? "" : `conf ${confidence}`];
  return [...parts, first("summary", "SUMMARY")].filter((part) => part !== "").join(" · ");
}

function timeline(events: readonly JsonMap[], malformed: number): string[] {
  const lines = events.slice(-TIMELINE_EVENTS).map((event) => {
    const at = event.get("ts");
    return `${typeof at === "string" ? oneLine(at, LINE_CHARACTERS) : "?"}  ${eventText(event)}`;
  });
  if (malformed > 0) lines.push(`(${malformed} malformed lines)`);
  return lines;
}

/** The newest bullets of the workflow's own memory. */
function narrative(layout: Layout, wf: string): string[] {
  return NARRATIVE.flatMap(([file, sections]) => {
    const text = memoryText(layout, join(layout.memory(wf), file));
    return sections.flatMap((section) => {
      const bullets = (sectionBody(text, section) ?? "")
        .split("\n")
        .filter((line) => line.trimStart().startsWith("- "))
        .slice(-NARRATIVE_BULLETS);
      return bullets.length === 0
        ? []
        : [section, ...bullets.map((line) => `  ${oneLine(line, LINE_CHARACTERS)}`)];
    });
  });
}

function memoryText(layout: Layout, path: string): string {
  if (!isRegularFile(path)) return "";
  try {
    return readStateText(layout.root, path, MAX_MEMORY_BYTES);
  } catch (error) {
    if (!(error instanceof JigError)) throw error;
    return `## Current Focus\n- ${error.message}\n`;
  }
}

function valueText(value: JsonValue): string {
  if (typeof value === "string") return value;
  return value instanceof LosslessNumber ? value.text : writeLossless(value);
}
