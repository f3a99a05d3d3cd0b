import { isAbsolute } from "node:path";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom, isInside, isSameDirectory, realOrPlain } from "../../kernel/files/contain.ts";
import { isDirectory } from "../../kernel/files/look.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { type Layout, layoutOf } from "../common/layout.ts";
import { projectOf } from "../common/project.ts";
import { textOf } from "./payload.ts";

/** One call of a hook. */
export interface Hook {
  host: Host;
  payload: JsonObject;
  /**
   * The state of the project whose log and counts are written; undefined when the project has none, or none inside it:
   * a hook never makes it (docs/spec/flow.md 15.1).
   */
  layout: Layout | undefined;
}

/** What a hook says to its host: a line of JSON, or that it stops what is under way (exit 2, on stderr). */
export interface HookAnswer {
  say?: JsonObject;
  stop?: string;
}

/** The call with the project it belongs to: `CLAUDE_PROJECT_DIR`, else that of the payload's directory. */
export function hookOf(host: Host, payload: JsonObject): Hook {
  return { host, payload, layout: stateOf(givenProject(host) ?? ownProject(host, payload)) };
}

/** The project of the payload's directory, of the working directory without one. */
function ownProject(host: Host, payload: JsonObject): string {
  return projectOf(textOf(payload, "cwd") ?? host.cwd, host);
}

/** The roots of the projects a call has to do with: that of its directory first, then `CLAUDE_PROJECT_DIR`. */
export function projectsOf({ host, payload }: Hook): string[] {
  const [own, given] = [ownProject(host, payload), givenProject(host)];
  return given === undefined || isSameDirectory(own, given) ? [own] : [own, given];
}

/** The directory `CLAUDE_PROJECT_DIR` names; undefined when it names none. */
function givenProject(host: Host): string | undefined {
  const given = host.env["CLAUDE_PROJECT_DIR"];
  if (given === undefined || given === "") return undefined;
  // The working directory may be one that cannot be named, and is mostly not asked for.
  const root = isAbsolute(given) ? given : absoluteFrom(host.cwd, given);
  return isDirectory(root) ? root : undefined;
}

/** A project's state, when it has a directory for it that does not lead out of the project. */
function stateOf(root: string): Layout | undefined {
  const layout = layoutOf(root);
  if (!isDirectory(layout.state)) return undefined;
  return isInside(realOrPlain(root), realOrPlain(layout.state)) ? layout : undefined;
}
