import { describe, expect, test } from "vitest";
import type { Ancestor } from "../../../../src/kernel/process/namespace/ancestors.ts";
import { endsWithCall } from "../../../../src/kernel/process/namespace/fleeting.ts";
import { isPassing } from "../../../../src/kernel/process/passing.ts";

const words = (line: string) => line.split(" ");

describe("a process that is there for one command", () => {
  test.each([
    "bash -c x",
    "/bin/sh -ec x",
    "bash script.sh",
    "-bash -c x".slice(1),
    "timeout 5 x",
    "/usr/bin/env X=1 x",
    "bwrap --unshare-pid bash -c x",
    "tini -- x",
    "-zsh -lc x",
    "busybox sh -c x",
    "fish --command x",
    "bash -o pipefail script.sh",
    "cmd.exe /d /s /c x",
    "C:\\Windows\\System32\\cmd.exe /C x",
    "pwsh -NoProfile -Command x",
    "powershell.exe -ExecutionPolicy Bypass -File x.ps1",
    "pwsh x.ps1",
  ])("%s", (line) => {
    expect(isPassing(words(line))).toBe(true);
  });

  test.each([
    "bash",
    "-bash",
    "bash -i",
    "bash -o vi",
    "zsh -l",
    "cmd.exe",
    "cmd /k x",
    "pwsh",
    "powershell -NoExit -Command x",
    "pwsh -ExecutionPolicy Bypass",
    "node agent.js",
    "claude",
    "python3 -c x",
    "systemd",
    "",
  ])("not %s", (line) => {
    expect(isPassing(words(line))).toBe(false);
  });
});

/** From jig up: the words of each process, and the second it started in. The last is the namespace's first. */
const chain = (...rows: [string, number][]): Ancestor[] =>
  rows.map(([line, second], at) => ({
    words: words(line),
    startTicks: second * 100,
    innerPid: at === rows.length - 1 ? 1 : 9 - at,
  }));

describe("a namespace that ends with the call", () => {
  const table: [string, boolean, Ancestor[], number][] = [
    ["jig is its first process", true, chain(["jig job start", 10]), 10],
    ["Codex", true, chain(["jig", 12], ["bash -c x", 10], ["codex-linux-sandbox x", 10]), 12],
    [
      "Codex, after a long build",
      true,
      chain(["jig", 900], ["bash -c x", 10], ["codex-linux-sandbox x", 10]),
      900,
    ],
    ["unshare with a shell", true, chain(["jig", 20], ["sh -c x", 10]), 20],
    ["a sandbox nobody knows", true, chain(["jig", 11], ["bash -c x", 10], ["my-sandbox", 10]), 11],
    ["a container of an agent", false, chain(["jig", 15], ["bash -c x", 15], ["claude -p x", 10]), 15],
    [
      "an agent below an init",
      false,
      chain(["jig", 15], ["bash -c x", 15], ["claude", 10], ["tini -- claude", 10]),
      15,
    ],
    ["a person in a container", false, chain(["jig", 15], ["bash", 10]), 15],
    [
      "a person below an init",
      false,
      chain(["jig", 15], ["bash -l", 10], ["docker-init -- bash -l", 10]),
      15,
    ],
    ["an old container with a script", false, chain(["jig", 500], ["sh entrypoint.sh", 10]), 500],
    ["ages that cannot be", false, chain(["jig", 9_000], ["sh -c x", 9_000]), 20],
    ["no chain", false, [], 10],
  ];
  test.each(table)("%s: %s", (_name, expected, rows, uptime) => {
    expect(endsWithCall(rows, uptime)).toBe(expected);
  });
});
