import { readFileSync, readlinkSync } from "node:fs";
import { readableVariables } from "../../kernel/call/environment.ts";
import type { Host } from "../../kernel/call/host.ts";
import { spawn } from "../../runtime/spawn.ts";

/** The words a process was started with, or, where the system only gives one string, that. */
export type ProcessArguments = { words: string[] } | { flat: string };

/** Undefined when there is no such process, or the system does not tell. */
export async function processArguments(pid: number, host: Host): Promise<ProcessArguments | undefined> {
  if (host.platform === "linux") return fromProc(pid);
  const flat =
    host.platform === "win32"
      ? await output(windowsQuery(pid), host)
      : await output(["/bin/ps", "-ww", "-p", String(pid), "-o", "args="], host);
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

function windowsQuery(pid: number): string[] {
  const query = `(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').CommandLine`;
  return ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", query];
}

const PATIENCE_MS = 5000;

async function output(command: string[], host: Host): Promise<string | undefined> {
  try {
    const child = await spawn(command, {
      env: readableVariables(host.env),
      stdout: "pipe",
      stderr: "ignore",
    });
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of child.stdout ?? []) chunks.push(chunk);
    })();
    const timer = new Promise<"late">((resolve) => setTimeout(() => resolve("late"), PATIENCE_MS).unref?.());
    if ((await Promise.race([reading, timer])) === "late") return undefined;
    return Buffer.concat(chunks).toString("utf8");
  } catch {
    return undefined;
  }
}
