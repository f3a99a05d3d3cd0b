import * as v from "valibot";
import { assetText, listAssets } from "../../runtime/assets.ts";

const Words = v.array(v.string());
const where = { examples: v.array(v.number()), file: v.string() };

/** Something a brief asks of one file of its skill; `*` is every file (docs/spec/skills.md 8.2). */
const PromiseSchema = v.union([
  /** One paragraph, list item or table row holds all of this: code byte for byte, other words by their stem. */
  v.strictObject({ ...where, passage: v.string() }),
  /** Each stands there byte for byte. */
  v.strictObject({ ...where, literals: Words }),
  /** They stand there in this order, without regard to case. */
  v.strictObject({ ...where, order: Words }),
  /** None of them stands there. */
  v.strictObject({ ...where, absent: Words }),
]);

const BriefSchema = v.strictObject({
  /** The skill's references, exactly these, with the most bytes each may have. */
  references: v.record(v.string(), v.number()),
  promises: v.array(PromiseSchema),
});

export type Promised = v.InferOutput<typeof PromiseSchema>;
export type Brief = v.InferOutput<typeof BriefSchema>;

const FOLDER = "assets/briefs";

/** What the brief of one of jig's skills asks of its text, by the skill's name; undefined for any other. */
export function briefOf(name: string): Brief | undefined {
  const path = `${FOLDER}/${name.replace(/^jig-/, "")}.json`;
  return listAssets(FOLDER).includes(path) ? v.parse(BriefSchema, JSON.parse(assetText(path))) : undefined;
}
