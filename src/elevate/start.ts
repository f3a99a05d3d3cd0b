import { EXIT } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { selfCommand } from "../runtime/self.ts";
import type { ElevateFlags } from "./forms.ts";
import { elevationError, elevationLine, elevationLines, foreignError } from "./report.ts";
import { checkRequest } from "./request.ts";
import type { ElevationStarted } from "./schema.ts";
import { DEFAULT_HARD_SECONDS, hardSeconds } from "./settings.ts";

const LOG_MAX_BYTES = 52_428_800;

/**
 * Run the worker form as a detached job (docs/spec/elevate.md 5.1): every check first, then `jig job start` with equal hard
 * caps outside and inside. Exit 3, with no job, when `claude` is not on `PATH`: the route was never there.
 */
export async function startElevation(
  host: Host,
  flags: ElevateFlags,
  words: readonly string[],
): Promise<Outcome<ElevationStarted>> {
  const hard = flags["hard-secs"] ?? hardSeconds(host.env) ?? DEFAULT_HARD_SECONDS;
  const request = checkRequest(host, words);
  if (request.claude === undefined) throw elevationError("claude not found on PATH", EXIT.notThisTime);
  const worker = [...selfCommand(), "elevate", request.model, request.promptFile, request.resultPath];
  const { exitCode, stdout, stderr } = await host.run(
    [
      "job",
      "start",
      `--skill=${flags.skill}`,
      `--run-id=${flags["run-id"]}`,
      "--label=elevation",
      `--result-path=${request.resultPath}`,
      `--hard-secs=${hard}`,
      `--log-max-bytes=${LOG_MAX_BYTES}`,
      "--json",
      "--",
      ...worker,
    ],
    { env: { CE_ELEVATION_HARD_SECS: String(hard) } },
  );
  if (exitCode !== EXIT.done) throw foreignError(stderr, "jig job: ", exitCode);
  const json = new TextDecoder().decode(stdout).trimEnd();
  const data = JSON.parse(json) as ElevationStarted;
  const notes = [elevationLines(stderr, "jig job: "), networkNote(host)].filter((note) => note !== "");
  return { data, text: `${data.job_id}\n`, json, notes };
}

function networkNote(host: Host): string {
  if (!host.env["CODEX_SANDBOX_NETWORK_DISABLED"]) return "";
  return elevationLine(
    "CODEX_SANDBOX_NETWORK_DISABLED is set: unless this call was given network access, the job cannot reach the provider",
  );
}
