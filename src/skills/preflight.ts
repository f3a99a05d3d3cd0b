import { EXIT, UsageError } from "../kernel/call/errors.ts";
import type { Outcome } from "../kernel/call/outcome.ts";
import { jsonText } from "../kernel/text/printable.ts";
import type { Preflight } from "./schema.ts";
import { apiOf } from "./source/front-matter.ts";
import { compareSemver, isSemver } from "./source/semver.ts";
import { fullName } from "./source/shipment.ts";

/** The oldest API of a skill that this program still serves; 1 where none is named. */
const OLDEST_SERVED: Readonly<Record<string, number>> = {};

export interface PreflightOptions {
  name: string;
  /** What the calling text was written for. */
  api: number;
  text: string;
  /** The embedded text of that skill, undefined when this program does not ship it. */
  embedded: string | undefined;
  version: string;
}

/** Whether a skill's text and this program fit together (docs/spec/skills.md section 7). No other work is done. */
export function preflight(options: PreflightOptions): Outcome<Preflight> {
  const { version, text, api } = options;
  if (!isSemver(text)) throw new UsageError(`--text must be a semantic version, got '${text}'`);
  const known = options.embedded !== undefined;
  const skill = known ? fullName(options.name) : options.name;
  const { status, note } = verdict(skill, api, options);
  const data: Preflight = { status, skill, jig: version, text, api, note };
  return {
    data,
    text: jsonText(data),
    exitCode: status === "incompatible" || status === "unknown-skill" ? EXIT.notThisTime : EXIT.done,
  };
}

function verdict(
  skill: string,
  api: number,
  { embedded, text, version }: PreflightOptions,
): Pick<Preflight, "status" | "note"> {
  if (embedded === undefined) {
    return {
      status: "unknown-skill",
      note: `jig ${version} does not ship ${skill}; upgrade jig, or remove the text with jig skills uninstall ${skill}`,
    };
  }
  const ships = apiOf(embedded);
  const oldest = OLDEST_SERVED[skill] ?? 1;
  if (api > ships) {
    return {
      status: "incompatible",
      note: `the text of ${skill} needs API ${api}, jig ${version} serves ${served(oldest, ships)}; upgrade jig, then run jig skills update`,
    };
  }
  if (api < oldest) {
    return {
      status: "incompatible",
      note: `the text of ${skill} is written for API ${api}, jig ${version} serves ${served(oldest, ships)}; run jig skills update`,
    };
  }
  const order = compareSemver(text, version);
  if (order === 0) return { status: "ok", note: "" };
  return order < 0
    ? {
        status: "text-older",
        note: `the text of ${skill} is of jig ${text}, this is jig ${version}; jig skills update refreshes it`,
      }
    : {
        status: "text-newer",
        note: `this jig ${version} is older than the text of ${skill} (${text}); upgrade jig when convenient`,
      };
}

function served(oldest: number, newest: number): string {
  return oldest === newest ? `${newest}` : `${oldest} to ${newest}`;
}
