import { dirname } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { findExecutable } from "../../kernel/process/executable.ts";
import { realPath } from "../../kernel/shared/jig-path.ts";
import { buildInfo } from "../../runtime/build-info.ts";
import { note, ok } from "../check.ts";
import type { Check } from "../schema.ts";

/** Version, build and place of the running program. */
export function examineBinary(): Check[] {
  const { version, os, arch, commit, compiled, executable, runtime } = buildInfo();
  const what = `jig ${version} (${os}-${arch}, ${commit.slice(0, 12)})`;
  if (!compiled) return [note("version", `${what}, run from source by ${runtime.name} ${runtime.version}`)];
  return [ok("version", `${what} at ${executable}`)];
}

/** Whether typing `jig` reaches this program. Not a finding: skills call it by its absolute path. */
export function examinePath(host: Host): Check[] {
  const found = findExecutable("jig", host.env);
  const { executable } = buildInfo();
  if (found === undefined) {
    const remedy = `to type jig, add ${dirname(executable)} to it`;
    return [note("PATH", `no jig on PATH; skills do not need it; ${remedy}`)];
  }
  if (realPath(found) === realPath(executable)) return [ok("PATH", `jig on PATH is this one: ${found}`)];
  return [note("PATH", `jig on PATH is another one: ${found}; this one is ${executable}`)];
}
