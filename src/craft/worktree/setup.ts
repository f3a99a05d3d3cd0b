import { statSync } from "node:fs";
import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import type { Writer } from "../../kernel/call/outcome.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { shown } from "../common/run-words.ts";
import { type ChosenInstaller, installerOf } from "./installers.ts";
import { NOT_FOUND, runProgram, runScript } from "./run-program.ts";

const PREFIX = "craft-setup: ";

/** Install a worktree's dependencies in it, then run the manifest's own script (docs/spec/craft-run.md 10.1). */
export async function setup(
  host: Host,
  options: { worktree: string; script: string | undefined },
  out: Writer,
): Promise<number> {
  const worktree = absoluteFrom(host.cwd, options.worktree);
  if (!(statSync(worktree, { throwIfNoEntry: false })?.isDirectory() ?? false)) {
    throw new JigError(`${PREFIX}no such worktree: ${shown(options.worktree)}`, { verbatim: true });
  }
  const installer = installerOf(worktree);
  if (installer === undefined) {
    out.write(`${PREFIX}no recognized lockfile/manifest — dependency install skipped (noted).\n`);
  } else {
    const code = await install(host, installer);
    if (code !== 0) return code;
    out.write(`${PREFIX}dependencies installed in-worktree via ${installer.name}.\n`);
  }
  if (options.script === undefined || options.script === "") return 0;
  const script = absoluteFrom(worktree, options.script);
  const code = await runScript(host, script, options.worktree, worktree);
  if (code !== 0) {
    host.stderr(`${PREFIX}post-setup script failed (exit ${code}): ${shown(options.script)}\n`);
    return code;
  }
  out.write(`${PREFIX}post-setup script ran: ${shown(options.script)}\n`);
  return 0;
}

async function install(host: Host, { argv, orElse, cwd, name }: ChosenInstaller): Promise<number> {
  let code = await runProgram(host, { argv, cwd });
  if (code !== 0 && code !== NOT_FOUND && orElse !== undefined) {
    host.stderr(`${PREFIX}${argv.join(" ")} failed (exit ${code}); trying ${orElse.join(" ")}\n`);
    code = await runProgram(host, { argv: orElse, cwd });
  }
  if (code === NOT_FOUND) host.stderr(`${PREFIX}${argv[0]} is not installed; the lock file asks for it\n`);
  else if (code !== 0) host.stderr(`${PREFIX}install via ${name} failed (exit ${code})\n`);
  return code;
}
