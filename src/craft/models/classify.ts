import type { Host } from "../../kernel/call/host.ts";
import type { Outcome } from "../../kernel/call/outcome.ts";
import { readPayload } from "../common/input.ts";
import type { ModelErrorClass } from "./schema.ts";

/** `model classify [--from FILE]`: what a model error means for the next spawn (docs/spec/craft-engine.md 13.2). */
export async function classifyModelError(
  host: Host,
  from: string | undefined,
): Promise<Outcome<ModelErrorClass>> {
  const text = await readPayload(host, "model", { from });
  const data: ModelErrorClass = { class: classOf(text) };
  return { data, text: `${data.class}\n` };
}

/** Whether an error will pass, will stay, or says neither. What both match is permanent. */
export function classOf(text: string): ModelErrorClass["class"] {
  if (PERMANENT.some((pattern) => pattern.test(text))) return "permanent";
  return /\boverloaded_error\b/i.test(text) || showsStatus529(text) ? "overload" : "unclassified";
}

/** Every repetition is bounded, so a long text costs no more than its length. */
const PERMANENT: readonly RegExp[] = [
  /\bmodel_not_found\b/i,
  /\bnot_found_error\b[^\n]{0,80}\bmodel\b/i,
  /\bmodel\b[^\n]{0,80}\b(?:not found|does not exist|doesn't exist|may not exist|(?:is )?unknown|not available|unavailable|no longer available|not supported|disabled|deactivated|switched off|turned off|retired|deprecated)\b/i,
  /\b(?:unknown|invalid|unsupported|unrecognized|no such)\s{1,4}model\b/i,
  /\b(?:no|not have|n't have|without|denied|lacks?)\s{1,4}access\b[^\n]{0,60}\bmodel\b/i,
  /\bmodel\b[^\n]{0,60}\b(?:no|not have|n't have|denied|lacks?)\s{1,4}access\b/i,
  /\bissue with the selected model\b/i,
  /\bhigh (?:load|demand)\b[\s\S]{0,200}?\bswitch to\b/i,
];

const BEFORE =
  /(?:status(?:[ _-]?code)?|error(?:[ _-]?code)?|code|http(?:\/[\d.]{1,4})?|api)["']?\s{0,3}[:=([#-]{0,2}\s{0,3}["']?$/i;
const AFTER =
  /^["')\]]{0,2}\s{0,3}[:,-]?\s{0,3}(?:\{|overload|\(overload|service overloaded|site is overloaded)/i;

/** The digits 529 where they are a status or an error code: not in `1529ms`, not in `529 files`. */
function showsStatus529(text: string): boolean {
  for (let at = text.indexOf("529"); at >= 0; at = text.indexOf("529", at + 3)) {
    const before = text.slice(Math.max(0, at - 32), at);
    const after = text.slice(at + 3, at + 35);
    if (/[\w.]$/.test(before) || /^(?:\w|\.\d)/.test(after)) continue;
    if (BEFORE.test(before) || AFTER.test(after)) return true;
  }
  return false;
}
