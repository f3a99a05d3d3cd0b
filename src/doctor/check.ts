import type { Host } from "../kernel/call/host.ts";
import type { Check } from "./schema.ts";

/** Looks at one thing and says what it saw; it changes nothing and does not throw for what it looks for. */
export type Examine = (host: Host) => Promise<Check[]> | Check[];

export function ok(check: string, message: string): Check {
  return { check, level: "ok", message, mend: null };
}

export function note(check: string, message: string): Check {
  return { check, level: "note", message, mend: null };
}

export function finding(check: string, message: string, mend: string): Check {
  return { check, level: "finding", message, mend };
}
