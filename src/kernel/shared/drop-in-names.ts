/**
 * Every upstream name jig answers to, with the jig command it stands for (docs/spec/cli.md section 3). `jig link` writes
 * exactly these names; `jig doctor` looks for them on PATH.
 */
export const DROP_IN_NAMES: Readonly<Record<string, readonly string[]>> = {
  cafleet: [],
  "peer-job-runner.py": ["job"],
  "light-webserver.js": ["web"],
  "packs-resolve.py": ["packs", "resolve"],
  "elevation-dispatch.sh": ["elevate"],
};

/** What stands in a launcher script's second line, so that we know our own files again. */
export function marker(name: string): string {
  return `jig-link 1 ${name}`;
}

/** Whether a text is a launcher script of ours for this name: the marker is a comment in its first three lines. */
export function isOurScript(text: string, name: string): boolean {
  return text
    .split("\n", 3)
    .some((line) => /^(#|\/\/|@rem )/.test(line) && line.trimEnd().endsWith(marker(name)));
}
