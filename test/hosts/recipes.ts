import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One session of a host: where it lives, and where its model answers. */
export interface Place {
  home: string;
  url: string;
}

export interface Call {
  words: string[];
  env: Record<string, string>;
}

/** How a real host is installed, configured and driven without a person. */
export interface Recipe {
  title: string;
  npmName: string;
  version: string;
  /** For `jig skills install --host`, and where that puts them below the home. */
  skillsHost: string;
  skillsDirectory: string;
  /** Basenames of the executables that are the host itself, and not what it runs. */
  programs: string[];
  /** `limit`: the seconds a call may last, where only a setting says so. */
  configure(place: Place, limit: number | undefined): void;
  /** What runs one prompt; `sandbox` is Codex's own word. */
  call(place: Place, bin: string, sandbox: string | undefined): Call;
}

/** Write a configuration file below the home. */
function put(home: string, path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const claude: Recipe = {
  title: "Claude Code",
  npmName: "@anthropic-ai/claude-code",
  version: "2.1.197",
  skillsHost: "claude",
  skillsDirectory: ".claude/skills",
  programs: ["node", "claude", "claude.exe"],
  configure: () => {},
  call: ({ url }, bin) => ({
    words: [join(bin, "claude"), "-p", "go", "--allowedTools", "Bash Skill", "--output-format", "text"],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1", // root may then go on
    },
  }),
};

const codex: Recipe = {
  title: "Codex",
  npmName: "@openai/codex",
  version: "0.171.0",
  skillsHost: "codex",
  skillsDirectory: ".agents/skills",
  programs: ["node", "codex"],
  configure: ({ home, url }) =>
    put(
      home,
      ".codex/config.toml",
      `model = "gpt-5.2-codex"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`,
    ),
  call: (_, bin, sandbox = "danger-full-access") => ({
    words: [join(bin, "codex"), "exec", "--skip-git-repo-check", "-s", sandbox, "go"],
    env: { SCRIPTED_KEY: "dummy" },
  }),
};

const opencode: Recipe = {
  title: "opencode",
  npmName: "opencode-ai",
  version: "1.18.33",
  skillsHost: "opencode",
  skillsDirectory: ".config/opencode/skills",
  programs: ["node", "opencode", "opencode.exe", ".opencode"],
  configure: ({ home, url }) =>
    put(
      home,
      ".config/opencode/opencode.json",
      JSON.stringify({
        autoupdate: false,
        share: "disabled",
        model: "scripted/m",
        small_model: "scripted/m",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "scripted",
            options: { baseURL: `${url}/v1`, apiKey: "dummy" },
            models: { m: { name: "m", tool_call: true, limit: { context: 200_000, output: 8000 } } },
          },
        },
      }),
    ),
  call: (_, bin) => ({
    words: [join(bin, "opencode"), "run", "go"],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
  }),
};

const gemini: Recipe = {
  title: "Gemini CLI",
  npmName: "@google/gemini-cli",
  version: "0.61.0",
  skillsHost: "gemini",
  skillsDirectory: ".gemini/skills",
  programs: ["node"],
  configure: ({ home }, limit) =>
    put(
      home,
      ".gemini/settings.json",
      JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        ...(limit === undefined ? {} : { tools: { shell: { inactivityTimeout: limit } } }),
      }),
    ),
  call: ({ url }, bin) => ({
    words: [
      join(bin, "gemini"),
      "--skip-trust",
      "--approval-mode",
      "yolo",
      "-m",
      "gemini-2.5-pro",
      "-p",
      "go",
    ],
    env: { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url, GEMINI_TELEMETRY_ENABLED: "false" },
  }),
};

export const RECIPES = { claude, codex, opencode, gemini };

export type HostName = keyof typeof RECIPES;
