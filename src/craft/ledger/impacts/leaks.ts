import type { Host } from "../../../kernel/call/host.ts";
import { PREFIX } from "../fail.ts";
import type { ImpactEntry } from "./entry.ts";

const SECRET =
  /\b[A-Za-z0-9_]*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIALS?)[A-Za-z0-9_]*\s*=\s*\S/i;

/** A warning for each field that holds a place of this machine or what looks like a secret; it is stored all the same. */
export function leakWarnings(host: Host, entry: ImpactEntry, repositoryRoot: string): string[] {
  const places = [host.home, repositoryRoot].filter((place) => place !== undefined && place.length > 1);
  return (["title", "proof", "expected"] as const).flatMap((field) => {
    const text = entry[field];
    const place = places.find((path) => text.includes(path!));
    if (place === undefined && !SECRET.test(text)) return [];
    const what =
      place === undefined ? "an assignment that looks like a secret" : "an absolute path of this machine";
    return [`${PREFIX}warning: ${field} holds ${what}; write a placeholder instead`];
  });
}
