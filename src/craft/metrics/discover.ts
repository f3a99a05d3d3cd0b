import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isInside, realOrPlain } from "../../kernel/files/contain.ts";
import { isRealDirectory } from "../../kernel/files/look.ts";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { parseObject } from "../../kernel/text/json.ts";

/** A sub-agent's transcript with the phase its role belongs to; undefined when it belongs to none. */
export interface AgentTranscript {
  path: string;
  session: string;
  role: string | undefined;
}

/** The transcripts of a project directory. */
export interface Transcripts {
  main: { path: string; session: string }[];
  agents: AgentTranscript[];
  /** Refused because they lead out of the directory. */
  refused: number;
}

const PHASE_OF: ReadonlyMap<string, string> = new Map([
  ["designer", "design"],
  ["planner", "planning"],
  ["part-implementer", "implementation"],
  ["reviewer", "review"],
  ["harness-triager", "validation"],
  ["validation-triager", "validation"],
  ["docs-writer", "documentation"],
  ["backlog-ticker", "documentation"],
  ["requirements-writer", "requirements"],
  ["refactor-executor", "refactoring"],
  ["impact-triager", "impact-triage"],
]);

/** The phase of a role; undefined for a role nobody knows. */
export function phaseOfRole(role: string | undefined): string | undefined {
  return role === undefined ? undefined : PHASE_OF.get(role);
}

/** Where a host keeps the transcripts of all projects; undefined without a home. */
export function projectsRoot(host: Host): string | undefined {
  const config = host.env["CLAUDE_CONFIG_DIR"];
  if (config !== undefined && config !== "") return join(config, "projects");
  return host.home === undefined ? undefined : join(host.home, ".claude", "projects");
}

/** The directory of the working directory's transcripts; undefined when there is none (docs/spec/craft-run.md 9.2). */
export function projectDirectory(host: Host, root: string, session: string | undefined): string | undefined {
  const cwd = host.cwd;
  const spellings = [cwd.replaceAll(/[/\\.]/g, "-"), cwd.replaceAll(/[^A-Za-z0-9]/g, "-")];
  for (const name of spellings) if (isRealDirectory(join(root, name))) return join(root, name);
  if (session === undefined || session === "") return undefined;
  const holding = namesIn(root).filter((name) => namesIn(join(root, name)).includes(`${session}.jsonl`));
  return holding.length === 1 ? join(root, holding[0]!) : undefined;
}

/** All transcripts of a directory, those of one session where one is named; no other directory is entered. */
export function findTranscripts(directory: string, session: string | undefined): Transcripts {
  const real = realOrPlain(directory);
  const found: Transcripts = { main: [], agents: [], refused: 0 };
  const wanted = (name: string) => session === undefined || session === "" || name === session;
  const contained = (path: string) => {
    const fine =
      !(lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false) &&
      isInside(real, realOrPlain(path));
    if (!fine) found.refused++;
    return fine;
  };
  for (const name of namesIn(directory)) {
    if (name.endsWith(".jsonl")) {
      const id = basename(name, ".jsonl");
      if (wanted(id) && contained(join(directory, name)))
        found.main.push({ path: join(directory, name), session: id });
      continue;
    }
    const agents = join(directory, name, "subagents");
    if (!wanted(name) || !isRealDirectory(agents) || !contained(join(directory, name)) || !contained(agents))
      continue;
    for (const file of namesIn(agents)) {
      if (!/^agent-.*\.jsonl$/.test(file)) continue;
      const path = join(agents, file);
      if (!contained(path)) continue;
      found.agents.push({ path, session: name, role: roleOf(path.replace(/\.jsonl$/, ".meta.json")) });
    }
  }
  return found;
}

/** The role of an agent, from its sidecar alone. */
function roleOf(sidecar: string): string | undefined {
  let text: string;
  try {
    text = readOwnedText(sidecar, { uid: undefined, maxBytes: 1 << 20 });
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
  const type = parseObject(text)?.["agentType"];
  if (typeof type !== "string" || !/^[A-Za-z][A-Za-z0-9:_-]{0,63}$/.test(type)) return undefined;
  return type.replace(/^craft:/, "");
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    // Absent, or out of reach: nothing is found there.
    return [];
  }
}
