import { JigError } from "../../kernel/call/errors.ts";
import type { Host } from "../../kernel/call/host.ts";
import { absoluteFrom } from "../../kernel/files/contain.ts";
import { Refused, readOwnedText } from "../../kernel/files/owned-file.ts";
import { parseObject } from "../../kernel/text/json.ts";
import { shown } from "../common/run-words.ts";
import type { Prices } from "./summarise.ts";

const KEYS = {
  input: "input",
  output: "output",
  cacheRead: "cache_read",
  cacheCreation: "cache_creation",
} as const;

/** A price table: a JSON object with the price of a million tokens of each kind. Throws (exit 1) naming what is wrong. */
export function readPrices(host: Host, path: string): Prices {
  const fail = (why: string) =>
    new JigError(`--prices ${shown(path)}: ${why}`, {
      hint: 'write {"currency":"USD","input":3,"output":15,"cache_read":0.3,"cache_creation":3.75}',
    });
  let text: string;
  try {
    text = readOwnedText(absoluteFrom(host.cwd, path), {
      uid: undefined,
      allowSymlink: true,
      maxBytes: 65_536,
    });
  } catch (error) {
    if (error instanceof Refused) throw fail(error.why);
    throw error;
  }
  const table = parseObject(text);
  if (table === undefined) throw fail("is no JSON object");
  const price = (key: keyof typeof KEYS): number => {
    const value = table[KEYS[key]];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
    throw fail(`${KEYS[key]} is ${JSON.stringify(value) ?? "missing"}, expected a price of a million tokens`);
  };
  const currency = table["currency"] ?? "";
  if (typeof currency !== "string" || currency.length > 8) throw fail("currency is no short text");
  const prices = { input: price("input"), output: price("output") };
  return { currency, ...prices, cacheRead: price("cacheRead"), cacheCreation: price("cacheCreation") };
}
