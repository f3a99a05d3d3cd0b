import type { GenericSchema, InferOutput } from "valibot";
import { safeParse } from "valibot";
import type { Host } from "../../kernel/call/host.ts";
import { printable } from "../../kernel/text/printable.ts";
import { askSource } from "../common/custom-source.ts";
import { failure } from "../common/fail.ts";
import { type Corpus, NAME } from "./lanes.ts";

/** What a custom source answers, in the shape of our own answer and as it came. Throws (exit 1). */
export async function askCorpus<S extends GenericSchema>(
  host: Host,
  { root, custom }: Corpus,
  verb: "consult" | "assert",
  question: unknown,
  schema: S,
): Promise<InferOutput<S>> {
  const ref = custom?.ref;
  if (ref === undefined) throw failure(NAME, "the custom source has no ref to a script", 1);
  const answer = await askSource(host, { name: NAME, ref, root, words: [verb, JSON.stringify(question)] });
  const parsed = safeParse(schema, answer);
  if (parsed.success) return answer as InferOutput<S>;
  const [issue] = parsed.issues;
  const where = issue.path?.map(({ key }) => String(key)).join(".") ?? "";
  throw failure(
    NAME,
    `${printable(ref)} printed something else: ${printable(`${where}: ${issue.message}`)}`,
    1,
  );
}
