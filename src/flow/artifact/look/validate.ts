/** What is wrong with an artifact, judged without changing it (docs/spec/flow.md 4 and 6.2). */
import type { JsonValue } from "../../common/lossless-json.ts";
import { FIELDS, REQUIRED_FIELDS } from "../fields.ts";
import { problemsOf } from "../kinds.ts";
import { type Artifact, listAt, pendingGate } from "../read.ts";
import type { Finding } from "../schema.ts";

/** The findings of one artifact whose file is called after this id. */
export function validateArtifact(artifact: Artifact, id: string): Finding[] {
  return [
    ...missingFields(artifact),
    ...fieldFindings(artifact),
    ...identityFindings(artifact, id),
    ...historyFindings(artifact),
    ...cursorFindings(artifact),
  ];
}

const error = (path: string, message: string): Finding => ({ level: "error", path, message });
const warning = (path: string, message: string): Finding => ({ level: "warning", path, message });

function missingFields(artifact: Artifact): Finding[] {
  return REQUIRED_FIELDS.filter((name) => !artifact.has(name)).map((name) => error(name, "is missing"));
}

/** A value that is not among the known ones may be a newer tool's: it is kept, and only said. */
function fieldFindings(artifact: Artifact): Finding[] {
  return [...artifact].flatMap(([name, value]) => {
    if (!Object.hasOwn(FIELDS, name)) return [];
    return problemsOf(FIELDS[name]!.kind, value, name).map(({ path, what, message }) =>
      what === "enum" ? warning(path, message) : error(path, message),
    );
  });
}

function identityFindings(artifact: Artifact, id: string): Finding[] {
  const uuid = artifact.get("workflow_uuid");
  const alias = artifact.get("workflow_id");
  const findings: Finding[] = [];
  if (typeof uuid === "string" && uuid !== id) {
    findings.push(error("workflow_uuid", `is ${JSON.stringify(uuid)}, but the file is called ${id}.json`));
  }
  if (typeof uuid === "string" && typeof alias === "string" && alias !== uuid) {
    findings.push(
      error("workflow_id", `is ${JSON.stringify(alias)}, but workflow_uuid ${JSON.stringify(uuid)}`),
    );
  }
  return findings;
}

function historyFindings(artifact: Artifact): Finding[] {
  const history = listAt(artifact, "status_history");
  const findings: Finding[] = [];
  if (Array.isArray(artifact.get("status_history")) && eventOf(history[0]) !== "workflow_started") {
    findings.push(error("status_history", "does not begin with workflow_started"));
  }
  const gate = pendingGate(artifact);
  if (gate !== null && !history.some((entry) => eventOf(entry) === "gate_set")) {
    findings.push(warning("pending_gate", `${gate} is set, but the history has no gate_set`));
  }
  return findings;
}

function cursorFindings(artifact: Artifact): Finding[] {
  const cursor = artifact.get("phase_cursor");
  if (typeof cursor !== "string") return [];
  const isThere = listAt(artifact, "normalized_phases").some(
    (phase) => phase instanceof Map && phase.get("phase_id") === cursor,
  );
  return isThere
    ? []
    : [error("phase_cursor", `${JSON.stringify(cursor)} is no phase_id of normalized_phases`)];
}

function eventOf(entry: JsonValue | undefined): JsonValue | undefined {
  return entry instanceof Map ? entry.get("event") : undefined;
}
