import { JigError } from "../../kernel/call/errors.ts";
import { marker } from "../../kernel/shared/launcher-marker.ts";
import { shellQuote } from "../../kernel/text/shell-word.ts";

/** One file `jig link` writes for a name. */
export interface LinkFile {
  /** The file's name in DIR. */
  file: string;
  /** The script's text; undefined for a symlink to jig. */
  script: string | undefined;
}

/**
 * The files a name needs on a platform (docs/spec/cli.md section 3, the table). Pure: the Windows forms can be made anywhere.
 * Throws when the path of jig cannot stand in a `.cmd` file.
 */
export function filesFor(
  name: string,
  jig: string,
  platform: NodeJS.Platform,
  launchers: boolean,
  anywhere: readonly string[] = [],
): LinkFile[] {
  const interpreted = /\.(py|js)$/.test(name);
  const script = scriptFor(name, jig, anywhere);
  if (platform !== "win32") {
    const asScript = name.endsWith(".sh") || (interpreted && launchers);
    return [{ file: name, script: asScript ? script : undefined }];
  }
  const files: LinkFile[] = [{ file: `${name}.cmd`, script: commandScript(name, jig) }];
  if (!interpreted || launchers) files.push({ file: name, script });
  return files;
}

function scriptFor(name: string, jig: string, anywhere: readonly string[]): string {
  if (name.endsWith(".py")) return pythonScript(name, jig, anywhere);
  if (name.endsWith(".js")) return nodeScript(name, jig);
  return shellScript(name, jig);
}

/** POSIX sh: becomes jig, so signals, exit status and process id are jig's own. */
export function shellScript(name: string, jig: string): string {
  return `#!/bin/sh\n# ${marker(name)}\nexec ${shellQuote(jig)} --as ${name} "$@"\n`;
}

/**
 * Python 3.6 or later: becomes jig on POSIX; waits for it on Windows, which cannot replace a process. The runtime cannot
 * start in a directory that was deleted, so the verbs that need none are run `anywhere` else then. Imported, it does
 * nothing: a caller that tries whether a folder's scripts load must not start them.
 */
export function pythonScript(name: string, jig: string, anywhere: readonly string[] = []): string {
  return `#!/usr/bin/env python3
# ${marker(name)}
import os
import sys

JIG = ${pythonString(jig)}
ARGV = [JIG, "--as", "${name}"] + sys.argv[1:]


def fail(error):
    sys.stderr.write("${name}: cannot run jig at %s: %s; run jig link again\\n" % (JIG, error.strerror))
    sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def main():
    try:
        os.getcwd()
    except OSError:
        if sys.argv[1:2] and sys.argv[1] in (${anywhere.map((verb) => `"${verb}", `).join("")}):
            os.chdir("/")
    try:
        if os.name == "nt":
            import signal
            import subprocess

            child = subprocess.Popen(ARGV)
            for event in ("SIGINT", "SIGBREAK"):
                signal.signal(getattr(signal, event), signal.SIG_IGN)
            sys.exit(child.wait())
        os.execv(JIG, ARGV)
    except OSError as error:
        fail(error)


if __name__ == "__main__":
    main()
`;
}

function pythonString(text: string): string {
  let out = "";
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (character === "\\" || character === '"') out += `\\${character}`;
    else if (code >= 0x20 && code < 0x7f) out += character;
    else out += `\\U${code.toString(16).padStart(8, "0")}`;
  }
  return `"${out}"`;
}

/** Node 18 or later, also Bun; loads as CommonJS and as an ES module, so it only uses dynamic `import()`. */
export function nodeScript(name: string, jig: string): string {
  return `#!/usr/bin/env node
// ${marker(name)}
import("node:child_process").then(({ spawn }) => {
  const jig = ${JSON.stringify(jig)};
  const child = spawn(jig, ["--as", "${name}", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, JIG_LAUNCHER_PID: String(process.pid) },
  });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  // A terminal sends these to the child as well; it decides how to end.
  for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => {});
  child.on("error", (error) => {
    console.error("${name}: cannot run jig at " + jig + ": " + error.message + "; run jig link again");
    process.exit(error.code === "ENOENT" ? 127 : 126);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128), 1000);
  });
});
`;
}

/** A Windows command file. Throws for a path that `cmd.exe` would read differently. */
export function commandScript(name: string, jig: string): string {
  if (!/^[\x20-\x7e]*$/.test(jig) || /[%"]/.test(jig)) {
    throw new JigError(`cannot write ${name}.cmd: the path of jig must be ASCII without %: ${jig}`, {
      hint: "move jig to a plain path and run jig link from there",
    });
  }
  const lines = [
    `@rem ${marker(name)}`,
    `@if not exist "${jig}" (echo ${name}: jig is gone: "${jig}" 1>&2 & exit /b 127)`,
    `@"${jig}" --as ${name} %*`,
    "@exit /b %errorlevel%",
  ];
  return lines.map((line) => line + "\r\n").join("");
}
