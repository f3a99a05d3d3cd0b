import { readFileSync } from "node:fs";
import { BUILD, isCompiled } from "./self.ts";

/** What this program is: version, platform, commit, runtime. */
export function buildInfo() {
  const build = BUILD ?? sourceBuild();
  return {
    version: build.version,
    os: process.platform === "win32" ? "windows" : String(process.platform),
    arch: String(process.arch),
    commit: build.commit,
    target: build.target,
    runtime: runtime(),
    compiled: isCompiled,
    executable: process.execPath,
  };
}

/** The semantic version alone. */
export function jigVersion(): string {
  return (BUILD ?? sourceBuild()).version;
}

function sourceBuild() {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  return { version, commit: "unknown", target: "source" };
}

function runtime(): { name: string; version: string } {
  const versions = process.versions as Record<string, string | undefined>;
  if (versions["deno"] !== undefined) return { name: "deno", version: versions["deno"] };
  if (versions["bun"] !== undefined) return { name: "bun", version: versions["bun"] };
  return { name: "node", version: process.versions.node };
}
