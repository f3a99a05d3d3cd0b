import { readFileSync, readlinkSync } from "node:fs";
import { readableVariables } from "../../kernel/call/environment.ts";
import type { Host } from "../../kernel/call/host.ts";

/** The words a process was started with, or, where the system only gives one string, that. */
export type ProcessArguments = { words: string[] } | { flat: string };

const PATIENCE_MS = 5_000;
/** Bytes of a command line that are accepted. */
const LONGEST = 4 << 20;

/** Undefined when there is no such process, or the system does not tell. */
export async function processArguments(pid: number, host: Host): Promise<ProcessArguments | undefined> {
  if (host.platform === "linux") return fromProc(pid);
  // Loaded where a program has to be asked.
  const { outputOf } = await import("../../kernel/process/capture.ts");
  const flat = await outputOf(
    host.platform === "win32"
      ? await windowsQuery(pid, host)
      : ["/bin/ps", "-ww", "-p", String(pid), "-o", "args="],
    { env: readableVariables(host.env), timeoutMs: PATIENCE_MS, maxBytes: LONGEST },
  );
  const text = flat?.trim() ?? "";
  return text === "" ? undefined : { flat: text };
}

function fromProc(pid: number): ProcessArguments | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    words.pop();
    return words.length === 0 ? undefined : { words };
  } catch {
    return undefined;
  }
}

/** A process's working directory, where the system tells. */
export function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

async function windowsQuery(pid: number, { env }: Host): Promise<string[]> {
  const { system32 } = await import("../../kernel/process/system32.ts");
  const query = `(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').CommandLine`;
  const shell = system32("WindowsPowerShell\\v1.0\\powershell.exe", env["SystemRoot"]);
  return [shell, "-NoProfile", "-NonInteractive", "-Command", query];
}
