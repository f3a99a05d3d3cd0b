import { win32 } from "node:path";
import { pathDirectories } from "../../kernel/process/executable.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type FileTest = (path: string) => boolean;

/** What a job that needs a shell fails with when there is none (docs/spec/jobs.md 12.5). */
export const NO_SHELL =
  "no usable Git Bash (or other non-WSL POSIX shell) for native Windows peer workers; install Git for Windows or set " +
  "CE_PEER_BASH / CLAUDE_CODE_GIT_BASH_PATH to an absolute bash.exe path (System32\\bash.exe / WSL is not used)";

/** Whether a word names a POSIX shell: by its base name, without regard to case. */
export function isShellName(word: string): boolean {
  return /^(bash|sh)(\.exe)?$/i.test(win32.basename(word));
}

/** Whether a word is a Windows path, not a bare name: it has a backslash or a drive letter. */
export function isWindowsPath(word: string): boolean {
  return word.includes("\\") || /^[A-Za-z]:/.test(word);
}

/** `System32\bash.exe`, also by its 32-bit name, is the door to WSL: another system with another file tree. */
export function isWslShell(path: string, env: Environment): boolean {
  const root = env["SystemRoot"] || "C:\\Windows";
  const directory = win32.dirname(win32.normalize(path)).toLowerCase();
  return ["System32", "Sysnative"].some(
    (name) => directory === win32.normalize(win32.join(root, name)).toLowerCase(),
  );
}

/** The POSIX shell to run scripts with: the first existing candidate that is not WSL's (docs/spec/jobs.md 12.5). */
export function preferredShell(env: Environment, isFile: FileTest): string | undefined {
  return candidates(env).find((path) => !isWslShell(path, env) && isFile(path));
}

function candidates(env: Environment): string[] {
  const named = [env["CE_PEER_BASH"], env["CLAUDE_CODE_GIT_BASH_PATH"]]
    .map((value) => value?.trim())
    .filter((value) => value !== undefined && value !== "");
  const programFiles = [
    env["ProgramW6432"],
    env["ProgramFiles"] || "C:\\Program Files",
    env["ProgramFiles(x86)"] || "C:\\Program Files (x86)",
  ];
  const roots = [...new Set(programFiles.filter((root) => root !== undefined && root !== ""))];
  const local = env["LOCALAPPDATA"];
  const installs = [
    ...roots.map((root) => win32.join(root!, "Git")),
    ...(local ? [win32.join(local, "Programs", "Git")] : []),
  ].flatMap((git) => [win32.join(git, "bin", "bash.exe"), win32.join(git, "usr", "bin", "bash.exe")]);
  const onPath = pathDirectories(env, ";")
    .filter((directory) => directory !== "")
    .flatMap((directory) => ["bash.exe", "bash", "sh.exe", "sh"].map((name) => win32.join(directory, name)));
  return [...(named as string[]), ...installs, ...onPath];
}
