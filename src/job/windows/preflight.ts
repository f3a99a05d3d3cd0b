import { win32 } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { isRegularFile } from "../../kernel/files/look.ts";
import { findExecutable, pathExtensions } from "../../kernel/process/executable.ts";
import { isBatchFile, isSafeForCmd } from "../../kernel/process/windows-command-line.ts";
import { parseEnvArgv } from "./env-argv.ts";
import { isShellName, isWindowsPath, isWslShell, NO_SHELL, preferredShell } from "./shell.ts";

/** A worker checked: the argv to record, and why it cannot be started, if so. */
export interface Preflight {
  argv: string[];
  problem?: string;
  /** Windows: the POSIX shell that was chosen. */
  windowsPosixShell?: string;
  /** Windows: what is executed, when it is not the recorded argv: a script is given to its shell. */
  launch?: string[];
}

/** What is asked of the file system, so that the rules can be tested anywhere. */
export interface Files {
  isFile(path: string): boolean;
  /** The absolute path of a bare name on `PATH`, `PATHEXT` honoured. */
  find(name: string): string | undefined;
}

type PreflightHost = Pick<Host, "cwd" | "env">;

/** Check a worker for Windows and choose its shell (docs/spec/jobs.md 12.5). */
export function preflightOnWindows(
  host: PreflightHost,
  argv: readonly string[],
  files: Files = { isFile: isRegularFile, find: (name) => findExecutable(name, host.env, { cwd: host.cwd }) },
): Preflight {
  const [program = "", ...words] = argv;
  if (isShellName(program) && (program === win32.basename(program) || isWindowsPath(program))) {
    const shell = chooseShell(program, host.env, files);
    if ("problem" in shell) return { argv: [...argv], ...shell };
    return { argv: [shell.path, ...words], windowsPosixShell: shell.path };
  }
  if (/^env(\.exe)?$/i.test(win32.basename(program))) return checkEnv(host, program, words, files);
  const path = locate(host, program, files);
  if ("problem" in path) return { argv: [...argv], ...path };
  const resolved = [path.path, ...words];
  if (/\.(sh|bash)$/i.test(path.path)) {
    const shell = preferredShell(host.env, files.isFile);
    if (shell === undefined) return { argv: resolved, problem: NO_SHELL };
    return { argv: resolved, windowsPosixShell: shell, launch: [shell, ...resolved] };
  }
  if (isBatchFile(path.path)) {
    const unsafe = resolved.find((word) => !isSafeForCmd(word));
    if (unsafe !== undefined) {
      const problem = `cannot be given the argument '${unsafe}' safely: cmd.exe gives a meaning to ", % and line ends`;
      return { argv: resolved, problem };
    }
  }
  return { argv: resolved };
}

type Located = { path: string } | { problem: string };

function locate(host: PreflightHost, program: string, files: Files): Located {
  if (program.includes("/") || isWindowsPath(program)) {
    const path = spellings(win32.resolve(host.cwd, program), host.env).find(files.isFile);
    return path === undefined ? { problem: "does not exist or is not a regular file" } : { path };
  }
  const path = program === "" ? undefined : files.find(program);
  return path === undefined ? { problem: "was not found on PATH" } : { path };
}

/**
 * What a path to a program may stand for, `PATHEXT` honoured. Where it names no kind of file the suffixes come first: beside
 * `w.cmd` often lies a script `w` for other systems.
 */
function spellings(path: string, env: Host["env"]): string[] {
  const suffixed = pathExtensions(path, env)
    .filter((suffix) => suffix !== "")
    .map((suffix) => path + suffix);
  return win32.extname(path) === "" ? [...suffixed, path] : [path, ...suffixed];
}

/** A named shell: a bare name and WSL's own are replaced by the preferred one, any other path is kept. */
function chooseShell(token: string, env: Host["env"], files: Files): Located {
  if (isWindowsPath(token)) {
    if (!files.isFile(token)) {
      return { problem: `peer worker shell does not exist or is not a regular file: ${token}` };
    }
    if (!isWslShell(token, env)) return { path: token };
  }
  const shell = preferredShell(env, files.isFile);
  return shell === undefined ? { problem: NO_SHELL } : { path: shell };
}

function checkEnv(host: PreflightHost, program: string, words: readonly string[], files: Files): Preflight {
  const found = locate(host, program, files);
  const parsed = parseEnvArgv(words);
  const problems = [
    ...("problem" in found ? [found.problem] : []),
    ...("problem" in parsed ? [parsed.problem] : []),
  ];
  if ("problem" in found || "problem" in parsed) {
    return { argv: [program, ...words], problem: problems.join("; ") };
  }
  const command = parsed.command === undefined ? undefined : words[parsed.command];
  if (command === undefined || !isShellName(command)) return { argv: [found.path, ...words] };
  const shell = chooseShell(command, host.env, files);
  if ("problem" in shell) return { argv: [found.path, ...words], ...shell };
  const replaced = words.with(parsed.command!, shell.path);
  return { argv: [found.path, ...replaced], windowsPosixShell: shell.path };
}
