import { lstatSync } from "node:fs";
import { errorCode } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { TEMP_REMEDY } from "../../kernel/shared/temp-root.ts";
import { removeCommand, shellWord } from "../../kernel/text/shell-word.ts";
import { finding, note, ok } from "../check.ts";
import { decodeJson } from "../nested.ts";
import type { Check } from "../schema.ts";

interface JobRoot {
  root: string;
  fallback: boolean;
  candidates: string[];
}

/** The private temporary roots: who owns them, their modes, and which one jobs use and why. */
export async function examineTempRoots(host: Host): Promise<Check[]> {
  const result = await host.run(["job", "root", "--json"]);
  if (result.exitCode !== 0) {
    const why = result.stderr.trim().split("\n", 1)[0] ?? "";
    return [finding("temp roots", `no usable root for jobs: ${why}`, TEMP_REMEDY)];
  }
  const { root, fallback, candidates } = decodeJson<JobRoot>(result.stdout);
  const checks = candidates.flatMap((candidate) => examineRoot(candidate, host));
  const why = fallback ? "the first choice is not usable" : "the first choice";
  checks.push(ok("temp roots", `jobs use ${root} (${why})`));
  return checks;
}

function examineRoot(path: string, host: Host): Check[] {
  try {
    const stats = lstatSync(path);
    if (!stats.isDirectory()) {
      return [
        finding(
          "temp roots",
          `${path} is not a directory (planted?)`,
          `look at it, then ${removeCommand(path, "file", host.platform)}`,
        ),
      ];
    }
    if (host.uid !== undefined && stats.uid !== host.uid) {
      return [finding("temp roots", `${path} belongs to user ${stats.uid}`, "ask its owner to remove it")];
    }
    const mode = stats.mode & 0o777;
    if (host.platform !== "win32" && mode !== 0o700) {
      return [
        finding(
          "temp roots",
          `${path} has mode ${mode.toString(8)}, not 700`,
          `chmod 700 ${shellWord(path)}`,
        ),
      ];
    }
    return [];
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    return [note("temp roots", `cannot look at ${path}: ${errorCode(error)}`)];
  }
}
