import { everyVariable } from "../kernel/call/environment.ts";
import { EXIT } from "../kernel/call/errors.ts";
import type { Host } from "../kernel/call/host.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { isBatchFile, isSafeForCmd, throughCmd } from "../kernel/process/windows-command-line.ts";
import { ignoreHangUp } from "../runtime/signals.ts";
import { adapterArgv, grantedDirectory } from "./call/adapter.ts";
import { runCall } from "./call/call.ts";
import { type CallEnd, envelopeOf, publishEnvelope } from "./call/envelope.ts";
import { elevationLine } from "./report.ts";
import { checkRequest, type Request } from "./request.ts";
import { settingsFrom } from "./settings.ts";

const NOTHING: Outcome = { data: null, text: "" };

/**
 * The worker form: one model call, one envelope (docs/spec/elevate.md sections 1 to 4). Exit 0 whatever the model did, since
 * the envelope says it; 1 or 2 only before the call, or when the envelope cannot be published. Interrupted: no envelope.
 */
export async function runElevation(host: Host, words: readonly string[]): Promise<Outcome> {
  const interruption = host.interruption();
  ignoreHangUp();
  const log = (text: string) => host.stderr(elevationLine(text));
  const request = checkRequest(host, words);
  everyVariable(host.env); // The model's program gets them all.
  const settings = settingsFrom(host.env);
  if (request.claude === undefined) log("claude not found on PATH");
  const end = await callModel(host, request, settings, interruption);
  // Asked to end: an envelope now would turn the runner's kill into a failed route and forbid its retry.
  if (end === undefined || interruption.aborted) return NOTHING;
  const envelope = envelopeOf(request.model, end, settings);
  publishEnvelope(request.resultPath, envelope);
  if (envelope.status === "ok") {
    const { requested_model, served_model, receipt } = envelope;
    log(`elevated step complete: requested=${requested_model} served=${served_model} receipt=${receipt}`);
  } else {
    log("elevated step failed; wrote failure envelope");
  }
  return { ...NOTHING, exitCode: EXIT.done };
}

async function callModel(
  host: Host,
  request: Request,
  settings: ReturnType<typeof settingsFrom>,
  interruption: AbortSignal,
): Promise<CallEnd | undefined> {
  if (request.claude === undefined) return { kind: "not-started", why: "claude: command not found" };
  const granted = grantedDirectory(host, request.promptFile);
  if (granted === undefined) {
    host.stderr(
      elevationLine(
        "the prompt lies in a home, temp or root directory, which is not granted to the call: evidence files there cannot be read",
      ),
    );
  }
  const argv = [request.claude, ...adapterArgv(request.model, granted, host.env).slice(1)];
  if (host.platform !== "win32" || !isBatchFile(request.claude)) {
    return runCall(host, { argv, verbatim: false, prompt: request.prompt, settings, interruption });
  }
  const unsafe = argv.find((word) => !isSafeForCmd(word));
  if (unsafe !== undefined)
    return { kind: "not-started", why: `claude: '${unsafe}' cannot be passed through cmd.exe` };
  const words = throughCmd(argv, host.env["SystemRoot"]);
  return runCall(host, { argv: words, verbatim: true, prompt: request.prompt, settings, interruption });
}
