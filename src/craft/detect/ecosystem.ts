import { isObject } from "../../kernel/text/json.ts";
/** A lock file or manifest and the ecosystem it proves, first match first (docs/spec/craft-engine.md 12). */
export const ECOSYSTEM_FILES: readonly (readonly [file: string, ecosystem: string])[] = [
  ["package-lock.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lockb", "bun"],
  ["bun.lock", "bun"],
  ["uv.lock", "uv"],
  ["poetry.lock", "poetry"],
  ["Cargo.toml", "cargo"],
  ["go.mod", "go"],
  ["Gemfile.lock", "bundler"],
  ["composer.lock", "composer"],
];

/** Looks into one directory; absent, unreadable and oversized files are undefined. */
export interface DirectoryLook {
  has(file: string): boolean;
  read(file: string): string | undefined;
}

/** The ecosystem of a directory and the file that showed it. */
export function ecosystemOf(directory: DirectoryLook): { ecosystem: string; file: string } | undefined {
  for (const [file, ecosystem] of ECOSYSTEM_FILES) if (directory.has(file)) return { ecosystem, file };
  return undefined;
}

/** The command that runs a repository's tests, from its own files; undefined when none says (section 12, the order). */
export function testCommandOf(directory: DirectoryLook): string | undefined {
  const ecosystem = ecosystemOf(directory)?.ecosystem;
  const scripts = packageScripts(directory);
  const test = scripts?.["test"];
  if (typeof test === "string" && test.trim() !== "" && !test.includes("no test specified")) {
    if (ecosystem === "pnpm" || ecosystem === "yarn") return `${ecosystem} test`;
    return ecosystem === "bun" ? "bun run test" : "npm test";
  }
  if (makeTargets(directory).includes("test")) return "make test";
  if (directory.has("Cargo.toml")) return "cargo test";
  if (directory.has("go.mod")) return "go test ./...";
  if (usesPytest(directory)) {
    return ecosystem === "uv" || ecosystem === "poetry" ? `${ecosystem} run pytest` : "pytest";
  }
  if (denoTasks(directory).includes("test")) return "deno task test";
  const composer = recordIn(parseJson(directory.read("composer.json")), "scripts");
  return composer !== undefined && Object.hasOwn(composer, "test") ? "composer test" : undefined;
}

/** `package.json` scripts; undefined when there is no readable file of that shape. */
export function packageScripts(directory: DirectoryLook): Record<string, unknown> | undefined {
  return recordIn(parseJson(directory.read("package.json")), "scripts");
}

/** Names of the plain targets of a Makefile. */
export function makeTargets(directory: DirectoryLook): string[] {
  const text = ["GNUmakefile", "makefile", "Makefile"]
    .map((file) => directory.read(file))
    .find((t) => t !== undefined);
  if (text === undefined) return [];
  const targets: string[] = [];
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0 || line[colon + 1] === "=" || /^[\t #.]/.test(line)) continue;
    if (line[colon + 1] === ":" && line[colon + 2] === "=") continue;
    targets.push(...line.slice(0, colon).split(/\s+/).filter(Boolean));
  }
  return targets;
}

function usesPytest(directory: DirectoryLook): boolean {
  if (directory.has("pytest.ini")) return true;
  if (hasLine(directory.read("setup.cfg"), /^\[tool:pytest\]/)) return true;
  return hasLine(directory.read("pyproject.toml"), /^\[tool\.pytest/);
}

function hasLine(text: string | undefined, pattern: RegExp): boolean {
  return text?.split("\n").some((line) => pattern.test(line.trim())) ?? false;
}

function denoTasks(directory: DirectoryLook): string[] {
  for (const file of ["deno.json", "deno.jsonc"]) {
    const text = directory.read(file);
    if (text === undefined) continue;
    const tasks = recordIn(parseJson(file.endsWith("c") ? withoutComments(text) : text), "tasks");
    if (tasks !== undefined) return Object.keys(tasks);
  }
  return [];
}

/** JSON with comments and trailing commas, as plain JSON. */
function withoutComments(text: string): string {
  // A string, a comment, or a comma that only blanks and comments part from a closing bracket.
  const pattern = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const plain = text.replace(pattern, (match) => (match.startsWith("/") ? " " : match));
  return plain.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (match) => (match === "," ? "" : match));
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A file that cannot be read as JSON is passed over.
    return undefined;
  }
}

function recordIn(value: unknown, key: string): Record<string, unknown> | undefined {
  const inner = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(inner) ? inner : undefined;
}
