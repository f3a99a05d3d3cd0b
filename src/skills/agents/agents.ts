import { isAbsolute, join } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { homeOf } from "./home.ts";

/**
 * Where agents look for skills (docs/spec/skills.md section 5, facts as documented in 2026). `~` is the home directory,
 * `$CLAUDE`, `$CODEX` and `$CONFIG` stand for `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `XDG_CONFIG_HOME` with their
 * defaults; a path with none of them is below the repository root.
 */
interface Row {
  product: string;
  user: string;
  project: string;
  /** Other directories it is known to scan: an install there covers it. */
  alsoReads?: readonly string[];
  /** Directories only some builds scan, or only some pages name: enough for a note about duplicates. */
  mayRead?: readonly string[];
  /** The directory whose presence says that the agent is used here; without it, only by name. */
  detect?: string;
  /** Front-matter keys beyond the plain ones that it documents. */
  extras?: readonly ("argument-hint" | "allowed-tools")[];
}

const TABLE = {
  claude: {
    product: "Claude Code",
    user: "$CLAUDE/skills",
    project: ".claude/skills",
    detect: "$CLAUDE",
    extras: ["argument-hint", "allowed-tools"],
  },
  codex: {
    product: "OpenAI Codex",
    user: "~/.agents/skills",
    project: ".agents/skills",
    alsoReads: ["/etc/codex/skills"],
    mayRead: ["$CODEX/skills"],
    detect: "$CODEX",
  },
  "codex-home": {
    product: "Codex builds that read only their own home",
    user: "$CODEX/skills",
    project: ".codex/skills",
  },
  cursor: {
    product: "Cursor",
    user: "~/.cursor/skills",
    project: ".cursor/skills",
    alsoReads: [
      ".agents/skills",
      "~/.agents/skills",
      ".claude/skills",
      ".codex/skills",
      "~/.claude/skills",
      "~/.codex/skills",
    ],
    detect: "~/.cursor",
  },
  opencode: {
    product: "opencode",
    user: "$CONFIG/opencode/skills",
    project: ".opencode/skills",
    alsoReads: ["~/.claude/skills", "~/.agents/skills", ".claude/skills", ".agents/skills"],
    detect: "$CONFIG/opencode",
  },
  gemini: {
    product: "Gemini CLI",
    user: "~/.gemini/skills",
    project: ".gemini/skills",
    alsoReads: ["~/.agents/skills", ".agents/skills"],
    detect: "~/.gemini",
  },
  copilot: {
    product: "GitHub Copilot",
    user: "~/.copilot/skills",
    project: ".github/skills",
    alsoReads: [".claude/skills", ".agents/skills", "~/.agents/skills"],
    mayRead: ["~/.claude/skills"],
    detect: "~/.copilot",
    extras: ["argument-hint"],
  },
  goose: {
    product: "goose",
    user: "$CONFIG/goose/skills",
    project: ".goose/skills",
    alsoReads: ["~/.claude/skills", "~/.config/agents/skills", ".claude/skills", ".agents/skills"],
    detect: "$CONFIG/goose",
  },
  amp: {
    product: "Amp",
    user: "$CONFIG/agents/skills",
    project: ".agents/skills",
    detect: "$CONFIG/amp",
  },
  windsurf: {
    product: "Windsurf",
    user: "~/.codeium/windsurf/skills",
    project: ".windsurf/skills",
    alsoReads: [".agents/skills", "~/.agents/skills"],
    detect: "~/.codeium/windsurf",
  },
  droid: {
    product: "Factory Droid",
    user: "~/.factory/skills",
    project: ".agents/skills",
    detect: "~/.factory",
  },
  kiro: { product: "Kiro CLI", user: "~/.kiro/skills", project: ".kiro/skills", detect: "~/.kiro" },
  roo: { product: "Roo Code", user: "~/.roo/skills", project: ".roo/skills", detect: "~/.roo" },
  qwen: { product: "Qwen Code", user: "~/.qwen/skills", project: ".qwen/skills", detect: "~/.qwen" },
  pi: { product: "Pi", user: "~/.pi/agent/skills", project: ".pi/skills", detect: "~/.pi" },
  agents: {
    product: "any host that reads the shared directory",
    user: "~/.agents/skills",
    project: ".agents/skills",
  },
} as const satisfies Record<string, Row>;

export type AgentName = keyof typeof TABLE;
export type Scope = "user" | "project";
export type Extra = "argument-hint" | "allowed-tools";

/** Names in table order; the flag `--host` and the key `hosts` name an agent by them. */
export const AGENT_NAMES = Object.keys(TABLE) as AgentName[];

export function rowOf(name: AgentName): Row {
  return TABLE[name];
}

/** What a path of the table needs to become absolute. */
export interface Places {
  home: string;
  claude: string;
  codex: string;
  config: string;
  /** The repository root, when there is one. */
  repository: string | undefined;
}

/** The directories the table's paths stand in. Throws as `homeOf`. */
export function placesOf(host: Pick<Host, "env" | "home">, repository: string | undefined): Places {
  const { env } = host;
  const home = homeOf(host);
  const from = (name: string, otherwise: string): string => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : join(home, otherwise);
  };
  return {
    home,
    claude: from("CLAUDE_CONFIG_DIR", ".claude"),
    codex: from("CODEX_HOME", ".codex"),
    config: from("XDG_CONFIG_HOME", ".config"),
    repository,
  };
}

/** A path of the table made absolute; undefined for a project path outside a repository. */
export function locate(path: string, places: Places): string | undefined {
  if (path.startsWith("/")) return path;
  const [first, ...rest] = path.split("/") as [string, ...string[]];
  const anchors: Record<string, string> = {
    "~": places.home,
    $CLAUDE: places.claude,
    $CODEX: places.codex,
    $CONFIG: places.config,
  };
  const anchor = anchors[first];
  if (anchor !== undefined) return join(anchor, ...rest);
  return places.repository === undefined ? undefined : join(places.repository, path);
}

/** Where an agent's skills go in a scope; undefined for the project scope outside a repository. */
export function skillsDirectory(name: AgentName, scope: Scope, places: Places): string | undefined {
  const row = rowOf(name);
  return locate(scope === "user" ? row.user : row.project, places);
}
