import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Machine, machine, windowsPath, withWindows } from "./support/machine.ts";

const onWindows = process.platform === "win32";

withWindows("batch files on Windows", () => {
  let windows: Machine;
  let directory: string;
  beforeAll(async () => {
    windows = await machine();
    directory = windows.fresh("batch");
    writeFileSync(join(directory, "w.cmd"), `@"${windows.worker}" args %*\r\n`);
    // What npm puts beside it, for other systems.
    writeFileSync(join(directory, "w"), "#!/bin/sh\n");
  });

  test("a .cmd worker is found without its suffix and gets every word as it was", async () => {
    const words = ["C:\\dir\\", "a b\\", "\\\\", "&x|y", "^", "", "!p!", "(z)"];
    const job = ["job", "start", "--skill", "s", "--run-id", "batch", "--", "./w", ...words];
    const started = await windows.jig(job, { cwd: directory });
    expect(started).toMatchObject({ code: 0, stderr: "" });
    const id = started.stdout.trim();
    expect(await windows.jig(["job", "wait", id])).toMatchObject({ code: 0, stdout: "done\n" });
    const said = words.map((word, index) => `[${index + 1}]<${word}>\n`).join("");
    expect((await windows.jig(["job", "logs", id])).stdout).toBe(said);
  });

  test("elevate calls a claude that is a .cmd file, with the prompt on its standard input", async () => {
    const answer = JSON.stringify({
      type: "result",
      subtype: "success",
      is_error: false,
      result: "so be it",
    });
    writeFileSync(join(directory, "answer.json"), `${answer}\r\n`);
    const claude = `@type "%~dp0answer.json"\r\n@"${windows.worker}" stdin >"%~dp0seen"\r\n`;
    writeFileSync(join(directory, "claude.cmd"), claude);
    writeFileSync(join(directory, "brief.md"), "# The brief\n");
    const at = (name: string) => windowsPath(join(directory, name));
    const run = await windows.jig(["elevate", "opus", at("brief.md"), at("result.json")], {
      cwd: directory,
      env: onWindows ? { PATH: `${directory};${process.env["PATH"]}` } : { WINEPATH: windowsPath(directory) },
    });
    expect(run.code).toBe(0);
    const envelope = JSON.parse(readFileSync(join(directory, "result.json"), "utf8"));
    expect(envelope).toMatchObject({ status: "ok", output: "so be it" });
    expect(readFileSync(join(directory, "seen"), "utf8")).toMatch(/^stdin 35 /);
  });
});
