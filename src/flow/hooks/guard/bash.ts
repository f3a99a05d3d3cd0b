import type { Host } from "../../../kernel/call/host.ts";
import { compileHotCode } from "../../../runtime/jit.ts";
import type { HookAnswer } from "../hook.ts";
import { hookMode } from "../mode.ts";
import { PythonTexts } from "../python/invocations.ts";
import { pythonTargets } from "../python/targets.ts";
import { readCommands } from "../shell/nested.ts";
import { writeTargets } from "../shell/targets.ts";
import { Confinement } from "./confinement.ts";
import { attempt, decide } from "./deny.ts";
import { ownerOf } from "./edit.ts";
import type { Guard } from "./guard.ts";
import { isPermitWrite } from "./permit-write.ts";
import { SkillsInFlight } from "./skills.ts";
import type { Violation } from "./texts.ts";
import { Written } from "./written.ts";

/** Characters from which on compiled code pays off. */
const LONG = 50_000;

/** Judge a command by the files it would write, as far as its text tells (docs/spec/flow.md 15.3). */
export async function guardBash(guard: Guard, command: string): Promise<HookAnswer | undefined> {
  const { cwd, hook, projects, session } = guard;
  if (cwd === undefined) return undefined;
  const { host } = hook;
  if (command.length > LONG) compileHotCode();
  const written = new Written(cwd, projects);
  const python = new PythonTexts();
  const known = knownVariables(cwd, host);
  // A shell that reads a script passes over these.
  const text = command.replaceAll("\0", "");
  await attempt(guard, () =>
    readCommands(
      text,
      (name) => known.get(name),
      (one, source, isNested) => {
        if (!isNested) python.note(one);
        if (isPermitWrite(one, source, cwd, projects)) return;
        for (const target of writeTargets(one)) written.add(target);
      },
    ),
  );
  for (const code of python.of(text)) {
    await attempt(guard, () => pythonTargets(code, (path) => written.addPath(path)));
  }
  const confinement = new Confinement(host, cwd, session, projects);
  const skills = new SkillsInFlight();
  const byMode: Violation[] = [];
  const always: Violation[] = [];
  for (const [path, place] of written.found) {
    const owner = await attempt(guard, () => ownerOf(place, skills));
    if (owner !== undefined) always.push({ name: owner, path });
    else if (place.kind === "memory" || place.kind === "permit" || place.kind === "artifact") {
      byMode.push({ name: "bash-write-protected-path", path });
      const confined = await attempt(guard, () => confinement.holds(path));
      if (confined === false) always.push({ name: "worktree-confinement", path });
    }
  }
  return decide(guard, {
    tool: "bash",
    about: { command },
    always,
    byMode,
    mode: () => hookMode(host, "protectedWrites", guard.roots),
    written: written.looked,
  });
}

/** What a command's variables are known to hold here; all others are not seen. */
function knownVariables(cwd: string, { env, home }: Host): Map<string, string> {
  const known = new Map([["PWD", cwd]]);
  if (home !== undefined) known.set("HOME", home);
  const project = env["CLAUDE_PROJECT_DIR"];
  if (project !== undefined) known.set("CLAUDE_PROJECT_DIR", project);
  return known;
}
